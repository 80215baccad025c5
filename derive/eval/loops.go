package eval

import (
	"math"

	"pmtools/lib/pcp"
)

// The loops of the evaluator, each for one operator and one class of types, over words as in
// pcp.Values.Words. All slices of a call have the same length.

func f64(w uint64) float64 { return math.Float64frombits(w) }
func f32(w uint64) float32 { return math.Float32frombits(uint32(w)) }

func word64(f float64) uint64 { return math.Float64bits(f) }
func word32(f float32) uint64 { return uint64(math.Float32bits(f)) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// combine applies an operator to operands of type t, which for arithmetic is the type of the result
// too.
func combine(o op, t pcp.Type, dst, a, b []uint64) {
	switch o {
	case opAdd, opSub, opMul, opDiv:
		switch t {
		case pcp.Double:
			combineDouble(o, dst, a, b)
		case pcp.Float:
			combineFloat(o, dst, a, b)
		default:
			combineInt(o, dst, a, b)
			narrow(dst, t)
		}
	case opMin, opMax:
		choose(o == opMax, t, dst, a, b)
	case opPow:
		for i := range dst {
			dst[i] = word64(math.Pow(f64(a[i]), f64(b[i])))
		}
	case opAnd, opOr:
		truth(o, t, dst, a, b)
	default:
		switch t {
		case pcp.Double, pcp.Float:
			compareFloat(o, t, dst, a, b)
		case pcp.Int32, pcp.Int64:
			compareInt[int64](o, dst, a, b)
		default:
			compareInt[uint64](o, dst, a, b)
		}
	}
}

// combineInt computes with 64 bits; narrower types are cut afterwards, which gives the same.
func combineInt(o op, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch o {
	case opAdd:
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	case opSub:
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	case opMul:
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
	}
}

func narrow(dst []uint64, t pcp.Type) {
	switch t {
	case pcp.Int32:
		for i, w := range dst {
			dst[i] = uint64(int64(int32(w)))
		}
	case pcp.Uint32:
		for i, w := range dst {
			dst[i] = uint64(uint32(w))
		}
	}
}

func combineDouble(o op, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch o {
	case opAdd:
		for i := range dst {
			dst[i] = word64(f64(a[i]) + f64(b[i]))
		}
	case opSub:
		for i := range dst {
			dst[i] = word64(f64(a[i]) - f64(b[i]))
		}
	case opMul:
		for i := range dst {
			dst[i] = word64(f64(a[i]) * f64(b[i]))
		}
	case opDiv:
		for i := range dst {
			if x := f64(a[i]); x == 0 {
				dst[i] = 0
			} else {
				dst[i] = word64(x / f64(b[i]))
			}
		}
	}
}

func combineFloat(o op, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch o {
	case opAdd:
		for i := range dst {
			dst[i] = word32(f32(a[i]) + f32(b[i]))
		}
	case opSub:
		for i := range dst {
			dst[i] = word32(f32(a[i]) - f32(b[i]))
		}
	case opMul:
		for i := range dst {
			dst[i] = word32(f32(a[i]) * f32(b[i]))
		}
	}
}

func compareInt[T int64 | uint64](o op, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	switch o {
	case opLess:
		for i := range dst {
			dst[i] = bit(T(a[i]) < T(b[i]))
		}
	case opLessEqual:
		for i := range dst {
			dst[i] = bit(T(a[i]) <= T(b[i]))
		}
	case opEqual:
		for i := range dst {
			dst[i] = bit(a[i] == b[i])
		}
	case opNotEqual:
		for i := range dst {
			dst[i] = bit(a[i] != b[i])
		}
	}
}

// compareFloat compares both kinds of floating point numbers; single ones lose nothing when they
// become double.
func compareFloat(o op, t pcp.Type, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	get := f64
	if t == pcp.Float {
		get = func(w uint64) float64 { return float64(f32(w)) }
	}
	switch o {
	case opLess:
		for i := range dst {
			dst[i] = bit(get(a[i]) < get(b[i]))
		}
	case opLessEqual:
		for i := range dst {
			dst[i] = bit(get(a[i]) <= get(b[i]))
		}
	case opEqual:
		for i := range dst {
			dst[i] = bit(get(a[i]) == get(b[i]))
		}
	case opNotEqual:
		for i := range dst {
			dst[i] = bit(get(a[i]) != get(b[i]))
		}
	}
}

// choose takes the greater or the smaller operand. An operand on the left that is not a number stays.
func choose(greater bool, t pcp.Type, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		if dst[i] = a[i]; greater && less(t, a[i], b[i]) || !greater && less(t, b[i], a[i]) {
			dst[i] = b[i]
		}
	}
}

func nonzero(t pcp.Type, w uint64) bool {
	switch t {
	case pcp.Double:
		return f64(w) != 0
	case pcp.Float:
		return f32(w) != 0
	}
	return w != 0
}

func truth(o op, t pcp.Type, dst, a, b []uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := nonzero(t, a[i]), nonzero(t, b[i])
		dst[i] = bit(x && y || o == opOr && (x || y))
	}
}

// negate is the prefix minus; from and to differ only in the sign of their type.
func negate(to pcp.Type, dst, a []uint64) {
	a = a[:len(dst)]
	switch to {
	case pcp.Double:
		for i := range dst {
			dst[i] = word64(-f64(a[i]))
		}
	case pcp.Float:
		for i := range dst {
			dst[i] = word32(-f32(a[i]))
		}
	default:
		for i := range dst {
			dst[i] = -a[i]
		}
		narrow(dst, to)
	}
}

func one(t pcp.Type) uint64 {
	switch t {
	case pcp.Double:
		return word64(1)
	case pcp.Float:
		return word32(1)
	}
	return 1
}

// same reports whether words of type from can be used as they are where to is wanted. Integers are
// sign-extended and so fit all wider types; a negative 32-bit one must be cut to become unsigned.
func same(from, to pcp.Type) bool {
	return from == to || to <= pcp.Uint64 && !(from == pcp.Int32 && to == pcp.Uint32)
}

// convert converts words to a type that is not lower.
func convert(dst, a []uint64, from, to pcp.Type) {
	a = a[:len(dst)]
	signed := from == pcp.Int32 || from == pcp.Int64
	switch {
	case same(from, to):
		copy(dst, a)
	case to == pcp.Uint32:
		for i := range dst {
			dst[i] = uint64(uint32(a[i]))
		}
	case to == pcp.Double && from == pcp.Float:
		for i := range dst {
			dst[i] = word64(float64(f32(a[i])))
		}
	case to == pcp.Double && signed:
		for i := range dst {
			dst[i] = word64(float64(int64(a[i])))
		}
	case to == pcp.Double:
		for i := range dst {
			dst[i] = word64(float64(a[i]))
		}
	case signed:
		for i := range dst {
			dst[i] = word32(float32(int64(a[i])))
		}
	default:
		for i := range dst {
			dst[i] = word32(float32(a[i]))
		}
	}
}

func rescale(dst []uint64, divisor, multiplier float64) {
	if divisor == 1 && multiplier == 1 {
		return
	}
	for i, w := range dst {
		dst[i] = word64(f64(w) / divisor * multiplier)
	}
}
