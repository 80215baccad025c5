package syntax

import "strings"

// caret returns the line that stands below a text in messages about configuration files: a caret at
// the position and the text's own white space; every other byte is a blank. It is as long as the
// text, so it may end in blanks.
func caret(text string, pos Pos) string {
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
