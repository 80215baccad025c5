package archive

import (
	"math"
	"math/bits"

	"pmtools/lib/pcp"
)

// clock converts between time stamps, nanoseconds since the start of a Set, and seconds since then.
//
// The reference computes a time in seconds with the 64-bit mantissas of its machine and rounds the
// sum once more, to a double. So that interpolated values are the same to the last bit, it is done
// here with integers.
type clock struct {
	base pcp.Timestamp // the start of the Set
}

// rel returns a time as nanoseconds since the start of the Set. Times that cannot be in an
// undamaged archive are clamped.
func (c *clock) rel(t pcp.Timestamp) int64 {
	const limit = 1 << 33 // seconds
	sec := t.Sec - c.base.Sec
	switch {
	case t.Sec > c.base.Sec && (sec < 0 || sec > limit):
		sec = limit
	case t.Sec < c.base.Sec && (sec > 0 || sec < -limit):
		sec = -limit
	}
	return sec*1e9 + int64(t.Nsec) - int64(c.base.Nsec)
}

const nano = 1_000_000_000

// seconds converts nanoseconds since the start of the Set to seconds.
func (c *clock) seconds(ns int64) float64 {
	// The reference adds the difference of the seconds to that of the nanoseconds, so the split is at
	// the second of the time stamp, not at whole seconds since the start.
	base := int64(c.base.Nsec) % nano
	frac := (base + ns%nano) % nano
	if frac < 0 {
		frac += nano
	}
	frac -= base // difference of the two fractions
	return sumSeconds((ns-frac)/nano, frac)
}

// fraction is the number of fractional bits of a sum: 64, and the leading zeros that a quotient may have.
const fraction = 94

// sumSeconds returns sec + ns/1e9, with the quotient and the sum rounded to 64 bits before the sum
// is rounded to a float64. ns is more than -1e9 and less than 1e9.
func sumSeconds(sec, ns int64) float64 {
	switch {
	case sec < 0 || sec == 0 && ns < 0:
		return -sumSeconds(-sec, -ns)
	case ns == 0 || sec >= 1<<(127-fraction): // no room for sec above the fraction: only clamped times
		return float64(sec) + float64(ns)/nano
	}
	n := uint64(max(ns, -ns))
	q, _ := bits.Div64(n, 0, nano)
	// The first quotient only shows its leading zeros. Shifted by them, n gives one of 64 significant
	// bits, and a remainder to round it by.
	zeros := bits.LeadingZeros64(q)
	q, rem := bits.Div64(n<<zeros, 0, nano)
	if 2*rem > nano || 2*rem == nano && q&1 == 1 {
		q++ // the quotient is never all ones
	}
	hi, lo := uint64(sec)<<(fraction-64), uint64(0)
	qhi, qlo := q>>(64-(fraction-64-zeros)), q<<(fraction-64-zeros)
	var carry uint64
	if ns > 0 {
		lo, carry = bits.Add64(lo, qlo, 0)
		hi, _ = bits.Add64(hi, qhi, carry)
	} else {
		lo, carry = bits.Sub64(lo, qlo, 0)
		hi, _ = bits.Sub64(hi, qhi, carry)
	}
	return roundTwice(hi, lo)
}

// roundTwice returns a number of 128 bits, with fraction fractional bits, rounded to 64 bits and
// then to a float64, both times to nearest, ties to even.
func roundTwice(hi, lo uint64) float64 {
	zeros := bits.LeadingZeros64(hi)
	if hi == 0 {
		zeros += bits.LeadingZeros64(lo)
		hi, lo = lo, 0
		hi <<= zeros & 63
	} else {
		hi, lo = hi<<zeros|lo>>(64-zeros), lo<<zeros
	}
	if lo > 1<<63 || lo == 1<<63 && hi&1 == 1 {
		if hi++; hi == 0 { // the carry went beyond 64 bits
			hi, zeros = 1<<63, zeros-1
		}
	}
	return math.Ldexp(float64(hi), 64-fraction-zeros)
}
