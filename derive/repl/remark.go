package repl

import (
	"slices"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
)

// A remark is what comments before a definition say to the linter.
type remark struct {
	off      []string // rules that do not apply
	optional bool     // its metrics need not be there
}

// remarks are those of the file that is read.
type remarks struct {
	file []string // rules that do not apply to any definition
	next remark   // for the next definition
}

// remarkPrefix begins the comments that are meant for the linter.
const remarkPrefix = "pmderive:"

// take returns what was said for the definition that comes now.
func (r *remarks) take() remark {
	now := r.next
	now.off = append(now.off, r.file...)
	r.next = remark{}
	return now
}

// comment reads a comment. One holds for the next definition, unless an empty line is between them.
func (l *linter) comment(file string, c *syntax.Chunk, line string) {
	if !c.Comment() {
		if strings.TrimSpace(line) == "" {
			l.next = remark{}
		}
		return
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(line, "#")), remarkPrefix)
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
		l.next.optional = true
		return
	case verb == "ignore" && len(words) > 1:
		l.next.off = l.ignore(l.next.off, words[1:], file, c.Line, line)
	case verb == "ignore-file" && len(words) > 1:
		l.remarks.file = l.ignore(l.remarks.file, words[1:], file, c.Line, line)
	default:
		l.add(file, c.Line, 1, SeverityWarning, "", line, "there are: pmderive: ignore RULE, pmderive: ignore-file RULE, and pmderive: optional")
	}
}

// ignore adds the names of rules to a list, each of them once: a file may repeat them without end, and
// each of its definitions has the list.
func (l *linter) ignore(off, words []string, file string, number int, line string) []string {
	known := RuleNames()
	for _, name := range words {
		switch {
		case !slices.Contains(known, name):
			l.add(file, number, 1, SeverityWarning, "", line, "there is no rule "+name, diagnose.DidYouMean(name, known)...)
		case !slices.Contains(off, name):
			off = append(off, name)
		}
	}
	return off
}

// RuleNames returns the names of the linter's rules.
func RuleNames() (names []string) {
	for _, r := range lint.Rules() {
		names = append(names, r.Name)
	}
	return names
}

// has reports whether a rule is looked for.
func (l *linter) has(name string) bool {
	return slices.ContainsFunc(l.opt.Rules, func(r *lint.Rule) bool { return r.Name == name })
}
