// Package ctext reads text as the C library does in its default locale.
package ctext

import (
	"math"
	"strconv"
	"strings"
)

// Space is the white space of C.
const Space = " \t\n\v\f\r"

// IsSpace reports whether c is white space.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool { return IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsAlnum reports whether c is a letter or a digit.
func IsAlnum(c byte) bool { return IsDigit(c) || IsLetter(c) }

// HasPrefixFold reports whether s begins with prefix, which is ASCII, in any case.
func HasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Caret returns the line that the reference prints below a text, newline included: a caret after
// the text before the error, and the reason. Characters that are not printable take the same width
// as above.
func Caret(before, reason string) string {
	b := []byte(before)
	for i, c := range b {
		if c > ' ' && c < 0x7f {
			b[i] = ' '
		}
	}
	return string(b) + "^ -- " + reason + "\n"
}

// Float reads the number at the start of s as strtod does, without the white space that strtod
// skips. It returns the length of the number's text, 0 if there is none, and whether the value is
// out of range (in C, ERANGE).
func Float(s string) (f float64, n int, outOfRange bool) {
	i := 0
	neg := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		neg = s[i] == '-'
		i++
	}
	if f, k := floatWord(s[i:]); k > 0 {
		if neg {
			f = math.Copysign(f, -1)
		}
		return f, i + k, false
	}
	end, hex := floatEnd(s, i)
	if end == 0 {
		return 0, 0, false
	}
	text := s[:end]
	if hex && !strings.ContainsAny(text, "pP") {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	outOfRange = err != nil
	if abs := math.Abs(f); abs < 0x1p-1022 && !hex {
		// Tiny decimal fractions are never exact; C reports that as out of range.
		mantissa := text[:strings.IndexAny(text+"e", "eE")]
		outOfRange = outOfRange || abs > 0 || strings.ContainsAny(mantissa, "123456789")
	}
	return f, end, outOfRange
}

// floatWord recognises the words that strtod takes for numbers.
func floatWord(s string) (f float64, n int) {
	switch {
	case HasPrefixFold(s, "infinity"):
		return math.Inf(1), len("infinity")
	case HasPrefixFold(s, "inf"):
		return math.Inf(1), len("inf")
	case !HasPrefixFold(s, "nan"):
		return 0, 0
	}
	n = len("nan")
	if n < len(s) && s[n] == '(' {
		k := n + 1
		for k < len(s) && (s[k] == '_' || IsAlnum(s[k])) {
			k++
		}
		if k < len(s) && s[k] == ')' {
			n = k + 1
		}
	}
	return math.Float64frombits(0x7ff8000000000000), n // C's, not Go's
}

// floatEnd returns the end of the number at i, 0 without a digit, and whether it is hexadecimal.
func floatEnd(s string, i int) (end int, hex bool) {
	if i+1 < len(s) && s[i] == '0' && s[i+1]|0x20 == 'x' {
		if end := mantissaEnd(s, i+2, IsHex); end > 0 {
			return exponentEnd(s, end, 'p'), true
		}
	}
	if end = mantissaEnd(s, i, IsDigit); end > 0 {
		return exponentEnd(s, end, 'e'), false
	}
	return 0, false
}

// mantissaEnd returns the end of the digits with at most one point at i, or 0.
func mantissaEnd(s string, i int, digit func(byte) bool) int {
	digits, point := false, false
	for ; i < len(s) && (digit(s[i]) || s[i] == '.' && !point); i++ {
		digits = digits || s[i] != '.'
		point = point || s[i] == '.'
	}
	if !digits {
		return 0
	}
	return i
}

// exponentEnd returns the end of the exponent at i, or i if there is none.
func exponentEnd(s string, i int, letter byte) int {
	k := i
	if k >= len(s) || s[k]|0x20 != letter {
		return i
	}
	if k++; k < len(s) && (s[k] == '+' || s[k] == '-') {
		k++
	}
	if k >= len(s) || !IsDigit(s[k]) {
		return i
	}
	for k < len(s) && IsDigit(s[k]) {
		k++
	}
	return k
}
