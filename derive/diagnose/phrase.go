package diagnose

import (
	"regexp"
	"strings"
	"sync"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// A phrase is a text in the words of any language of metrics. Its words are found without a grammar,
// because the scanner of expressions stops at the first character that it does not know.
type phrase struct {
	text  string
	words []word
	lang  check.Language // in which proposals are written
}

// A word is a name, a number, a text in quotes, an operator, or a text in brackets or braces.
type word struct {
	text       string
	start, end int
}

// A form is a pattern that is compiled when it is first needed: commands without mistakes do not pay for it.
type form struct {
	pattern string
	once    sync.Once
	re      *regexp.Regexp
}

func (f *form) compiled() *regexp.Regexp {
	f.once.Do(func() { f.re = regexp.MustCompile(f.pattern) })
	return f.re
}

// wordForm matches a word. The pattern of matchinst belongs to its word, as parentheses may stand in it.
var wordForm = form{pattern: `matchinst\(\s*!?\s*/(?:\\.|[^/\\])*/` +
	`|[A-Za-z_][\w.]*|[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+|[0-9]*\.?[0-9]+|"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^{}]*\}` +
	`|<>|===?|=~|!~|!=|<=|>=|\*\*|&&|\|\||\S`}

// read returns the phrase of a text.
func read(text string) *phrase {
	p := &phrase{text: text}
	for _, at := range wordForm.compiled().FindAllStringIndex(text, -1) {
		p.words = append(p.words, word{text[at[0]:at[1]], at[0], at[1]})
	}
	return p
}

// at returns a word, or none outside the phrase.
func (p *phrase) at(i int) word {
	if i < 0 || i >= len(p.words) {
		return word{start: len(p.text), end: len(p.text)}
	}
	return p.words[i]
}

// is reports whether a word is one of some, in either case of their letters.
func (p *phrase) is(i int, texts ...string) bool {
	for _, t := range texts {
		if strings.EqualFold(p.at(i).text, t) {
			return true
		}
	}
	return false
}

// named reports whether a word is a name.
func (p *phrase) named(i int) bool { return syntax.LegalName(p.at(i).text) }

// opens reports whether a word opens a parenthesis.
func (p *phrase) opens(i int) bool {
	return p.at(i).text == "(" || strings.HasPrefix(p.at(i).text, "matchinst(")
}

// suffix reports whether a word stands after an operand and belongs to it.
func (p *phrase) suffix(i int) bool {
	c := p.at(i).text
	return strings.HasPrefix(c, "[") || strings.HasPrefix(c, "{")
}

// closing returns the parenthesis that closes the one that a word opens, or -1.
func (p *phrase) closing(i int) int {
	for depth := 0; i < len(p.words); i++ {
		if p.opens(i) {
			depth++
		} else if p.words[i].text == ")" {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// opening returns the word that opens the parenthesis that a word closes, or -1.
func (p *phrase) opening(i int) int {
	for depth := 0; i >= 0; i-- {
		if p.words[i].text == ")" {
			depth++
		} else if p.opens(i) {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// after returns the word after the operand that begins with a word, or -1 if none begins there.
func (p *phrase) after(i int) int {
	switch {
	case p.opens(i):
		if i = p.closing(i); i < 0 {
			return -1
		}
	case p.named(i) && p.at(i+1).text == "(" && p.at(i+1).start == p.at(i).end:
		if i = p.closing(i + 1); i < 0 {
			return -1
		}
	case p.named(i), number(p.at(i).text):
	default:
		return -1
	}
	for i++; p.suffix(i); i++ {
	}
	return i
}

// before returns the first word of the operand that ends before a word, or -1 if none ends there.
func (p *phrase) before(i int) int {
	for i--; p.suffix(i) && i > 0; i-- {
	}
	switch {
	case i < 0:
	case p.words[i].text == ")":
		if i = p.opening(i); i > 0 && p.named(i-1) && p.words[i-1].end == p.words[i].start {
			i--
		}
		return i
	case p.named(i), number(p.words[i].text):
		return i
	}
	return -1
}

// inside returns the texts between a parenthesis and its end, which commas separate.
func (p *phrase) inside(open int) (args []string) {
	end := p.closing(open)
	if end <= open+1 {
		return nil
	}
	start, depth := p.words[open].end, 0
	for i := open + 1; i <= end; i++ {
		switch {
		case p.opens(i):
			depth++
		case depth == 0 && (i == end || p.words[i].text == ","):
			args = append(args, strings.TrimSpace(p.text[start:p.words[i].start]))
			start = p.words[i].end
		case p.words[i].text == ")":
			depth--
		}
	}
	return args
}

// number reports whether a word is a number.
func number(text string) bool {
	return text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '.')
}

// grouped returns an expression with parentheses around it, unless it is one operand.
func grouped(text string) string {
	if p := read(text); p.after(0) == len(p.words) {
		return text
	}
	return "(" + text + ")"
}

// parses reports whether a text is an expression of a language.
func parses(l check.Language, text string) bool {
	_, err := l.Syntax().Parse(text)
	return err == nil
}
