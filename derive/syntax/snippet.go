package syntax

import (
	"strings"
	"unicode/utf8"

	"pmtools/internal/textwidth"
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
		for range textwidth.Columns(r) {
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
