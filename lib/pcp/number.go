package pcp

import (
	"math"
	"strconv"
	"strings"
)

// AppendG appends f to dst as C's printf does for %.<prec>g.
func AppendG(dst []byte, f float64, prec int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		if math.IsNaN(f) {
			return append(dst, "nan"...)
		}
		return append(dst, "inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', max(prec, 1), 64)
}

// scanFloat reads the number at the start of s as C's strtod does, without the
// white space that strtod skips. It returns the length of the number's text, 0
// if there is none, and whether the value is out of range (in C, ERANGE).
func scanFloat(s string) (f float64, n int, outOfRange bool) {
	i := 0
	neg := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		neg = s[i] == '-'
		i++
	}
	if f, k := scanFloatWord(s[i:]); k > 0 {
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
		outOfRange = outOfRange || abs > 0 || hasNonZeroDigit(text)
	}
	return f, end, outOfRange
}

// scanFloatWord recognises the words that strtod takes for numbers.
func scanFloatWord(s string) (f float64, n int) {
	switch {
	case hasPrefixFold(s, "infinity"):
		return math.Inf(1), len("infinity")
	case hasPrefixFold(s, "inf"):
		return math.Inf(1), len("inf")
	case !hasPrefixFold(s, "nan"):
		return 0, 0
	}
	n = len("nan")
	if n < len(s) && s[n] == '(' {
		k := n + 1
		for k < len(s) && (s[k] == '_' || isAlnum(s[k])) {
			k++
		}
		if k < len(s) && s[k] == ')' {
			n = k + 1
		}
	}
	return math.Float64frombits(0x7ff8000000000000), n // C's, not Go's
}

// floatEnd returns where the digits, point and exponent that start at i end, 0
// if there is no digit, and whether they are hexadecimal.
func floatEnd(s string, i int) (end int, hex bool) {
	if i+1 < len(s) && s[i] == '0' && s[i+1]|0x20 == 'x' {
		if end := mantissaEnd(s, i+2, isHex); end > 0 {
			return exponentEnd(s, end, 'p'), true
		}
	}
	if end = mantissaEnd(s, i, isDigit); end > 0 {
		return exponentEnd(s, end, 'e'), false
	}
	return 0, false
}

// mantissaEnd returns the end of the digits with at most one point at i, or 0.
func mantissaEnd(s string, i int, digit func(byte) bool) int {
	digits, point := 0, false
	for ; i < len(s); i++ {
		switch {
		case digit(s[i]):
			digits++
			continue
		case s[i] == '.' && !point:
			point = true
			continue
		}
		break
	}
	if digits == 0 {
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
	if k >= len(s) || !isDigit(s[k]) {
		return i
	}
	for k < len(s) && isDigit(s[k]) {
		k++
	}
	return k
}

// hasNonZeroDigit reports whether the mantissa of a decimal number has a digit
// other than 0.
func hasNonZeroDigit(s string) bool {
	for i := range len(s) {
		switch {
		case s[i]|0x20 == 'e':
			return false
		case s[i] >= '1' && s[i] <= '9':
			return true
		}
	}
	return false
}

// hasPrefixFold reports whether s begins with prefix, in any case. The prefix is
// ASCII in lower case but may have upper case letters.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isAlnum(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
