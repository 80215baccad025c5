package format

import (
	"math"
	"strconv"
	"unicode"

	"pmtools/lib/pcp"
)

// AppendReal appends f in about four digits, right aligned in width characters, as pmval does where
// no precision is asked for (commands.md T6.4): the decimal points of numbers below ten thousand
// stand below each other, other numbers have an exponent. Narrow widths shorten only the digits'
// own padding, so that less than a field is left for some numbers, which then stand at its left.
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

// appendField appends f as C's printf does for the conversions f and E; a negative width aligns
// left.
func appendField(dst []byte, f float64, conversion byte, prec, width int) []byte {
	start := len(dst)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		dst = pcp.AppendG(dst, f, 0)
		if conversion == 'E' {
			for i, c := range dst[start:] {
				dst[start+i] = byte(unicode.ToUpper(rune(c)))
			}
		}
	case prec == 0 && f < 1e15 && f > -1e15:
		dst = appendWhole(dst, f)
	default:
		dst = strconv.AppendFloat(dst, f, conversion, prec, 64)
	}
	if width < 0 {
		return alignLeft(dst, start, -width)
	}
	return alignRight(dst, start, width)
}

// appendWhole appends a number without its fraction, half to even.
func appendWhole(dst []byte, f float64) []byte {
	r := math.RoundToEven(f)
	if r == 0 && math.Signbit(r) {
		return append(dst, "-0"...)
	}
	return strconv.AppendInt(dst, int64(r), 10)
}

// alignLeft adds blanks to what follows start, so that it is at least width wide.
func alignLeft(dst []byte, start, width int) []byte {
	for len(dst)-start < width {
		dst = append(dst, ' ')
	}
	return dst
}

// scaled is a row of the table of pmNumberStr: numbers from limit on are divided by unit and get
// the suffix.
type scaled struct {
	limit, unit float64
	suffix      byte
}

// The rows for numbers of either sign, the largest first. Negative numbers pass to the next unit a
// digit earlier, which leaves room for the sign.
var (
	scaledUp   = [...]scaled{{999995e6, 1e12, 'T'}, {999995e3, 1e9, 'G'}, {999995, 1e6, 'M'}, {999.995, 1e3, 'K'}, {0.005, 1, ' '}}
	scaledDown = [...]scaled{{99995e6, 1e12, 'T'}, {99995e3, 1e9, 'G'}, {99995, 1e6, 'M'}, {99.995, 1e3, 'K'}, {0.005, 1, ' '}}
)

// AppendScaled appends f in exactly seven characters, with the suffix K, M, G or T where it is
// needed, as pmNumberStr does (values.md V8.3).
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
