package main

import (
	"strings"

	"pmtools/derive/repl"
)

// Colours of a terminal.
const (
	red   = "\x1b[31m"
	plain = "\x1b[0m"
)

// paint returns text in a colour, if colours are wanted.
func (a *app) paint(s *repl.Session, color, text string) string {
	if !s.Color() {
		return text
	}
	return color + text + plain
}

// paintCaret paints the carets of an error: the lines that have nothing else.
func paintCaret(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if mark := strings.TrimSpace(line); mark != "" && strings.Trim(mark, "^~") == "" {
			lines[i] = red + strings.TrimRight(line, "\n") + plain + "\n"
		}
	}
	return strings.Join(lines, "")
}

// markColors are those of the marks of an item: of words, functions, numbers, texts, and where an
// expression is wrong.
var markColors = [...]string{"\x1b[1m", "\x1b[36m", "\x1b[35m", "\x1b[32m", red}

// A painter paints an item while it is typed. It implements readline.Painter.
type painter struct{ on bool }

// Paint implements readline.Painter. Only colours are added: the editor counts the columns of the
// line itself.
func (p *painter) Paint(line []rune, _ int) []rune {
	if !p.on {
		return line
	}
	text := string(line)
	var b strings.Builder
	end := 0
	for _, m := range repl.Marks(text) {
		b.WriteString(text[end:m.From] + markColors[m.Of] + text[m.From:m.To] + plain)
		end = m.To
	}
	return []rune(b.String() + text[end:])
}
