package pmcd

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// prepare makes different spellings of a user name or password equal (SASLprep, RFC 4013): special spaces
// become ordinary ones, invisible characters go, the rest is normalised, and controls are rejected.
// Characters newer than Unicode 3.2 are accepted, as in queries.
func prepare(text string) (string, error) {
	text = norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unseen, r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return r
	}, text))
	left, right := false, false
	for _, r := range text {
		if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Co, r) || unicode.Is(refused, r) || r&0xfffe == 0xfffe {
			return "", fmt.Errorf("character %U is not allowed", r)
		}
		left, right = left || direction(r) < 0, right || direction(r) > 0
	}
	if runes := []rune(text); right && (left || direction(runes[0]) < 1 || direction(runes[len(runes)-1]) < 1) {
		return "", fmt.Errorf("text from right to left is mixed with other text")
	}
	return text, nil
}

// direction returns -1 for a character written from left to right, 1 for right to left, and 0 for a neutral
// one.
func direction(r rune) int {
	if r < 0x80 && !('a' <= r|0x20 && r|0x20 <= 'z') {
		return 0
	}
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.L:
		return -1
	case bidi.R, bidi.AL:
		return 1
	}
	return 0
}

// unseen are the characters that are mapped to nothing (RFC 3454, table B.1).
var unseen = &unicode.RangeTable{R16: []unicode.Range16{
	{0x00ad, 0x00ad, 1}, {0x034f, 0x034f, 1}, {0x1806, 0x1806, 1}, {0x180b, 0x180d, 1}, {0x200b, 0x200d, 1}, {0x2060, 0x2060, 1}, {0xfe00, 0xfe0f, 1}, {0xfeff, 0xfeff, 1},
}}

// refused are prohibited characters besides controls and private use (RFC 3454, tables C.2.2 and C.4 to C.9).
var refused = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0340, 0x0341, 1}, {0x06dd, 0x06dd, 1}, {0x070f, 0x070f, 1}, {0x180e, 0x180e, 1}, {0x200c, 0x200f, 1}, {0x2028, 0x202e, 1}, {0x2060, 0x2063, 1},
		{0x206a, 0x206f, 1}, {0x2ff0, 0x2ffb, 1}, {0xd800, 0xdfff, 1}, {0xfdd0, 0xfdef, 1}, {0xfff9, 0xfffd, 1},
	},
	R32: []unicode.Range32{{0x1d173, 0x1d17a, 1}, {0xe0001, 0xe0001, 1}, {0xe0020, 0xe007f, 1}},
}
