// Package paint has the colours of a prompt.
package paint

import (
	"strings"

	"pmtools/cmd/internal/item"
)

// Colours of a terminal.
const (
	red   = "\x1b[31m"
	plain = "\x1b[0m"
)

// Red returns text in red.
func Red(text string) string { return red + text + plain }

// Carets paints the carets of an error: the lines that have nothing else. No sequence in the text
// remains one.
func Carets(text string) string {
	lines := strings.SplitAfter(strings.ReplaceAll(text, "\x1b", "?"), "\n")
	for i, line := range lines {
		if mark := strings.TrimSpace(line); mark != "" && strings.Trim(mark, "^~ ") == "" {
			lines[i] = Red(strings.TrimRight(line, "\n")) + "\n"
		}
	}
	return strings.Join(lines, "")
}

// markColors are those of the marks of an item: of words, functions, numbers, texts, and where an
// expression is wrong.
var markColors = [...]string{"\x1b[1m", "\x1b[36m", "\x1b[35m", "\x1b[32m", red}

// A Painter paints an item while it is typed. It implements readline.Painter.
type Painter struct {
	On    bool
	Marks func(text string) []item.Mark // the parts of an item in colours
}

// Paint implements readline.Painter. Only colours are added: the editor counts the columns of the
// line itself.
func (p *Painter) Paint(line []rune, _ int) []rune {
	if !p.On {
		return line
	}
	text := string(line)
	var b strings.Builder
	end := 0
	for _, m := range p.Marks(text) {
		b.WriteString(text[end:m.From] + markColors[m.Of] + text[m.From:m.To] + plain)
		end = m.To
	}
	return []rune(b.String() + text[end:])
}
