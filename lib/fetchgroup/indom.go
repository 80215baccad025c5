package fetchgroup

import (
	"context"
	"iter"
	"slices"

	"pmtools/lib/pmerr"
)

type inDom struct {
	metric
	domain *domain // nil for a metric without instances
	insts  []int32
	names  []string
	slots  []slot
	steady bool // the instances are those of the fetch before
	code   pmerr.Code
}

// refresh leaves the names to the domain.
func (x *inDom) refresh(g *Group) {
	values := set(g.now, x.column)
	if keep, code := x.retained(g, values); keep {
		if x.steady = true; code != 0 {
			x.code = code
		}
		return
	}
	switch {
	case values == nil:
		x.clear()
		return
	case !slices.Equal(x.insts, values.Insts):
		x.steady = false
		x.insts = append(x.insts[:0], values.Insts...)
		x.names = resized(x.names, len(x.insts))
		x.slots = resized(x.slots, len(x.insts))
	default:
		x.steady = true
	}
	x.code = pmerr.Of(values.Err)
	for i := range x.slots {
		x.fill(g, &x.slots[i], values, i)
	}
}

func resized[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (x *inDom) clear() {
	x.insts, x.names, x.slots, x.steady, x.code = x.insts[:0], x.names[:0], x.slots[:0], false, pmerr.Value
}

// An InDom is the values of a metric for all of its instances, as Ts.
type InDom[T Type] struct{ inDom *inDom }

// An Instance is one value of an InDom.
type Instance[T Type] struct {
	Inst  int32  // pcp.NullInst for a metric without instances
	Name  string // "" if the instance has none
	Value T
	Err   error // the status, as for Item.Value
}

// AddInDom registers a metric with all of its instances; a metric without instances has a single
// value. Scale and errors are as for [Add].
func AddInDom[T Type](ctx context.Context, g *Group, name, scale string) (*InDom[T], error) {
	x, err := g.addInDom(ctx, name, scale, typeOf[T]())
	if err != nil {
		return nil, err
	}
	return &InDom[T]{x}, nil
}

// All returns the instances in the order of their identifiers.
func (d *InDom[T]) All() iter.Seq[Instance[T]] {
	return func(yield func(Instance[T]) bool) {
		for i := range d.inDom.slots {
			s := &d.inDom.slots[i]
			if !yield(Instance[T]{d.inDom.insts[i], d.inDom.names[i], value[T](s), s.err()}) {
				return
			}
		}
	}
}

// Len returns the number of instances.
func (d *InDom[T]) Len() int { return len(d.inDom.slots) }

// Err returns the status of the metric as a whole. It is nil if there are merely no instances. If a
// discrete metric keeps the values of an earlier fetch, Err is pmerr.Value if the last fetch failed, or
// else the metric's error in it, or in the fetch before. The Err of each Instance stays that of its value.
func (d *InDom[T]) Err() error { return (&slot{code: d.inDom.code}).err() }
