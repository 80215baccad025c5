package fetchgroup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// A Binding fills structs of type S with the values of metrics.
type Binding[S any] struct {
	g      *Group
	fields []*field
	row    S
	primed bool // a fetch has succeeded: rates have a value before
	rates  bool // there are rates, or expressions that may have some
}

// Bind registers the metrics that the tags of a struct type name:
//
//	type Disk struct {
//		Name  string       `pcp:",instance"`
//		IOPS  float64      `pcp:"disk.dev.total,rate"`
//		Await Opt[float64] `pcp:"disk.dev.await"`
//	}
//	type Host struct {
//		Time  time.Time          `pcp:",time"`
//		Load  map[string]float64 `pcp:"kernel.all.load"`
//		One   float64            `pcp:"kernel.all.load[1 minute]"`
//		Free  float64            `pcp:"mem.freemem,unit=Gbyte"`
//		Used  float64            `pcp:"=100 * mem.util.used / mem.physmem"`
//		Disks []Disk
//	}
//
// A field is a number or a string of a [Type], or of a type based on one; an [Opt], which has the
// reason of a missing value, where other fields hold the sentinel of [Item.Value]; a map from the
// names of instances to one of these, without those that have no value; or a slice of structs, with
// an element for each instance that one of their metrics has, ordered by number. The metrics of
// such a struct belong to one instance domain. Fields without a tag are not touched.
//
// A tag is a metric, with an instance in brackets if it is one of several, or an expression after
// "=", for a source that is a [Definer]. Options follow: rate, instant or unit=UNITS is the
// scale of [Add]; optional lets the metric be missing; instance is the name or number of the
// element's instance, time the time of the values.
//
// The error is [Mistakes], the list of all mistakes in the struct; then no field is registered.
func Bind[S any](ctx context.Context, g *Group) (*Binding[S], error) {
	t := reflect.TypeFor[S]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is not a struct", pmerr.Arg, t)
	}
	fields, bad := fieldsOf(t, t.Name(), false)
	if len(fields) == 0 {
		bad = append(bad, &Mistake{Field: t.Name(), Err: errors.New("no field has a tag")})
	}
	b := &binder{ctx: ctx, g: g, bad: bad}
	b.definer, _ = pmapi.As[Definer](g.pc.Source())
	m := g.mark()
	err := b.bind(fields)
	g.known = nil
	if err == nil && b.bad != nil {
		err = b.bad.sorted(fields)
	}
	if err != nil {
		g.back(m)
		return nil, err
	}
	return &Binding[S]{g: g, fields: fields, rates: haveRates(fields)}, nil
}

// bind registers fields. It returns an error only if a whole request failed.
func (b *binder) bind(fields []*field) error {
	var names []string
	for f := range walk(fields) {
		switch {
		case f.expr != "":
			b.define(f)
		case f.metric != "":
			names = append(names, f.metric)
		}
	}
	for f := range walk(fields) {
		if f.expr != "" && f.metric != "" {
			names = append(names, f.metric)
		}
	}
	if len(names) > 0 {
		if err := b.g.learn(b.ctx, names); err != nil {
			return err
		}
	}
	for _, f := range fields {
		b.register(f)
	}
	return b.ctx.Err()
}

// walk yields the fields, and the fields of structs in them.
func walk(fields []*field) iter.Seq[*field] {
	return func(yield func(*field) bool) {
		for _, f := range fields {
			if !yield(f) {
				return
			}
			for _, inner := range f.fields {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

func (b *binder) define(f *field) {
	if b.definer == nil {
		b.bad = append(b.bad, &Mistake{Field: f.path, Tag: f.text, Err: fmt.Errorf("%w: the source has no expressions: put derive.NewSource over it", pmerr.NYI)})
		return
	}
	b.g.defined++
	name := fmt.Sprintf("fetchgroup.e%d", b.g.defined)
	switch err := b.definer.Add(b.ctx, name, f.expr); {
	case err == nil:
		f.metric = name
	case f.optional:
		f.none.fail(f.kind, pmerr.Of(err))
	default:
		b.bad = append(b.bad, &Mistake{Field: f.path, Tag: f.text, Pos: 1, Err: err, Notes: b.definer.Explain(b.ctx, err)})
	}
}

func (b *binder) register(f *field) {
	var err error
	switch {
	case f.shape == isRows:
		b.rows(f)
		return
	case f.metric == "":
		return
	case f.shape == isMap:
		f.inDom, err = b.g.addInDom(b.ctx, f.metric, f.scale, f.kind)
		if err == nil && f.inDom.domain == nil {
			err = fmt.Errorf("%s: %w: the metric has no instances for a map", f.metric, pmerr.InDom)
		}
	default:
		f.item, err = b.g.addItem(b.ctx, f.metric, f.instance, f.scale, f.kind)
		if f.instance == "" && errors.Is(err, pmerr.InDom) {
			err = fmt.Errorf("%w, in a map or a slice of structs", err)
		}
	}
	b.check(f, err)
}

func (b *binder) rows(f *field) {
	var first *field
	for _, x := range f.fields {
		if x.metric == "" {
			continue
		}
		var err error
		x.inDom, err = b.g.addInDom(b.ctx, x.metric, x.scale, x.kind)
		switch {
		case err != nil:
		case x.inDom.domain == nil:
			err = fmt.Errorf("%s: %w: the metric has no instances for a slice", x.metric, pmerr.InDom)
		case first == nil:
			first = x
		case first.inDom.domain != x.inDom.domain:
			err = fmt.Errorf("%s: %w: its instances are those of %v, and %s has those of %v", x.metric, pmerr.InDom, x.inDom.desc.InDom, first.metric, first.inDom.desc.InDom)
		}
		b.check(x, err)
	}
}

// check keeps the error of a registration, unless the metric is optional and merely missing.
func (b *binder) check(f *field, err error) {
	if err == nil {
		return
	}
	f.item, f.inDom = nil, nil
	missing := []error{pmerr.Name, pmerr.NonLeaf, pmerr.PMID, pmerr.NoAgent, pmerr.Inst, pmerr.InstLog, pmerr.BadDerive}
	if f.optional && slices.ContainsFunc(missing, func(code error) bool { return errors.Is(err, code) }) {
		f.none.fail(f.kind, pmerr.Of(err))
		return
	}
	b.wrong(f, err)
}

// haveRates reports whether values depend on earlier ones.
func haveRates(fields []*field) bool {
	for f := range walk(fields) {
		if f.expr != "" || f.item != nil && f.item.rate || f.inDom != nil && f.inDom.rate {
			return true
		}
	}
	return false
}

// Next fetches, and returns the values. The struct, its maps and slices are overwritten by the next
// call.
func (b *Binding[S]) Next(ctx context.Context) (*S, error) {
	if err := b.fetch(ctx); err != nil {
		return nil, err
	}
	fill(reflect.ValueOf(&b.row).Elem(), b.fields, b.g)
	return &b.row, nil
}

func (b *Binding[S]) fetch(ctx context.Context) error {
	_, err := b.g.Fetch(ctx)
	b.primed = b.primed || err == nil
	return err
}

// Each yields the values once per interval: live values without drift; of a recording, values at
// steps of the interval from its position to its end, or record by record if the interval is 0. If
// there are rates, a first fetch prepares them. A fetch that fails yields its error, and the loop
// goes on; a lost connection is made again. The loop ends with ctx. The next round overwrites the
// struct.
func (b *Binding[S]) Each(ctx context.Context, interval time.Duration) iter.Seq2[*S, error] {
	return func(yield func(*S, error) bool) {
		clock := when.Clock{Interval: interval}
		wait := func() bool { _, err := clock.Wait(ctx); return err == nil }
		if _, ok := pmapi.As[pmapi.Timeline](b.g.pc.Source()); ok {
			wait = func() bool { return ctx.Err() == nil }
			if interval > 0 {
				if err := b.g.pc.SetMode(pcp.Interp, nil, interval); err != nil {
					yield(nil, err)
					return
				}
			}
		}
		for first := true; wait(); first = false {
			if first && b.rates && !b.primed {
				_ = b.fetch(ctx) // an error shows in the next one as well
				if !wait() {
					return
				}
			}
			row, err := b.Next(ctx)
			if ctx.Err() != nil || errors.Is(err, pmerr.EOL) || !yield(row, err) {
				return
			}
		}
	}
}
