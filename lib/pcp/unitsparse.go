package pcp

import (
	"math/big"
	"strconv"
	"strings"

	"pmtools/internal/ctext"
	"pmtools/lib/pmerr"
)

// This file reads texts of units (values.md V5):
//
//	units = side [ "/" side ]
//	side  = { number | base | extra }
//	base  = word [ "^" power ]
//	extra = kind " (" scale ")"
//
// A side's numbers multiply; each of the three dimensions may occur once in it, and one
// extra unit, such as a temperature.

// A UnitsError is the mistake in a text of units. errors.Is finds pmerr.Conv in it.
type UnitsError struct {
	Text string // the mistake, in the words of the reference
}

// Error returns e.Text.
func (e *UnitsError) Error() string { return e.Text }

// Unwrap returns pmerr.Conv.
func (e *UnitsError) Unwrap() error { return pmerr.Conv }

const (
	badUnit     = "unrecognized or duplicate base unit"
	badNumber   = "invalid floating point literal"
	badExtra    = "multiple extra units not allowed"
	bothExtra   = "extra units cannot appear in both dividend and divisor"
	badTimeUnit = "time unit without a known scale"
)

const (
	space = iota
	tick
	count
)

var dimensionNames = [...]string{space: "space", tick: "time", count: "count"}

type unitSide struct {
	factor     float64
	dim, scale [3]int
	extra      int8
	extraScale uint8
}

// ParseUnits returns the units that s describes and the factor by which a value in those units must
// be multiplied to be expressed in the written ones: "2 mbyte/5s" is Mbyte / sec and 2.5. Errors
// are of type *UnitsError.
func ParseUnits(s string) (Units, float64, error) {
	over, under, _ := strings.Cut(s, "/")
	var a, b unitSide
	if msg := a.parse(over); msg != "" {
		return Units{}, 1, &UnitsError{msg}
	}
	if msg := b.parse(under); msg != "" {
		return Units{}, 1, &UnitsError{msg}
	}
	return combineSides(&a, &b)
}

// parse reads one side and returns the message of a mistake, or "".
func (u *unitSide) parse(s string) string {
	u.factor = 1
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case ctext.IsSpace(c):
			i++
		case c == '-' || c == '.' || ctext.IsDigit(c):
			f, n, outOfRange := ctext.Float(s[i:])
			if n == 0 || outOfRange {
				return badNumber
			}
			u.factor *= f
			i += n
		default:
			n, msg := u.unit(s[i:])
			if msg != "" {
				return msg
			}
			i += n
		}
	}
	return ""
}

// unit reads the extra or base unit at the start of s and returns its length.
func (u *unitSide) unit(s string) (int, string) {
	for kind := Temperature; kind <= Power; kind++ {
		name := extraKinds[kind].name
		if !ctext.HasPrefixFold(s, name) || !strings.HasPrefix(s[len(name):], " (") {
			continue
		}
		rest := s[len(name)+2:]
		for i, scale := range extraKinds[kind].scales {
			if ctext.HasPrefixFold(rest, scale) && strings.HasPrefix(rest[len(scale):], ")") {
				if u.extra != 0 {
					return 0, badExtra
				}
				u.extra, u.extraScale = kind, uint8(i+1)
				return len(name) + 2 + len(scale) + 1, ""
			}
		}
	}
	end := len(unitWord(s))
	dim, scale, ok := baseUnit(s[:end])
	if !ok || u.dim[dim] != 0 {
		return 0, badUnit
	}
	if dim == count && end == len("count") {
		n, exp := countScale(s[end:])
		end += n
		scale = exp
	}
	power := 1
	if end < len(s) && s[end] == '^' {
		var n int
		if power, n = unitPower(s[end+1:]); n == 0 {
			return 0, badUnit
		}
		end += 1 + n
	}
	u.dim[dim], u.scale[dim] = power, scale
	if power == 0 {
		u.scale[dim] = 0 // a unit to the power of zero has no scale
	}
	return end, ""
}

func baseUnit(word string) (dim, scale int, ok bool) {
	switch w := strings.ToLower(word); w {
	case "nanoseconds", "nanosecond", "nanosec", "ns":
		return tick, int(Nsec), true
	case "microseconds", "microsecond", "microsec", "us":
		return tick, int(Usec), true
	case "milliseconds", "millisecond", "millisec", "ms":
		return tick, int(Msec), true
	case "seconds", "second", "sec", "s":
		return tick, int(Sec), true
	case "minutes", "minute", "min":
		return tick, int(Min), true
	case "hours", "hour", "hr", "h":
		return tick, int(Hour), true
	case "byte", "bytes":
		return space, int(Byte), true
	case "count", "counts":
		return count, 0, true
	default:
		if n, ok := scaleNumber(w, "time-"); ok {
			return tick, n, true
		}
		if n, ok := scaleNumber(w, "space-"); ok {
			return space, n, true
		}
		scale, ok = spaceScale(w)
		return space, scale, ok
	}
}

func scaleNumber(w, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(w, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && n <= 15 && strconv.Itoa(n) == digits
}

// spacePrefixes are the decimal and the binary prefix of each scale from Kbyte on.
var spacePrefixes = [...][2]string{
	{"kilo", "kibi"}, {"mega", "mebi"}, {"giga", "gibi"}, {"tera", "tebi"},
	{"peta", "pebi"}, {"exa", "exbi"}, {"zetta", "zebi"}, {"yotta", "yobi"},
}

func spaceScale(w string) (int, bool) {
	for i, p := range spacePrefixes {
		rest, ok := strings.CutPrefix(w, p[0][:1])
		if !ok {
			continue
		}
		switch rest {
		case "b", "ib", "byte", "bytes":
			return i + 1, true
		}
		for _, prefix := range p {
			rest, ok = strings.CutPrefix(w, prefix)
			if ok && (rest == "byte" || rest == "bytes") {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// countScale reads the multiplier after "count", " x 10" or " x 10^n": its length and the power of ten.
func countScale(s string) (n, exp int) {
	const times = " x 10"
	if !ctext.HasPrefixFold(s, times) {
		return 0, 0
	}
	rest := s[len(times):]
	if strings.HasPrefix(rest, "^") {
		exp, n = unitPower(rest[1:])
		if n > 0 && exp >= -8 && exp <= 7 && exp != 0 && exp != 1 {
			return len(times) + 1 + n, exp
		}
		return len(times), 1
	}
	if rest == "" || ctext.IsSpace(rest[0]) {
		return len(times), 1
	}
	return 0, 0
}

// unitPower reads a power, -8 to 15 without leading zeros, up to the end of the unit, and its length, 0 for
// none.
func unitPower(s string) (power, n int) {
	text := unitWord(s)
	power, err := strconv.Atoi(text)
	if err != nil || power < -8 || power > 15 || strconv.Itoa(power) != text {
		return 0, 0
	}
	return power, len(text)
}

func unitWord(s string) string {
	if i := strings.IndexAny(s, "^"+ctext.Space); i >= 0 {
		return s[:i]
	}
	return s
}

// combineSides divides a by b (values.md V5.2).
func combineSides(a, b *unitSide) (Units, float64, error) {
	factor, msg := b.factor/a.factor, ""
	// The order of the dimensions decides the last bit of the factor.
	for _, d := range [...]int{space, count, tick} {
		if a.dim[d] == 0 || b.dim[d] == 0 {
			continue
		}
		if d == tick && (a.scale[d] > int(Hour) || b.scale[d] > int(Hour)) {
			return Units{}, 1, &UnitsError{badTimeUnit}
		}
		factor *= power(unitScale(d, a.scale[d]), -a.dim[d])
		factor *= power(unitScale(d, b.scale[d]), b.dim[d])
	}
	var dims, scales [3]int
	for d := range dims {
		switch dims[d] = a.dim[d] - b.dim[d]; {
		case dims[d] == 0:
		case a.dim[d] != 0 && b.dim[d] != 0:
			scales[d] = [...]int{space: int(Byte), tick: int(Sec), count: 0}[d]
		default:
			scales[d] = a.scale[d] + b.scale[d] // the dimension stands on one side only: the other scale is 0
		}
		if msg == "" && (dims[d] < -8 || dims[d] > 7) {
			msg = dimensionNames[d] + " dimension out of bounds"
		}
	}
	if msg == "" && a.extra != 0 && b.extra != 0 {
		msg = bothExtra
	}
	if msg != "" {
		return Units{}, 1, &UnitsError{msg}
	}
	u := Units{
		DimSpace: int8(dims[space]), DimTime: int8(dims[tick]), DimCount: int8(dims[count]),
		ScaleSpace: int8(scales[space]), ScaleTime: int8(scales[tick]), ScaleCount: int8(scales[count]),
		Extra: a.extra, ExtraScale: a.extraScale,
	}
	if b.extra != 0 {
		u.Extra, u.ExtraScale = -b.extra, b.extraScale
	}
	return u, factor, nil
}

// unitScale returns a scale of dimension d as a number of bytes, seconds or ones.
func unitScale(d, scale int) float64 {
	switch d {
	case space:
		return power(1024, scale)
	case count:
		return power(10, scale)
	}
	return [...]float64{Nsec: 1e-9, Usec: 1e-6, Msec: 1e-3, Sec: 1, Min: 60, Hour: 3600}[scale]
}

// power returns f^n for f other than zero, correctly rounded as in C libraries; math.Pow may miss the last bit.
func power(f float64, n int) float64 {
	base := new(big.Rat).SetFloat64(f)
	if n < 0 {
		base.Inv(base)
		n = -n
	}
	product := big.NewRat(1, 1)
	for range n {
		product.Mul(product, base)
	}
	f, _ = product.Float64()
	return f
}
