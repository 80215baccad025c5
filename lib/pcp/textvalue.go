package pcp

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"pmtools/internal/ctext"
	"pmtools/lib/pmerr"
)

// errRange is the system's error for a number out of range, ERANGE.
const errRange pmerr.Code = -34

// ParseValue reads a value of type t as pmstore does: decimal numbers, and hexadecimal ones for the
// integer types. White space and a plus sign may precede the number, nothing may follow it, and the
// empty text is zero. The error is pmerr.Type if text is not of the type or the type has no text
// form, and the system's "Numerical result out of range" for a number out of range.
func ParseValue(t Type, text string) (Value, error) {
	if t == String {
		return BlobValue(t, []byte(text)), nil
	}
	if !t.Arithmetic() {
		return Value{}, pmerr.Type
	}
	body := strings.TrimLeft(text, ctext.Space)
	if body == "" {
		if text != "" {
			return Value{}, pmerr.Type
		}
		return WordValue(t, 0), nil
	}
	if t == Float || t == Double {
		return parseFloatValue(t, body)
	}
	return parseIntValue(t, body)
}

func parseFloatValue(t Type, s string) (Value, error) {
	if isHexText(s) {
		return Value{}, pmerr.Type
	}
	f, n, outOfRange := ctext.Float(s)
	if n != len(s) {
		return Value{}, pmerr.Type
	}
	if outOfRange {
		return Value{}, errRange
	}
	if t == Double {
		return DoubleValue(f), nil
	}
	const smallestNormal = 0x1p-126
	if abs := math.Abs(f); abs > math.MaxFloat32 || abs != 0 && abs < smallestNormal {
		return Value{}, errRange
	}
	return FloatValue(float32(f)), nil
}

// isHexText reports whether s is "0x" and hexadecimal digits, perhaps after a minus sign.
func isHexText(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return ctext.HasPrefixFold(s, "0x") && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
}

func parseIntValue(t Type, s string) (Value, error) {
	base := 10
	digits := s
	if isHexText(s) {
		base = 16
	}
	neg := digits[0] == '-'
	if neg || digits[0] == '+' {
		digits = digits[1:]
	}
	if base == 16 {
		digits = digits[2:]
	}
	if digits == "" || base == 10 && strings.Trim(digits, "0123456789") != "" {
		return Value{}, pmerr.Type
	}
	w, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return Value{}, errRange
	}
	if neg {
		// As in C, a minus sign before an unsigned number negates modulo 2^64.
		w = -w
	}
	ok := true
	switch t {
	case Int32:
		ok = fitsSigned(w, neg) && int64(w) == int64(int32(w))
	case Uint32:
		ok = w <= math.MaxUint32
	case Int64:
		ok = fitsSigned(w, neg)
	}
	if !ok {
		return Value{}, errRange
	}
	return WordValue(t, w), nil
}

// fitsSigned reports whether w, negated if neg, is in the range of 64-bit signed integers.
func fitsSigned(w uint64, neg bool) bool { return w == 0 || neg == (int64(w) < 0) }
