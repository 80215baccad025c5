package fetchgroup

import (
	"context"
	"iter"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

var (
	eventFlags  = pcp.Desc{ID: pcp.NewID(pcp.DynamicDomain, 0, 1), Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
	eventMissed = pcp.Desc{ID: pcp.NewID(pcp.DynamicDomain, 0, 2), Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
)

type events struct {
	conversion // conversion of the field
	column     int
	inst       int32
	times      []pcp.Timestamp
	slots      []slot
	code       pmerr.Code
}

func (x *events) refresh(g *Group) {
	x.clear()
	values := set(g.now, x.column)
	if values == nil {
		return
	}
	if x.code = pmerr.Of(values.Err); x.code != 0 {
		return
	}
	at := find(values, x.inst)
	if at < 0 {
		return
	}
	records, err := pcp.UnpackEvents(values.Value(at))
	if err != nil {
		x.code = pmerr.Of(err)
		return
	}
	for i := range records {
		x.take(&records[i])
	}
}

func (x *events) take(r *pcp.EventRecord) {
	switch {
	case x.desc.ID == eventFlags.ID && r.Flags != 0:
		x.add(r.Time, pcp.WordValue(pcp.Uint32, uint64(r.Flags)))
	case x.desc.ID == eventMissed.ID && r.Flags&pcp.EventMissed != 0:
		x.add(r.Time, pcp.WordValue(pcp.Int32, uint64(int64(r.Missed))))
	}
	for i := range r.Params {
		if p := &r.Params[i]; p.ID == x.desc.ID {
			column := p.Column(x.desc.Type)
			x.add(r.Time, column.Value(0))
		}
	}
}

func (x *events) add(at pcp.Timestamp, v pcp.Value) {
	var s slot
	var buf [64]byte
	if v, code := x.instant(v, buf[:0]); code == 0 {
		s.put(v)
	} else {
		s.fail(x.out, code)
	}
	x.times, x.slots = append(x.times, at), append(x.slots, s)
}

func (x *events) clear() { x.times, x.slots, x.code = x.times[:0], x.slots[:0], pmerr.Value }

// An Events is the values of one field in the records of an event metric, as Ts.
type Events[T Type] struct{ events *events }

// An Event is one value of an Events.
type Event[T Type] struct {
	Time  time.Time // time of the record
	Value T
	Err   error // the status of the conversion
}

// AddEvent registers a field of an event metric, which is a metric itself; event.flags and
// event.missed are the heads of the records. A metric with an instance domain needs the name of an
// instance. There are no rates: the scale of a field that is a counter is "instant", or units of
// its dimension.
func AddEvent[T Type](ctx context.Context, g *Group, name, instance, field, scale string) (*Events[T], error) {
	x, err := g.addEvents(ctx, name, instance, field, scale, typeOf[T]())
	if err != nil {
		return nil, err
	}
	return &Events[T]{x}, nil
}

// All returns the values in the order of the records. A record may have the field several times.
func (e *Events[T]) All() iter.Seq[Event[T]] {
	return func(yield func(Event[T]) bool) {
		for i := range e.events.slots {
			s := &e.events.slots[i]
			if !yield(Event[T]{e.events.times[i].Time(), value[T](s), s.err()}) {
				return
			}
		}
	}
}

// Len returns the number of values.
func (e *Events[T]) Len() int { return len(e.events.slots) }

// Err returns the status of the metric. It is nil if there are merely no records.
func (e *Events[T]) Err() error { return (&slot{code: e.events.code}).err() }
