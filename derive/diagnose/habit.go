package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// People who come from PromQL, SQL or awk type first what they know from there. A habit is one such
// form: the method finds it at a word and advises what to write instead. Habits are tried only on
// texts that the parser refuses, so no expression is mistaken for one.

// advice tells what to write instead of a part of a phrase.
type advice struct {
	msg        string
	notes      []string
	pos        int // of the caret
	start, end int // of the part
	// rewrites are texts for its place, the best first; those that follow are for other types of
	// operands. There are none if nothing in the language means the same.
	rewrites []string
}

// A habit finds what a word of a phrase begins; it returns nil for nothing.
type habit func(p *phrase, i int) *advice

// habits returns all habits. The first of several at one word counts.
func habits() []habit {
	return []habit{
		(*phrase).selection, (*phrase).grouping, (*phrase).smallest, (*phrase).aggregate, (*phrase).share, (*phrase).over, (*phrase).function,
		(*phrase).period, (*phrase).instance, (*phrase).labels, (*phrase).condition, (*phrase).lookBack,
		(*phrase).between, (*phrase).logic, (*phrase).negation, (*phrase).single, (*phrase).comparison, (*phrase).power,
		(*phrase).remainder, (*phrase).alias, (*phrase).exponent, (*phrase).field,
	}
}

// maxHabits is how many habits are replaced in one text, and maxPhrase the length in bytes of texts in
// which habits are looked for, and of proposals: an argument may stand in one several times.
const (
	maxHabits = 10
	maxPhrase = 1 << 10
)

// habit explains a text that the parser refuses by the habits in it, the leftmost first, and proposes
// the text with all of them replaced. It reports whether there is one.
func (p *Problem) habit(text string) bool {
	if len(text) > maxPhrase {
		return false
	}
	first := p.read(text).advise()
	if first != nil {
		p.advised(text, first)
	}
	return first != nil
}

// read returns the phrase of a text, in the language of the problem.
func (p *Problem) read(text string) *phrase {
	phrase := read(text)
	phrase.lang = p.lang
	return phrase
}

// advised makes advice about a text the problem.
func (p *Problem) advised(text string, first *advice) {
	p.Msg, p.Pos, p.Notes = first.msg, first.pos, nil
	notes := slices.Clone(first.notes)
	for i, rewrite := range first.rewrites {
		next := replace(text, first, rewrite)
		for range maxHabits {
			if written(p.lang, next) || len(next) > maxPhrase {
				break
			}
			more := p.read(next).advise()
			if more == nil {
				break
			}
			if i == 0 {
				notes = append(notes, slices.DeleteFunc(slices.Clone(more.notes), func(n string) bool { return slices.Contains(notes, n) })...)
			}
			if more.rewrites == nil {
				break
			}
			next = replace(next, more, more.rewrites[0])
		}
		if len(next) <= maxPhrase && written(p.lang, next) {
			p.rewrites = append(p.rewrites, next)
		}
	}
	p.Notes = notes
	if p.rewrites != nil {
		p.write(p.rewrites[0])
	}
}

// advise returns the advice about the leftmost habit, or nil.
func (p *phrase) advise() *advice {
	list := habits()
	for i := range p.words {
		for _, h := range list {
			if a := h(p, i); a != nil {
				return a
			}
		}
	}
	return nil
}

// replace returns a text with the part that advice is about replaced.
func replace(text string, a *advice, by string) string {
	return strings.TrimSpace(text[:a.start] + by + text[a.end:])
}

// written reports whether a text is an expression, or the definition of one.
func written(l check.Language, text string) bool {
	if name, expr, ok := strings.Cut(text, " = "); ok && syntax.LegalName(name) {
		text = expr
	}
	return parses(l, text)
}

// write proposes a text in the place of the whole one.
func (p *Problem) write(text string) {
	p.Notes = append(p.Notes, "write "+text)
	if parses(p.lang, text) { // and not a definition
		p.Fixes = append(p.Fixes, syntax.Fix{Title: "write " + text, End: syntax.Pos(len(p.Src)), Text: text})
	}
}

// Judge checks what is proposed instead of a whole expression against a source: check returns the
// problem of an expression, or nil. The first proposal without one stays. If all have some, that of
// the first is reported.
func (p *Problem) Judge(check func(expr string) *Problem) {
	if p.rewrites == nil {
		return
	}
	p.Notes, p.Fixes = p.Notes[:len(p.Notes)-1:len(p.Notes)-1], nil
	var first *Problem
	for _, text := range p.rewrites {
		expr := text
		if name, right, ok := strings.Cut(text, " = "); ok && syntax.LegalName(name) {
			expr = right
		}
		bad := check(expr)
		if bad == nil {
			p.write(text)
			p.rewrites = nil
			return
		}
		first = cmp.Or(first, bad)
	}
	p.Notes = append(p.Notes, "written in this language it has another mistake: "+p.rewrites[0], first.Msg)
	p.Notes = append(p.Notes, first.Notes...)
	p.rewrites = nil
}
