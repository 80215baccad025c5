package fetchgroup

import (
	"context"
	"math"
	"slices"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Type is a Go type that values can have. An int has the width of the machine's.
type Type interface {
	int | int32 | int64 | uint | uint32 | uint64 | float32 | float64 | string
}

func typeOf[T Type]() pcp.Type {
	switch any(*new(T)).(type) {
	case int:
		return sized(pcp.Int32, pcp.Int64)
	case int32:
		return pcp.Int32
	case int64:
		return pcp.Int64
	case uint:
		return sized(pcp.Uint32, pcp.Uint64)
	case uint32:
		return pcp.Uint32
	case uint64:
		return pcp.Uint64
	case float32:
		return pcp.Float
	case float64:
		return pcp.Double
	}
	return pcp.String
}

func sized(short, long pcp.Type) pcp.Type {
	if strconv.IntSize == 32 {
		return short
	}
	return long
}

// A slot holds a converted value, or the sentinel of its type with a code (FG1.3).
type slot struct {
	word uint64 // as in pcp.Values
	text string
	code pmerr.Code
}

func (s *slot) put(v pcp.Value) {
	s.word, s.code = v.Word(), 0
	if b := v.Bytes(); s.text != string(b) {
		s.text = string(b)
	}
}

// fail stores the sentinel of a missing value: -1, the largest unsigned number, NaN, or "".
func (s *slot) fail(t pcp.Type, code pmerr.Code) {
	s.word, s.text, s.code = math.MaxUint64, "", code
	switch t {
	case pcp.Uint32:
		s.word = math.MaxUint32
	case pcp.Float:
		s.word = uint64(math.Float32bits(float32(math.NaN())))
	case pcp.Double:
		s.word = math.Float64bits(math.NaN())
	}
}

func (s *slot) err() error {
	if s.code == 0 {
		return nil
	}
	return s.code
}

func value[T Type](s *slot) (v T) {
	switch p := any(&v).(type) {
	case *int:
		*p = int(s.word)
	case *int32:
		*p = int32(s.word)
	case *int64:
		*p = int64(s.word)
	case *uint:
		*p = uint(s.word)
	case *uint32:
		*p = uint32(s.word)
	case *uint64:
		*p = s.word
	case *float32:
		*p = math.Float32frombits(uint32(s.word))
	case *float64:
		*p = math.Float64frombits(s.word)
	case *string:
		*p = s.text
	}
	return v
}

type metric struct {
	conversion
	column int
}

func (m *metric) fill(g *Group, s *slot, values *pcp.Values, at int) {
	var buf [64]byte
	v := values.Value(at)
	var code pmerr.Code
	if m.rate {
		var from pcp.Value
		if from, code = g.prior(m.column, values.Insts[at], at); code == 0 {
			var fell bool
			v, code, fell = m.perSecond(from, v, g.elapsed, g.opt.Wrap, buf[:0])
			if d := g.domains[m.desc.InDom]; fell && d != nil && m.desc.Sem == pcp.Counter {
				d.doubted = true
			}
		} else if _, bad := number(v); bad != 0 {
			code = bad
		}
	} else {
		v, code = m.instant(v, buf[:0])
	}
	if code != 0 {
		s.fail(m.out, code)
		return
	}
	s.put(v)
}

// retained reports whether a discrete metric without new values keeps its old ones, and their new error
// code; 0 keeps the old code (FG7).
func (m *metric) retained(g *Group, values *pcp.Values) (keep bool, code pmerr.Code) {
	switch {
	case m.desc.Sem != pcp.Discrete || g.opt.Once:
		return false, 0
	case values == nil:
		return true, pmerr.Value
	}
	return values.Len() == 0, pmerr.Of(values.Err)
}

// find returns the position of an instance in a sorted column, or -1. A metric without instances has its
// value first: old archives may give it any instance number.
func find(v *pcp.Values, inst int32) int {
	if inst == pcp.NullInst && v.Len() > 0 {
		return 0
	}
	if at, ok := slices.BinarySearch(v.Insts, inst); ok {
		return at
	}
	return -1
}

type item struct {
	metric
	inst int32
	slot
}

func (x *item) refresh(g *Group) {
	values := set(g.now, x.column)
	if keep, code := x.retained(g, values); keep {
		if code != 0 {
			x.code = code
		}
		return
	}
	code := pmerr.Value
	if values != nil {
		if at := find(values, x.inst); at >= 0 {
			x.fill(g, &x.slot, values, at)
			return
		}
		if values.Err != nil {
			code = pmerr.Of(values.Err)
		}
	}
	x.fail(x.out, code)
}

func (x *item) clear() { x.fail(x.out, pmerr.Value) }

// An Item is the value of a metric, or of one of its instances, as a T.
type Item[T Type] struct{ item *item }

// Add registers a metric. instance is the name of an instance, "" for a metric without instances.
// scale is as for pmFetchGroup(3): "" converts a counter to a rate and leaves other values, "rate"
// converts any value to a rate, "instant" none. Any other scale is units for pcp.ParseUnits, of the
// metric's dimension, or of that per time, which makes a rate.
//
// In a recording Add also finds a metric or instance that appears later; a group that reads record
// by record then gets the current record again. Errors match the codes of pmerr: Name, NonLeaf,
// PMID, NoAgent, InDom, Inst, InstLog, Type, Conv, BadDerive.
func Add[T Type](ctx context.Context, g *Group, name, instance, scale string) (*Item[T], error) {
	x, err := g.addItem(ctx, name, instance, scale, typeOf[T]())
	if err != nil {
		return nil, err
	}
	return &Item[T]{x}, nil
}

// Value returns the value. Without a value it returns a sentinel (-1, the largest unsigned number,
// NaN or "") and a pmerr.Code: pmerr.Value if the fetch has none, pmerr.Again for the first fetch
// of a rate, or the error of the metric or of the conversion. A discrete metric keeps its last
// value until a new one arrives; an error is returned with it.
func (i *Item[T]) Value() (T, error) { return value[T](&i.item.slot), i.item.err() }
