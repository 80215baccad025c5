package when

import (
	"strings"

	"pmtools/internal/ctext"
)

type kind int

// The kinds. Punctuation is its own kind: the value of its character.
const (
	illegal kind = iota
	unsigned
	signed
	half // am or pm; value is 0 or 12
	monthName
	dayName
	zoneName   // value is minutes west of UTC
	summerName // the same, with an hour of daylight saving on top
	summerTime // the word dst
	secondUnit // value is seconds
	monthUnit  // value is months
	dayUnit    // value is days; the time of day becomes midnight
	agoWord
	endOfText
)

type token struct {
	kind  kind
	value int64
}

// maxDigits is the longest number that is accepted, leading zeros aside.
const maxDigits = 15

// scanFree splits a free-form date into tokens, the last one endOfText. It omits text in parentheses, and
// signs without a number.
func scanFree(s string) []token {
	var list []token
	for pos := 0; ; {
		pos = skipSpace(s, pos)
		if pos >= len(s) {
			return append(list, token{kind: endOfText})
		}
		c := s[pos]
		switch {
		case ctext.IsDigit(c):
			var t token
			t, pos = scanNumber(s, pos, unsigned)
			list = append(list, t)
		case (c == '+' || c == '-') && pos+1 < len(s) && ctext.IsDigit(s[pos+1]):
			t, end := scanNumber(s, pos+1, signed)
			if c == '-' {
				t.value = -t.value
			}
			list, pos = append(list, t), end
		case c == '+' || c == '-':
			pos++
		case ctext.IsLetter(c):
			start := pos
			for pos < len(s) && (ctext.IsLetter(s[pos]) || s[pos] == '.') {
				pos++
			}
			if !joinsDateAndTime(s, start, pos) {
				list = append(list, classify(strings.ToLower(s[start:pos])))
			}
		case c == '(':
			pos = skipComment(s, pos)
		case c == ':' || c == '/' || c == ',':
			list = append(list, token{kind: kind(c)})
			pos++
		default:
			return append(list, token{kind: illegal})
		}
	}
}

func scanNumber(s string, pos int, k kind) (token, int) {
	t := token{kind: k}
	digits := 0
	for ; pos < len(s) && ctext.IsDigit(s[pos]); pos++ {
		if digits > 0 || s[pos] != '0' {
			digits++
		}
		if digits <= maxDigits {
			t.value = t.value*10 + int64(s[pos]-'0')
		}
	}
	if digits > maxDigits {
		t.kind = illegal
	}
	return t, pos
}

// skipComment returns the position after the closing parenthesis, or the end.
func skipComment(s string, pos int) int {
	depth := 0
	for ; pos < len(s); pos++ {
		switch s[pos] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return pos + 1
		}
	}
	return pos
}

// joinsDateAndTime reports whether s[start:end] is the T between date and time in ISO 8601; elsewhere T is
// a zone.
func joinsDateAndTime(s string, start, end int) bool {
	return end == start+1 && s[start] == 'T' && start > 0 && ctext.IsDigit(s[start-1]) && end < len(s) && ctext.IsDigit(s[end])
}
