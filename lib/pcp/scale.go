package pcp

import (
	"math"
	"math/bits"

	"pmtools/lib/pmerr"
)

// A Scaler converts values of one type from some units to others of the same dimensions. NewScaler makes it once for many values. Goroutines may share it.
//
// Results are those of the reference, to the bit, where its arithmetic is defined: integers are
// rounded by adding one half and truncating toward zero, also negative ones, and wrap around. A
// factor whose parts do not fit 64 bits, with which the reference computes garbage or crashes, is
// applied in floating point, and integers then saturate.
type Scaler struct {
	typ      Type
	identity bool
	inexact  bool // mult and div do not fit; use ratio
	mult     int64
	div      int64
	ratio    float64
	extra    extraScaler
}

// extraScaler converts an extra unit: add + mul*(x+shift)/div. The zero extraScaler does nothing.
type extraScaler struct {
	on                   bool
	add, mul, shift, div float64
}

// NewScaler returns the Scaler from units to units for values of type t. The error is pmerr.Conv if
// t is not a number or the dimensions differ, pmerr.Unit if a scale is not known.
func NewScaler(t Type, from, to Units) (Scaler, error) {
	if from.Dimensionless() {
		from.DimCount = 1
	}
	if to.Dimensionless() {
		to.DimCount = 1
	}
	if !t.Arithmetic() || from.DimSpace != to.DimSpace || from.DimTime != to.DimTime ||
		from.DimCount != to.DimCount || from.Extra != to.Extra {
		return Scaler{}, pmerr.Conv
	}
	f := fraction{mult: 1, div: 1}
	if !f.space(from, to) || !f.time(from, to) {
		return Scaler{}, pmerr.Unit
	}
	f.count(from, to)
	s := Scaler{typ: t, mult: int64(f.mult), div: int64(f.div), ratio: f.exact, inexact: f.overflow}
	if !s.inexact {
		if s.mult%s.div == 0 {
			s.mult, s.div = s.mult/s.div, 1
		}
		s.ratio = float64(s.mult) / float64(s.div)
	}
	if from.Extra != 0 && from.ExtraScale != to.ExtraScale {
		if s.extra, s.extra.on = newExtraScaler(from, to); !s.extra.on {
			return Scaler{}, pmerr.Unit
		}
	}
	s.identity = !s.inexact && s.mult == s.div && !s.extra.on
	return s, nil
}

type fraction struct {
	mult, div uint64
	overflow  bool // mult or div does not fit 63 bits
	exact     float64
}

// apply multiplies f by (in/out)^dim; in and out are fractions of a common unit.
func (f *fraction) apply(dim int8, in, out [2]uint64) {
	if dim < 0 {
		in, out = out, in
		dim = -dim
	}
	for range dim {
		for _, m := range [...]uint64{in[0], out[1]} {
			f.mult = f.times(f.mult, m)
		}
		for _, d := range [...]uint64{in[1], out[0]} {
			f.div = f.times(f.div, d)
		}
	}
}

func (f *fraction) times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 || lo > math.MaxInt64 {
		f.overflow = true
	}
	return lo
}

func (f *fraction) space(from, to Units) bool {
	if f.exact = 1; from.DimSpace == 0 {
		return true
	}
	in, out := from.ScaleSpace, to.ScaleSpace
	if in < Byte || in > Ebyte || out < Byte || out > Ebyte {
		return false
	}
	f.exact *= math.Pow(1024, float64(int(in-out)*int(from.DimSpace)))
	relative := func(scale int8) [2]uint64 {
		if scale < Mbyte {
			return [2]uint64{1, 1 << (10 * (Mbyte - scale))}
		}
		return [2]uint64{1 << (10 * (scale - Mbyte)), 1}
	}
	f.apply(from.DimSpace, relative(in), relative(out))
	return true
}

func (f *fraction) time(from, to Units) bool {
	if from.DimTime == 0 {
		return true
	}
	seconds := [...][2]uint64{Nsec: {1, 1e9}, Usec: {1, 1e6}, Msec: {1, 1e3}, Sec: {1, 1}, Min: {60, 1}, Hour: {3600, 1}}
	if from.ScaleTime < Nsec || from.ScaleTime > Hour || to.ScaleTime < Nsec || to.ScaleTime > Hour {
		return false
	}
	in, out := seconds[from.ScaleTime], seconds[to.ScaleTime]
	step := float64(in[0]*out[1]) / float64(in[1]*out[0])
	f.exact *= math.Pow(step, float64(from.DimTime))
	f.apply(from.DimTime, in, out)
	return true
}

// count applies the count dimension, which units with nothing but an extra unit have once.
func (f *fraction) count(from, to Units) {
	dim := from.DimCount
	if dim == 0 {
		if from.DimSpace != 0 || from.DimTime != 0 {
			return
		}
		dim = 1
	}
	power := func(scale int8) [2]uint64 {
		n := uint64(1)
		for range max(scale, -scale) {
			n *= 10
		}
		if scale < 0 {
			return [2]uint64{1, n}
		}
		return [2]uint64{n, 1}
	}
	in, out := max(min(from.ScaleCount, 7), -8), max(min(to.ScaleCount, 7), -8)
	f.exact *= math.Pow(10, float64(int(in-out)*int(dim)))
	f.apply(dim, power(in), power(out))
}

// newExtraScaler fails for unknown kinds and scales, and for units in the denominator.
func newExtraScaler(from, to Units) (extraScaler, bool) {
	kind, n := extraOf(from)
	in, out := int(from.ExtraScale), int(to.ExtraScale)
	if kind == nil || from.Extra < 0 || in < 1 || in > len(kind.scales) || out < 1 || out > len(kind.scales) {
		return extraScaler{}, false
	}
	if int8(n) != Temperature {
		// Each scale is a thousandth of the one before it.
		e := extraScaler{mul: 1, div: 1}
		for ; in < out; in++ {
			e.mul *= 1000
		}
		for ; in > out; in-- {
			e.div *= 1000
		}
		return e, true
	}
	const c, f, k = 1, 2, 3
	return [...][4]extraScaler{
		c: {f: {add: 32, mul: 9, div: 5}, k: {add: 273.15, mul: 1, div: 1}},
		f: {c: {mul: 5, shift: -32, div: 9}, k: {add: 273.15, mul: 5, shift: -32, div: 9}},
		k: {c: {mul: 1, shift: -273.15, div: 1}, f: {add: 32, mul: 9, shift: -273.15, div: 5}},
	}[in][out], true
}

// Scale converts the values of a column in place.
func (s *Scaler) Scale(words []uint64) {
	if s.identity {
		return
	}
	for i, w := range words {
		words[i] = s.Word(w)
	}
}

// Word converts one value.
func (s *Scaler) Word(w uint64) uint64 {
	if s.identity {
		return w
	}
	switch {
	case s.typ == Float:
		w = uint64(math.Float32bits(math.Float32frombits(uint32(w)) * s.ratio32()))
	case s.typ == Double:
		w = math.Float64bits(math.Float64frombits(w) * s.ratio)
	case s.inexact:
		w = saturate(s.typ, math.Round(wordFloat(s.typ, w)*s.ratio))
	case s.typ == Uint64:
		w = (w*uint64(s.mult) + uint64(s.div)/2) / uint64(s.div)
	default:
		w = cut(s.typ, uint64((int64(w)*s.mult+s.div/2)/s.div))
	}
	if s.extra.on {
		return s.extraWord(w)
	}
	return w
}

// A Factor is the number by which a Scaler multiplies.
type Factor struct {
	Mult, Div int64   // for integers
	Ratio     float64 // for doubles; single precision has its own quotient of Mult and Div
}

// Factor returns the factor, and false for a conversion that is not a single multiplication: of
// extra units, or with parts that overflow 64 bits.
func (s *Scaler) Factor() (Factor, bool) {
	return Factor{s.mult, s.div, s.ratio}, s.mult > 0 && !s.inexact && !s.extra.on
}

// ratio32 returns the factor, which the reference computes in single precision for such values.
func (s *Scaler) ratio32() float32 {
	if s.inexact {
		return float32(s.ratio)
	}
	return float32(s.mult) / float32(s.div)
}

func (s *Scaler) extraWord(w uint64) uint64 {
	e := &s.extra
	f := e.add + float64(e.mul*(wordFloat(s.typ, w)+e.shift))/e.div
	switch s.typ {
	case Float:
		return uint64(math.Float32bits(float32(f)))
	case Double:
		return math.Float64bits(f)
	case Int32:
		if f <= -0x1p31-1 || f >= 0x1p31 || f != f {
			return cut(Int32, 1<<31) // the result of the reference's machines
		}
	case Uint64:
		if f >= 0x1p63 {
			return uint64(truncInt64(f-0x1p63)) ^ 1<<63
		}
	}
	return cut(s.typ, uint64(truncInt64(f)))
}

func cut(t Type, w uint64) uint64 {
	switch t {
	case Int32:
		return uint64(int64(int32(w)))
	case Uint32:
		return uint64(uint32(w))
	}
	return w
}

func saturate(t Type, f float64) uint64 {
	lo, hi := 0.0, 0x1p64 // hi is one above the range: a double cannot hold the largest values of 64 bits
	switch t {
	case Int32:
		lo, hi = -0x1p31, 0x1p31
	case Uint32:
		hi = 0x1p32
	case Int64:
		lo, hi = -0x1p63, 0x1p63
	}
	switch {
	case f != f:
		return 0
	case f >= hi && lo < 0:
		return uint64(hi) - 1
	case f >= hi && t == Uint32:
		return math.MaxUint32
	case f >= hi:
		return math.MaxUint64
	case f <= lo:
		return uint64(int64(lo))
	case lo < 0:
		return uint64(int64(f))
	}
	return uint64(f)
}

// ConvScale returns v, a value in units from, in units to. Columns are better converted with a
// Scaler.
func (v Value) ConvScale(from, to Units) (Value, error) {
	s, err := NewScaler(v.typ, from, to)
	if err != nil {
		return Value{}, err
	}
	if !v.set {
		return Value{}, pmerr.Conv
	}
	return WordValue(v.typ, s.Word(v.word)), nil
}
