package derivetest

import (
	"errors"
	"strings"
)

type word struct {
	text   string
	quoted bool
	more   string // what stands at the end of a quoted word: the x3 of "up"x3
}

func (w word) is(text string) bool { return !w.quoted && w.text == text }

// words splits a line at blanks. A word in quotes may have blanks in it; a backslash takes the
// special meaning from a quote and a backslash. A # at the beginning of a word ends the line.
func words(line string) ([]word, error) {
	var list []word
	for {
		line = strings.TrimLeft(line, " \t\r")
		switch {
		case line == "", line[0] == '#':
			return list, nil
		case line[0] == '"':
			w, rest, err := quotedWord(line[1:])
			if err != nil {
				return nil, err
			}
			list, line = append(list, w), rest
		default:
			n := strings.IndexAny(line, " \t\r")
			if n < 0 {
				n = len(line)
			}
			list, line = append(list, word{text: line[:n]}), line[n:]
		}
	}
}

func quotedWord(line string) (w word, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == '"':
			rest = line[i+1:]
			n := strings.IndexAny(rest, " \t\r")
			if n < 0 {
				n = len(rest)
			}
			return word{text: b.String(), quoted: true, more: rest[:n]}, rest[n:], nil
		default:
			b.WriteByte(c)
		}
	}
	return word{}, "", errors.New("a quote is not closed")
}

func quoteWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\r\"\\#") && !keywords[text] {
		return text
	}
	return quoted(text)
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
