package format

import (
	"math"
	"strconv"

	"pmtools/lib/pcp"
)

// AppendReal appends f in about four digits, right aligned in width characters, as pmval does
// without a precision: the decimal points of numbers below ten thousand are
// aligned, other numbers have an exponent. A narrow width shortens only the padding of the digits;
// a number that fills the field is left aligned.
func AppendReal(dst []byte, f float64, width int) []byte {
	switch {
	case f == 0:
		return append(appendField(dst, f, 'f', 0, width-5), ".0   "...)
	case f < 0.1 || f > 9999:
		return appendField(dst, f, 'E', 3, width)
	case f <= 0.9999:
		return appendField(dst, f, 'f', 4, width)
	case f <= 9.999:
		return append(appendField(dst, f, 'f', 3, width-1), ' ')
	case f <= 99.99:
		return append(appendField(dst, f, 'f', 2, width-2), "  "...)
	case f <= 999.9:
		return append(appendField(dst, f, 'f', 1, width-3), "   "...)
	}
	return append(appendField(dst, f, 'f', 0, width-5), ".    "...)
}

// AppendFixed appends f with prec digits after the point, right aligned in at least width
// characters.
func AppendFixed(dst []byte, f float64, width, prec int) []byte {
	return appendField(dst, f, 'f', prec, width)
}

// AppendShort appends the fewest digits that stand for f among numbers of some bits (32 or 64),
// without an exponent in the usual range.
func AppendShort(dst []byte, f float64, bits int) []byte {
	if abs := math.Abs(f); f == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, bits)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

// appendField appends f as C's printf does for f and E; a negative width aligns left.
func appendField(dst []byte, f float64, conversion byte, prec, width int) []byte {
	var buf [32]byte
	digits := appendLong(buf[:0], f, conversion, prec)
	for range width - len(digits) {
		dst = append(dst, ' ')
	}
	return alignLeft(append(dst, digits...), len(dst), -width)
}

func appendLong(dst []byte, f float64, conversion byte, prec int) []byte {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(dst, f, conversion, prec, 64)
	}
	dst = pcp.AppendG(dst, f, 0)
	for i, c := range dst {
		if conversion == 'E' && c >= 'a' {
			dst[i] = c - 'a' + 'A'
		}
	}
	return dst
}

func alignLeft(dst []byte, start, width int) []byte {
	for len(dst)-start < width {
		dst = append(dst, ' ')
	}
	return dst
}

// scaled is a row of pmNumberStr's table: numbers from limit on are divided by unit and get the suffix.
type scaled struct {
	limit, unit float64
	suffix      byte
}

// Negative numbers pass to the next unit a digit earlier, which leaves room for the sign.
var (
	scaledUp   = [...]scaled{{999995e6, 1e12, 'T'}, {999995e3, 1e9, 'G'}, {999995, 1e6, 'M'}, {999.995, 1e3, 'K'}, {0.005, 1, ' '}}
	scaledDown = [...]scaled{{99995e6, 1e12, 'T'}, {99995e3, 1e9, 'G'}, {99995, 1e6, 'M'}, {99.995, 1e3, 'K'}, {0.005, 1, ' '}}
)

// AppendScaled appends f in exactly seven characters, with the suffix K, M, G or T where it is
// needed, as pmNumberStr does.
func AppendScaled(dst []byte, f float64) []byte {
	rows, inf, limit := &scaledUp, " inf?  ", 999995e9
	if f < 0 {
		rows, inf, limit = &scaledDown, "-inf?  ", 99995e9
	}
	abs := math.Abs(f)
	if abs >= limit {
		return append(dst, inf...)
	}
	for _, r := range rows {
		if abs >= r.limit {
			start := len(dst)
			dst = strconv.AppendFloat(dst, f/r.unit, 'f', 2, 64)
			return append(alignRight(dst, start, 6), r.suffix)
		}
	}
	return append(dst, "  0.00 "...)
}
