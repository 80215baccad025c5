package diagnose

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/pmerr"
)

// The parser's own messages are those of the reference, and many mistakes have none. The expected
// tokens are found by trying: the text before the mistake is parsed again with one token of
// each kind after it. A token that the parser gets past was expected.

// maxTried is the length of the longest text for which this is done; it costs one parse for each
// kind of token.
const maxTried = 1 << 14

// A trial is a kind of token and how people call it.
type trial struct {
	text string // stands for all tokens of its kind
	call string
}

// Calls of kinds of tokens that are looked for.
const (
	anOperator = "an operator"
	aPattern   = "a pattern between slashes"
)

// trials has the kinds of tokens. Those with the same name are shown once.
var trials = []trial{
	{"a", "a metric"},
	{"1", "a number"},
	{"1.0", "a number"},
	{"rate(", "a function"},
	{"novalue(", "novalue()"},
	{"(", "'('"},
	{"-", "'-'"},
	{"!", "'!'"},
	{"+", anOperator},
	{"[x]", "an instance in brackets"},
	{`"x"`, "a text in quotes"},
	{"/x/", aPattern},
	{"type", "type=, semantics=, units=, indom= or meta="},
	{"=", "'='"},
	{",", "','"},
	{":", "':'"},
	{")", "')'"},
}

// probe follows each trial. The parser accepts it only after a tag.
const probe = " = "

// Syntax describes a mistake that the parser has found in text.
func Syntax(text string, err error) *Problem {
	bad, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return From(err)
	}
	p := &Problem{Msg: bad.Msg, Src: text, Pos: max(int(bad.Pos), 0), Code: pmerr.BadDerive, Err: err}
	if bad.Extended {
		p.lang = check.Extended
	}
	var lexemes []syntax.Lexeme
	if len(text) <= maxTried {
		lexemes = p.lang.Syntax().Lexemes(text)
	}
	if len(lexemes) == 0 {
		p.Msg = cmp.Or(p.Msg, "syntax error")
		return p
	}
	last := len(lexemes) - 1
	if refused(bad.Msg) && last > 0 {
		last-- // the grammar of the reference takes this token and blames the next one
	}
	operand := strings.Contains(bad.Msg, " operand of ")
	if (grammatical(bad.Msg) || operand || strings.HasPrefix(bad.Msg, "by ") || lexemes[last].Tok == syntax.ILLEGAL) && p.habit(text) {
		return p
	}
	found := lexemes[last]
	p.Pos = int(found.Pos)
	if found.Tok == syntax.EOS {
		p.Pos = len(strings.TrimRight(text, blanks))
	}
	if !grammatical(bad.Msg) {
		switch {
		case found.Tok == syntax.RPAREN && last > 0 && lexemes[last-1].Tok == syntax.STRING:
			p.Pos = int(lexemes[last-1].Pos) // the units of rescale
		case found.Tok != syntax.ILLEGAL:
			p.Pos = max(int(bad.Pos), 0)
		}
		if p.Msg = LowerFirst(bad.Msg); operand {
			p.signature(enclosing(lexemes[:last]))
		}
		return p
	}
	if last > 0 && found.Tok == syntax.LPAREN && lexemes[last-1].Tok == syntax.NAME {
		if p.unknownFunction(lexemes[last-1], found) {
			return p
		}
	}
	want := expectedAt(p.lang, text[:min(p.Pos, len(text))])
	if found.Tok == syntax.EOS && slices.Contains(want, "')'") {
		p.Msg = "found the end, expected " + OrList(want)
		p.closed(text)
		return p
	}
	if fun := enclosing(lexemes[:last]); !p.arguments(fun, found.Tok, want) {
		if p.Msg = "found " + foundText(found); len(want) > 0 {
			p.Msg += ", expected " + OrList(want)
		}
		p.operandHint(fun, found.Tok)
		if alone := fun.Text == "" && p.Notes == nil; alone && last > 0 && found.Tok == syntax.NAME && slices.Contains(want, anOperator) {
			p.Notes = append(p.Notes, missing(lexemes[last-1].Tok))
		}
	}
	if found.Tok == "novalue" {
		p.Notes = append(p.Notes, "novalue() may stand only as one arm of ?:, without parentheses around it")
	}
	return p
}

// missing tells what there is to write between a token and the name after it.
func missing(before syntax.Token) string {
	if before == syntax.INTEGER {
		return "an operator is missing; an interval before an expression is longer than 0, as in 5 or 10sec"
	}
	return "an operator is missing; two expressions have a comma between them"
}

// closed proposes a text with the parentheses closed that are open at its end.
func (p *Problem) closed(text string) {
	for text = strings.TrimRight(text, blanks); len(text)-len(p.Src) < maxDepth; {
		if text += ")"; parses(p.lang, text) {
			p.write(text)
			return
		}
	}
}

// blanks is the white space of the language.
const blanks = " \t\n\v\f\r"

// grammatical reports whether a message of the parser only names the expected token. Other messages
// need no explanation.
func grammatical(msg string) bool {
	return msg == "" || strings.HasPrefix(msg, "Unexpected ") || strings.Contains(msg, "expected to follow ")
}

// expectedAt returns what may follow the text before.
func expectedAt(l check.Language, before string) []string {
	if tag, ok := strings.CutSuffix(strings.TrimRight(before, blanks), "="); ok && !strings.ContainsAny(tag[max(len(tag)-1, 0):], "=<>!") {
		if strings.HasSuffix(strings.TrimRight(tag, blanks), "meta") {
			return []string{"a metric"}
		}
		return []string{"a value"} // of whatever form; each tag has its own
	}
	var want []string
	conf := l.Syntax()
	add := func(call string) {
		if !slices.Contains(want, call) {
			want = append(want, call)
		}
	}
	gap := " "
	if strings.HasSuffix(before, "(") {
		gap = ""
	}
	for _, t := range trials {
		text := before + gap + t.text + probe
		_, err := conf.Parse(text)
		bad, ok := errors.AsType[*syntax.Error](err)
		if !ok || int(bad.Pos) > len(before)+len(gap) && !refused(bad.Msg) {
			add(t.call)
		}
	}
	if slices.Contains(want, anOperator) {
		// Behind an operand these are operators themselves.
		want = slices.DeleteFunc(want, func(call string) bool { return call == "'-'" || call == aPattern })
	}
	if _, err := conf.Parse(before); err == nil {
		add("the end")
	}
	return want
}

// refused reports whether a message blames a token that the grammar of the reference has taken only
// to refuse the token after it.
func refused(msg string) bool {
	return strings.HasPrefix(msg, "Unexpected ") && msg != "Unexpected initial '('"
}

// foundText names a token for people.
func foundText(l syntax.Lexeme) string {
	switch l.Tok {
	case syntax.EOS:
		return "the end"
	case syntax.STRING:
		return `"` + l.Text + `"`
	case syntax.INSTNAME:
		return "[" + l.Text + "]"
	case syntax.PATTERN:
		return "/" + l.Text + "/"
	}
	return fmt.Sprintf("'%s'", l.Text)
}

// unknownFunction explains a parenthesis after a name, if that looks like a function.
func (p *Problem) unknownFunction(name, paren syntax.Lexeme) bool {
	functions := FunctionNames(p.lang)
	switch {
	case slices.Contains(functions, name.Text):
		p.Msg = "no blank may stand between " + name.Text + " and its parenthesis"
	case int(name.Pos)+len(name.Text) == int(paren.Pos):
		p.Msg, p.Pos = "there is no function "+name.Text, int(name.Pos)
		p.didYouMean(name.Text, functions)
	default:
		return false
	}
	return true
}

// FunctionNames returns the names of the functions of a language.
func FunctionNames(l check.Language) []string {
	var names []string
	for _, f := range l.Functions() {
		names = append(names, f.Name)
	}
	return names
}

// OrList joins words on one line: a, b or c.
func OrList(words []string) string {
	if len(words) == 1 {
		return textwidth.Clean(words[0])
	}
	n := len(words) - 1
	return textwidth.Clean(strings.Join(words[:n], ", ") + " or " + words[n])
}

// LowerFirst makes the first letter small, unless it begins a word of capitals.
func LowerFirst(s string) string {
	if len(s) > 1 && 'A' <= s[0] && s[0] <= 'Z' && 'a' <= s[1] && s[1] <= 'z' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}
