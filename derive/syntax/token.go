package syntax

import (
	"slices"
	"strings"
)

// A Token is a kind of token. An operator, a keyword and a function, which is a name that is followed at once
// by a parenthesis, are their text. Functions have no constants: Token("rate") is rate(.
type Token string

// The kinds of tokens without a text of their own.
const (
	ILLEGAL  Token = "" // not a token of the language
	EOS      Token = "EOS"
	NAME     Token = "NAME"     // metric.name
	INTEGER  Token = "INTEGER"  // 42
	DOUBLE   Token = "DOUBLE"   // 4.2
	STRING   Token = "STRING"   // "kbyte / sec"
	INSTNAME Token = "INSTNAME" // [1 minute]
	PATTERN  Token = "PATTERN"  // /^sd/
)

// The operators.
const (
	PLUS   Token = "+"
	MINUS  Token = "-"
	STAR   Token = "*"
	SLASH  Token = "/"
	LT     Token = "<"
	LEQ    Token = "<="
	EQ     Token = "=="
	GEQ    Token = ">="
	GT     Token = ">"
	NEQ    Token = "!="
	AND    Token = "&&"
	OR     Token = "||"
	NOT    Token = "!"
	QUEST  Token = "?"
	COLON  Token = ":"
	LPAREN Token = "("
	RPAREN Token = ")"
	COMMA  Token = ","
	ASSIGN Token = "="
)

// The keywords, words that are never the name of a metric.
const (
	TYPE      Token = "type"
	SEMANTICS Token = "semantics"
	UNITS     Token = "units"
	INDOM     Token = "indom"
	META      Token = "meta"
)

// renamed has the names of kinds that are not their text in capitals.
var renamed = [...]struct {
	tok  Token
	name string
}{
	{ILLEGAL, "ERROR"}, {"matchinst", "FILTERINST"},
	{PLUS, "PLUS"}, {MINUS, "MINUS"}, {STAR, "STAR"}, {SLASH, "SLASH"},
	{LT, "LT"}, {LEQ, "LEQ"}, {EQ, "EQ"}, {GEQ, "GEQ"}, {GT, "GT"}, {NEQ, "NEQ"},
	{AND, "AND"}, {OR, "OR"}, {NOT, "NOT"}, {QUEST, "QUEST"}, {COLON, "COLON"},
	{LPAREN, "LPAREN"}, {RPAREN, "RPAREN"}, {COMMA, "COMMA"}, {ASSIGN, "ASSIGN"},
}

// operators are those that scanning finds, the longer of two that begin alike first.
var operators = [...]Token{LEQ, EQ, GEQ, NEQ, AND, OR, PLUS, MINUS, STAR, SLASH, LT, GT, NOT, QUEST, COLON, LPAREN, RPAREN, COMMA, ASSIGN}

// The functions of PCP's language, those that only the extended language has, and of these the ones that look
// back in time.
var (
	functions  = [...]Token{"anon", "avg", "count", "defined", "delta", "matchinst", "instant", "max", "min", "mkconst", "novalue", "rate", "rescale", "scalar", "sum"}
	extensions = [...]Token{"abs", "bottomn", "ceil", "clamp", "exp", "floor", "ln", "median", "pow", "quantile", "round", "sqrt", "stddev", "topn"}
	overTime   = [...]Token{"avg_over", "max_over", "min_over", "quantile_over", "shift", "smooth"}
)

// String returns the name of the kind in capitals, as debug output and messages have it: PLUS,
// NAME, FILTERINST.
func (t Token) String() string {
	for _, r := range renamed {
		if r.tok == t {
			return r.name
		}
	}
	return strings.ToUpper(string(t))
}

// Symbol returns the text of an operator, a keyword or a function without its parenthesis, and ""
// for every other kind.
func (t Token) Symbol() string {
	switch t {
	case EOS, NAME, INTEGER, DOUBLE, STRING, INSTNAME, PATTERN:
		return ""
	}
	return string(t)
}

// GoString returns the text of the token in quotes or, if its text is not fixed, its name. The verb
// %#v uses it.
func (t Token) GoString() string {
	if s := t.Symbol(); s != "" {
		return "'" + s + "'"
	}
	return t.String()
}

// Levels of precedence, from loose to tight (derived.md D3.2). The prefix operators have their own:
// what follows them is read with the operators that are tighter.
const (
	lowest          = -1
	levelTernary    = 0
	levelBoolean    = 1
	levelNot        = 2
	levelRelation   = 3
	levelSum        = 4
	levelProduct    = 5
	levelNegate     = levelSum
	levelNoOperator = lowest
)

// Precedence returns the level of a binary operator or of the question mark, from 0, the loosest,
// to 5. It is -1 for every other kind. All operators are left-associative.
func (t Token) Precedence() int {
	switch t {
	case QUEST:
		return levelTernary
	case AND, OR:
		return levelBoolean
	case LT, LEQ, EQ, GEQ, GT, NEQ:
		return levelRelation
	case PLUS, MINUS:
		return levelSum
	case STAR, SLASH:
		return levelProduct
	}
	return levelNoOperator
}

// isKeyword reports whether t is a word that is never the name of a metric.
func (t Token) isKeyword() bool {
	switch t {
	case TYPE, SEMANTICS, UNITS, INDOM, META:
		return true
	}
	return false
}

// IsFunction reports whether t is a function.
func (t Token) IsFunction() bool { return slices.Contains(functions[:], t) || t.IsExtension() }

// IsExtension reports whether t is a function of the extended language alone.
func (t Token) IsExtension() bool { return slices.Contains(extensions[:], t) || t.IsOverTime() }

// IsOverTime reports whether t is a function that looks back in time.
func (t Token) IsOverTime() bool { return slices.Contains(overTime[:], t) }

// IsGroupable reports whether t is a function that makes one value of all instances, after which by may stand
// in the extended language.
func (t Token) IsGroupable() bool {
	switch t {
	case "avg", "count", "max", "median", "min", "quantile", "stddev", "sum":
		return true
	}
	return false
}
