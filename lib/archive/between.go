package archive

import (
	"math"

	"pmtools/lib/pcp"
)

// between returns the value at time t between two samples, neither of which is at t (archive.md A13.7).
func (in *interp) between(d *pcp.Desc, t int64, low, high *sample) *sample {
	switch {
	case d.Sem == pcp.Counter:
		in.made = sample{kind: isValue, at: t, word: in.linear(d.Type, t, low, high)}
		return &in.made
	case !d.Type.Arithmetic() || high.kind != isValue:
		return low
	case in.seconds(t) <= (in.seconds(low.at)+in.seconds(high.at))/2:
		return low
	default:
		return high
	}
}

// linear returns the value of a counter between two samples, by the reference's formulas to the last bit:
// each product is rounded.
func (in *interp) linear(typ pcp.Type, t int64, low, high *sample) uint64 {
	from := in.seconds(low.at)
	f, s := in.seconds(t)-from, in.seconds(high.at)-from
	// The conversion keeps the compiler from fusing the product with the sum that follows: a fused
	// sum is rounded once less than that of the reference.
	part := func(diff float64) float64 { return float64(f*diff) / s }
	p, n := low.word, high.word
	switch typ {
	case pcp.Int32:
		a, b := int32(p), int32(n)
		if b < a && in.wrap {
			// The reference leaves out the base here (archive.md A22.4).
			return uint64(int64(int32(uint32(a) + toUint32(0.5+part(float64(uint32(b-a)))))))
		}
		return uint64(int64(toInt32(0.5 + float64(a) + part(float64(b-a)))))
	case pcp.Uint32:
		a, b := uint32(p), uint32(n)
		switch {
		case b >= a:
			return uint64(toUint32(0.5 + float64(a) + part(float64(b-a))))
		case in.wrap:
			return uint64(a + toUint32(0.5+part(float64(b-a))))
		}
		return uint64(toUint32(0.5 + float64(a) - part(float64(a-b))))
	case pcp.Int64:
		return uint64(toInt64(0.5 + float64(int64(p)) + part(float64(int64(n-p)))))
	case pcp.Uint64:
		if n >= p || in.wrap { // n-p is modulo 2^64, which is the growth of a counter that wrapped
			return toUint64(0.5 + float64(p) + part(float64(n-p)))
		}
		return toUint64(0.5 + float64(p) - part(float64(p-n)))
	case pcp.Float:
		a, b := math.Float32frombits(uint32(p)), math.Float32frombits(uint32(n))
		return uint64(math.Float32bits(float32(float64(a) + part(float64(b-a)))))
	default:
		a, b := math.Float64frombits(p), math.Float64frombits(n)
		return math.Float64bits(a + part(b-a))
	}
}

// The conversions of the reference's machine: towards zero, and the smallest number for a value
// that does not fit.

func toInt32(x float64) int32 {
	if x > -1<<31-1 && x < 1<<31 {
		return int32(x)
	}
	return math.MinInt32
}

func toUint32(x float64) uint32 { return uint32(toInt64(x)) }

func toInt64(x float64) int64 {
	if x >= -1<<63 && x < 1<<63 {
		return int64(x)
	}
	return math.MinInt64
}

func toUint64(x float64) uint64 {
	switch {
	case x < 1<<63:
		return uint64(toInt64(x))
	case x < 1<<64:
		return uint64(toInt64(x-1<<63)) + 1<<63
	default:
		return 0
	}
}
