package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Caret returns the line that stands below a text in messages about configuration files: a caret at
// the position and the text's own white space; every other byte is a blank. It is as long as the
// text, so it may end in blanks.
func Caret(text string, pos Pos) string {
	line := []byte(text)
	for i, c := range line {
		switch {
		case i == int(pos):
			line[i] = '^'
		case !isSpace(c):
			line[i] = ' '
		}
	}
	return string(line)
}

// CaretOffset returns the line that stands below a text in messages about single definitions: as
// many blanks as the offset and a caret. The place before an empty text counts as offset 1.
func CaretOffset(pos Pos) string {
	if pos < 0 {
		pos = 1
	}
	return strings.Repeat(" ", int(pos)) + "^"
}

// Snippet draws an error for people: the line of src where it is, a caret below the place and, if
// there is one, the message, each with a newline. Tabs are kept and wide characters are given two
// columns, so the caret is in its place on a terminal.
func Snippet(src string, err *Error) string {
	pos := min(max(int(err.Pos), 0), len(src))
	start := strings.LastIndexByte(src[:pos], '\n') + 1
	line, _, _ := strings.Cut(src[start:], "\n")
	var b strings.Builder
	b.WriteString(line)
	b.WriteByte('\n')
	for rest := src[start:pos]; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		for range columns(r) {
			b.WriteByte(' ')
		}
	}
	b.WriteString("^\n")
	if err.Msg != "" {
		b.WriteString(err.Msg)
		b.WriteByte('\n')
	}
	return b.String()
}

// columns returns how many columns of a terminal a character takes.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide has the blocks of characters of two columns: East Asian scripts, full-width forms and
// pictographs.
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
