package diagnose

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// advice tells what to write instead of a part of a text.
type advice struct {
	msg        string
	notes      []string
	pos        int  // of the caret
	start, end int  // of the part
	rewrites   bool // there is something else to write
	rewrite    string
}

// maxHabits is how many habits are replaced in one text, and maxPhrase the length in bytes of texts in
// which habits are looked for, and of proposals: an argument may stand in one several times.
const (
	maxHabits = 10
	maxPhrase = 1 << 9
)

// habit explains a text that the parser refuses by the habits in it, and proposes the text with all of
// them replaced. It reports whether there is one.
func (p *Problem) habit(text string) bool {
	if len(text) > maxPhrase {
		return false
	}
	first := advise(p.lang, text, -1)
	if first != nil {
		p.advised(text, first)
	}
	return first != nil
}

// advised makes advice about a text the problem.
func (p *Problem) advised(text string, first *advice) {
	p.Msg, p.Pos, p.Notes = first.msg, first.pos, slices.Clone(first.notes)
	for a, n := first, 0; a != nil && a.rewrites; n++ {
		text = replace(text, a)
		if len(text) > maxPhrase || n > maxHabits {
			return
		}
		if written(p.lang, text) {
			p.write(text)
			return
		}
		if a = advise(p.lang, text, -1); a != nil {
			p.Notes = append(p.Notes, slices.DeleteFunc(a.notes, func(n string) bool { return slices.Contains(p.Notes, n) })...)
		}
	}
}

// replace returns a text with the part that advice is about replaced.
func replace(text string, a *advice) string {
	return strings.TrimSpace(text[:a.start] + a.rewrite + text[a.end:])
}

// advise returns the advice about the first habit in a text, or nil. With a place it is about an instance
// in brackets there, in an expression that the parser takes.
func advise(l check.Language, text string, place int) *advice {
	plain := compile(selection).ReplaceAllStringFunc(text, func(call string) string { // without patterns of matchinst
		return "matchinst(" + strings.Repeat("x", len(call)-len("matchinst("))
	})
	for k := range habits {
		h := &habits[k]
		if h.language != "" && h.language != l.String() || place >= 0 && !strings.Contains(h.form, "'[") {
			continue
		}
		re := h.pattern()
		for _, at := range re.FindAllStringSubmatchIndex(plain, -1) {
			f := &found{habit: h, language: l, text: text, re: re, at: at, names: map[string]string{}}
			if a := f.advice(); a != nil && (place < 0 && !parses(l, text[a.start:a.end]) || a.pos == place) {
				return a
			}
		}
	}
	return nil
}

// maxDepth is how deeply parentheses of a form may be nested.
const maxDepth = 5

// pattern returns the pattern of the form.
func (h *habit) pattern() *regexp.Regexp {
	var list []string
	free := []string{"F", "O"}
	for e := range strings.FieldsSeq(h.form) {
		e, mark := strings.CutPrefix(e, "'")
		part := partOf(e)
		if part == "" {
			part = regexp.QuoteMeta(e)
			if e != "," {
				part = strings.ReplaceAll(part, ",", "|")
			}
			group := "(?:"
			if len(free) > 0 && !strings.Contains("(),{}", e) {
				group, free = "(?P<"+free[0]+">", free[1:]
			}
			part = group + part + ")"
		}
		if mark {
			part = "(?P<caret>)" + part
		}
		list = append(list, part)
	}
	return compile(strings.Join(list, `\s*`))
}

// compiled has the patterns that have been needed: commands without mistakes do not pay for the others.
var compiled sync.Map

// compile returns a pattern with BALANCED in it.
func compile(pattern string) *regexp.Regexp {
	if re, ok := compiled.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	balanced := `[^()]*`
	for range maxDepth {
		balanced = `[^()]*(?:\(` + balanced + `\)[^()]*)*`
	}
	re := regexp.MustCompile(`(?is)` + strings.ReplaceAll(pattern, "BALANCED", balanced))
	compiled.Store(pattern, re)
	return re
}

// A found is a place of a text that has the form of a habit.
type found struct {
	*habit
	language check.Language
	text     string
	re       *regexp.Regexp
	at       []int             // of the groups of re
	names    map[string]string // the texts for $A and so on
}

// advice returns the advice about a form that has been found, or nil if it is none.
func (f *found) advice() *advice {
	a := &advice{pos: f.at[0], start: f.at[0], end: f.at[1]}
	if inWord(f.text, a.start) || inWord(f.text, a.end) {
		return nil
	}
	for k, name := range f.re.SubexpNames() {
		from, to := f.at[2*k], f.at[2*k+1]
		switch {
		case k == 0:
		case name == "caret":
			a.pos = from
		case !f.name(name, f.text[from:to]), name == "F" && (inWord(f.text, from) || inWord(f.text, to)):
			return nil
		case name == "F" && a.pos == a.start:
			a.pos = from
		}
	}
	var ok bool
	if a.msg, ok = f.fill(f.msg, false); !ok {
		return nil
	}
	for _, n := range f.notes {
		if text, ok := f.fill(n, false); ok {
			a.notes = append(a.notes, text)
		}
	}
	alone := strings.Contains(f.form, "$V") || outside(f.text[:a.start], "(,", false) && outside(f.text[a.end:], "),", true)
	if text, ok := f.fill(f.write, true); ok && f.write != "" {
		if a.rewrites, a.rewrite = true, strings.TrimSpace(text); !alone {
			a.rewrite = grouped(a.rewrite)
		}
	}
	return a
}

// inWord reports whether a place is between the characters of a name, a number or an operator.
func inWord(text string, i int) bool {
	return i > 0 && i < len(text) && compile(`^(?:[\w.]{2}|[&|=<>*]{2})$`).MatchString(text[i-1:i+1])
}

// name names a part of the form, and reports whether the part is as it must be.
func (f *found) name(name, text string) bool {
	text = strings.TrimSpace(text)
	switch name {
	case "A", "B", "C":
		if at := compile(partOf("[time]") + "$").FindStringSubmatchIndex(text); at != nil {
			f.names["D"], text = text[at[2]:at[3]], text[:at[0]]
		}
	case "E":
		return strings.ContainsAny(text, " +-*/<>=!&|?([") && parses(f.language, text)
	case "F":
		if text == "=" && (strings.Contains(f.text, "mkconst(") || strings.Contains(f.text, "novalue(")) {
			return false // it may be metadata
		}
	case "1":
		f.names["glob"], f.names["whole"] = globPattern(text), wholePattern(text)
	case "exponent":
		number, _ := strconv.ParseFloat(text, 64)
		if number >= 1e15 || number != 0 && number <= 1e-9 {
			return true // it has no name
		}
		if text = strconv.FormatFloat(number, 'f', -1, 64); number > 4294967295 && !strings.Contains(text, ".") {
			text += ".0" // integers have 32 bits
		}
	}
	f.names[name] = text
	return text != ""
}

// outside reports whether a text ends with one of some characters, or begins so, or is empty.
func outside(text, characters string, begins bool) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return true
	}
	c := text[len(text)-1:]
	if begins {
		c = text[:1]
	}
	return strings.Contains(characters, c)
}

// fill returns a text of a habit with the names in it replaced, and whether there are all. In an expression
// operands get parentheses where they need them.
func (f *found) fill(text string, expr bool) (string, bool) {
	var b strings.Builder
	last := 0
	for _, at := range compile(names).FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		value, ok := f.names[name]
		if !ok {
			return "", false
		}
		before, after := text[:at[0]], text[at[1]:]
		switch {
		case !expr || !strings.Contains("ABCXYZU", name) || before+after == "":
		case before != "" && after != "" && outside(before, "(,", false) && outside(after, "),", true):
			value = bare(value)
		default:
			value = grouped(value)
		}
		b.WriteString(text[last:at[0]] + value)
		last = at[1]
	}
	return b.String() + text[last:], true
}

// Patterns of whole texts, and of parts in any.
const (
	names     = `\$(glob|whole|exponent|[A-Z1])`
	selection = `matchinst\(\s*!?\s*/(?:\\.|[^/\\])*/`
)

// grouped returns an expression with parentheses around it, unless it is one operand.
func grouped(text string) string {
	if text == "" || compile("^!?"+anOperand+"$").MatchString(text) {
		return text
	}
	return "(" + text + ")"
}

// bare returns an expression without parentheses around all of it.
func bare(text string) string {
	if inside := compile(`^\((BALANCED)\)$`).FindStringSubmatch(text); inside != nil {
		return inside[1]
	}
	return text
}

// parses reports whether a text is an expression of a language.
func parses(l check.Language, text string) bool {
	_, err := l.Syntax().Parse(text)
	return err == nil
}

// globPattern returns the regular expression of a pattern of the shell.
func globPattern(glob string) string {
	var b strings.Builder
	for _, c := range glob {
		switch {
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteByte('.')
		case strings.ContainsRune(`^[]\`, c):
			// A backslash would lose a level in each file that the expression is put into.
			b.WriteString(`\\` + string(c))
		case strings.ContainsRune(`.+()|${}`, c):
			b.WriteString("[" + string(c) + "]")
		default:
			b.WriteRune(c)
		}
	}
	return loose(b.String())
}

// wholePattern returns the regular expression of one of PromQL, which matches whole names.
func wholePattern(pattern string) string {
	pattern = strings.ReplaceAll(pattern, `\`, `\\`)
	if strings.Contains(pattern, "|") {
		pattern = "(" + pattern + ")"
	}
	return loose(pattern)
}

// loose returns the regular expression for matchinst of names that match one as a whole.
func loose(pattern string) string {
	pattern = strings.TrimPrefix(strings.TrimSuffix("^"+pattern+"$", ".*$"), "^.*")
	return strings.ReplaceAll(cmp.Or(pattern, "^"), "/", `\/`)
}

// Instance describes an instance that an expression selects, but a source does not have, if it is written
// as in other languages: in quotes, as a pattern, or as a range of time. It returns nil for others.
func Instance(text string, x *syntax.InstExpr) *Problem {
	p := &Problem{Src: text}
	if !parses(check.PCP, text) { // it has been parsed
		p.lang = check.Extended
	}
	a := advise(p.lang, text, int(x.Lbrack))
	if a == nil {
		return nil
	}
	p.advised(text, a)
	return p
}

// Range describes a range of time in brackets, which the parser of the extended language takes for the name of an
// instance. It returns nil for other texts.
func Range(text string) *Problem {
	x, err := check.Extended.Syntax().Parse(text)
	if err != nil {
		return nil
	}
	for n := range syntax.Preorder(x) {
		if in, ok := n.(*syntax.InstExpr); ok && compile("^"+aDuration+"$").MatchString(in.Name) {
			p := Instance(text, in)
			if p == nil {
				return nil
			}
			for i, note := range p.Notes {
				if write, ok := strings.CutPrefix(note, "write "); ok {
					p.Notes[i] = "with --extended: " + write
				}
			}
			return p
		}
	}
	return nil
}

// written reports whether a text is an expression, or the definition of one.
func written(l check.Language, text string) bool {
	return parses(l, defined(text))
}

// defined returns the expression of a text that is one or the definition of one.
func defined(text string) string {
	if name, expr, ok := strings.Cut(text, " = "); ok && syntax.LegalName(name) {
		return expr
	}
	return text
}

// write proposes a text in the place of the whole one.
func (p *Problem) write(text string) {
	p.Notes = append(p.Notes, "write "+text)
	if parses(p.lang, text) { // and not a definition
		p.Fixes = append(p.Fixes, syntax.Fix{Title: "write " + text, End: syntax.Pos(len(p.Src)), Text: text})
	}
}
