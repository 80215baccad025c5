// Package textwidth measures and cuts text for terminals.
package textwidth

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Columns returns how many columns of a terminal a character takes.
func Columns(r rune) int {
	switch {
	case ' ' <= r && r <= '~':
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Width returns how many columns of a terminal a text takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += Columns(r)
	}
	return n
}

// Cut cuts a text to at most n columns, with an ellipsis at its end if something is cut off and
// there is room for it. An n below 1 cuts nothing.
func Cut(s string, n int) string {
	if n < 1 || len(s) <= n || Width(s) <= n {
		return s
	}
	end := "..."
	if n < 2*len(end) {
		end = ""
	}
	used := len(end)
	for i, r := range s {
		if used += Columns(r); used > n {
			return s[:i] + end
		}
	}
	return s
}

// Few returns the first texts of a list, and how many there are besides.
func Few(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// Middle cuts a text to at most n columns, with an ellipsis in its middle, because names differ at both
// of their ends. An n below 1 cuts nothing.
func Middle(s string, n int) string {
	if n < 1 || len(s) <= n || Width(s) <= n {
		return s
	}
	end, used := 0, 0
	for {
		r, size := utf8.DecodeRuneInString(s[end:])
		if used += Columns(r); used > n/2 {
			break
		}
		end += size
	}
	start, used := len(s), 1+Width(s[:end])
	for start > end {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if used += Columns(r); used > n {
			break
		}
		start -= size
	}
	return s[:end] + "…" + s[start:]
}

// Distinct cuts names to at most n columns by Middle, or to so many more that names which differ do not
// look alike.
func Distinct(names []string, n int) []string {
	different := countDifferent(names)
	cut := make([]string, len(names))
	for {
		longer := false
		for i, name := range names {
			cut[i] = Middle(name, n)
			longer = longer || cut[i] != name
		}
		if n < 1 || !longer || countDifferent(cut) == different {
			return cut
		}
		n += 1 + n/8
	}
}

// countDifferent returns how many names there are, those that come again not counted.
func countDifferent(names []string) int {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[name] = true
	}
	return len(seen)
}

// Wrap breaks a text at blanks into lines of at most n columns; a word that is longer has a line of
// its own. An n below 1 breaks nothing.
func Wrap(s string, n int) []string {
	if n < 1 || Width(s) <= n {
		return []string{s}
	}
	var lines []string
	line := ""
	for i, word := range strings.Split(s, " ") {
		if i > 0 && Width(line)+1+Width(word) > n && strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " "))
			line = word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Pad returns a text with the blanks that make it n columns wide: in front of it, so that it is
// aligned at its right, or after it.
func Pad(s string, n int, right bool) string { return string(AppendPad(nil, s, n, right)) }

// AppendPad appends what Pad returns.
func AppendPad(dst []byte, s string, n int, right bool) []byte {
	if !right {
		dst = append(dst, s...)
	}
	for range n - Width(s) {
		dst = append(dst, ' ')
	}
	if right {
		dst = append(dst, s...)
	}
	return dst
}

// Clean returns a text on one line, without characters that a terminal obeys: each is a blank.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if Obeyed(r) {
			return ' '
		}
		return r
	}, s)
}

// Obeyed reports whether a terminal obeys a character instead of showing it: a control character
// (C0 or C1), one that turns the direction of text, or one that ends a line or a paragraph.
func Obeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// wide has East Asian scripts, full-width forms and pictographs.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}
