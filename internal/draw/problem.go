// Package draw draws mistakes for people: the message, the text with a caret below the place, and notes.
package draw

import (
	"strings"
	"unicode/utf8"

	"pmtools/derive/diagnose"
	"pmtools/internal/textwidth"
)

// Problem returns the message, the source with a caret under the place, and the notes, each line with
// its newline. Every line but the first is indented. Lines are broken at words, and the source is cut
// around the caret, to fit a width; a width of 0 is none. The first line stands behind a text that has
// taken some columns already.
func Problem(p *diagnose.Problem, width, taken int) string {
	var b strings.Builder
	before := strings.Repeat(".", max(taken-len("  "), 0)) // other lines are indented
	message := strings.Join(textwidth.Wrap(before+p.Msg, max(width-len("  "), 0)), "\n  ")
	b.WriteString(message[len(before):] + "\n")
	context := snippetContext
	if width > 0 {
		context = max(width-len("  ......"), 2) / 2
	}
	if p.Src != "" {
		for _, line := range snippet(p.Src, p.Pos, context) {
			b.WriteString("  " + line + "\n")
		}
	}
	for _, n := range p.Notes {
		b.WriteString("  " + strings.Join(textwidth.Wrap(n, max(width-len("    "), 0)), "\n    ") + "\n")
	}
	return b.String()
}

// snippetContext is how many bytes of a long line are shown on each side of the place where there is
// no width.
const snippetContext = 400

// snippet returns the line with the place, and one with a caret. Text farther from the place than the context is
// left out.
func snippet(src string, pos, context int) [2]string {
	if len(src) <= 2*context {
		return caret(src, pos)
	}
	if pos > context {
		cut := pos - context
		for cut < pos && !utf8.RuneStart(src[cut]) {
			cut++
		}
		src, pos = "..."+src[cut:], pos-cut+3
	}
	if len(src) > pos+context {
		end := pos + context
		for end > pos && !utf8.RuneStart(src[end]) {
			end--
		}
		src = src[:end] + "..."
	}
	return caret(src, pos)
}

// caret returns the line of src with a place, and one with a caret below that. Tabs are kept and wide characters are
// given two columns, so the caret is in its place on a terminal.
func caret(src string, pos int) [2]string {
	pos = min(max(pos, 0), len(src))
	start := strings.LastIndexByte(src[:pos], '\n') + 1
	line, _, _ := strings.Cut(src[start:], "\n")
	below := ""
	for _, r := range src[start:pos] {
		if r == '\t' {
			below += "\t"
		} else {
			below += strings.Repeat(" ", textwidth.Columns(r))
		}
	}
	return [2]string{line, below + "^"}
}
