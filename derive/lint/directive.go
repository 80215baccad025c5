package lint

import (
	"slices"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
)

// A directive is what comments before a definition say to the linter.
type directive struct {
	off      []string // rules that do not apply
	optional bool     // its metrics need not be there
}

type directives struct {
	file []string  // rules that do not apply to any definition
	next directive // for the next definition
}

const directivePrefix = "pmderive:"

func (d *directives) take() directive {
	now := d.next
	now.off = append(now.off, d.file...)
	d.next = directive{}
	return now
}

// comment reads a comment. It holds for the next definition, unless an empty line is between them.
func (w *work) comment(file string, c *syntax.Chunk, line string) {
	if !c.Comment() {
		if strings.TrimSpace(line) == "" {
			w.next = directive{}
		}
		return
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(line, "#")), directivePrefix)
	if !ok {
		return
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch {
	case verb == "optional" && len(words) == 1:
		w.next.optional = true
		return
	case verb == "ignore" && len(words) > 1:
		w.next.off = w.ignore(w.next.off, words[1:], file, c.Line, line)
	case verb == "ignore-file" && len(words) > 1:
		w.directives.file = w.ignore(w.directives.file, words[1:], file, c.Line, line)
	default:
		w.add(file, c.Line, 1, SeverityWarning, "", line, "there are: pmderive: ignore RULE, pmderive: ignore-file RULE, and pmderive: optional")
	}
}

// ignore adds the names of rules to a list, each of them once: a file may repeat them without end, and
// each of its definitions has the list.
func (w *work) ignore(off, words []string, file string, number int, line string) []string {
	known := RuleNames()
	for _, name := range words {
		switch {
		case slices.Contains(gone, name):
		case !slices.Contains(known, name):
			w.add(file, number, 1, SeverityWarning, "", line, "there is no rule "+name, diagnose.DidYouMean(name, known)...)
		case !slices.Contains(off, name):
			off = append(off, name)
		}
	}
	return off
}
