package syntax

import "strconv"

// A Token is a kind of token.
type Token uint8

// The kinds of tokens. A function is a name that is followed at once by a parenthesis.
const (
	ILLEGAL Token = iota // not a token of the language
	EOS                  // end of the text

	NAME     // metric.name
	INTEGER  // 42
	DOUBLE   // 4.2
	STRING   // "kbyte / sec"
	INSTNAME // [1 minute]
	PATTERN  // /^sd/

	PLUS   // +
	MINUS  // -
	STAR   // *
	SLASH  // /
	LT     // <
	LEQ    // <=
	EQ     // ==
	GEQ    // >=
	GT     // >
	NEQ    // !=
	AND    // &&
	OR     // ||
	NOT    // !
	QUEST  // ?
	COLON  // :
	LPAREN // (
	RPAREN // )
	COMMA  // ,
	ASSIGN // =

	TYPE      // type
	SEMANTICS // semantics
	UNITS     // units
	INDOM     // indom
	META      // meta

	ANON       // anon(
	AVG        // avg(
	COUNT      // count(
	DEFINED    // defined(
	DELTA      // delta(
	FILTERINST // matchinst(
	INSTANT    // instant(
	MAX        // max(
	MIN        // min(
	MKCONST    // mkconst(
	NOVALUE    // novalue(
	RATE       // rate(
	RESCALE    // rescale(
	SCALAR     // scalar(
	SUM        // sum(

	// Functions of the extended language.
	ABS      // abs(
	BOTTOMN  // bottomn(
	CEIL     // ceil(
	CLAMP    // clamp(
	EXP      // exp(
	FLOOR    // floor(
	LN       // ln(
	MEDIAN   // median(
	POW      // pow(
	QUANTILE // quantile(
	ROUND    // round(
	SQRT     // sqrt(
	STDDEV   // stddev(
	TOPN     // topn(

	// Functions over time, of the extended language too.
	AVGOVER      // avg_over(
	MAXOVER      // max_over(
	MINOVER      // min_over(
	QUANTILEOVER // quantile_over(
	SHIFT        // shift(
	SMOOTH       // smooth(

	numTokens
)

// tokens has for each kind its name in messages of the reference and, where it is fixed, its text.
var tokens = [numTokens]struct{ name, text string }{
	ILLEGAL:      {"ERROR", ""},
	EOS:          {"EOS", ""},
	NAME:         {"NAME", ""},
	INTEGER:      {"INTEGER", ""},
	DOUBLE:       {"DOUBLE", ""},
	STRING:       {"STRING", ""},
	INSTNAME:     {"INSTNAME", ""},
	PATTERN:      {"PATTERN", ""},
	PLUS:         {"PLUS", "+"},
	MINUS:        {"MINUS", "-"},
	STAR:         {"STAR", "*"},
	SLASH:        {"SLASH", "/"},
	LT:           {"LT", "<"},
	LEQ:          {"LEQ", "<="},
	EQ:           {"EQ", "=="},
	GEQ:          {"GEQ", ">="},
	GT:           {"GT", ">"},
	NEQ:          {"NEQ", "!="},
	AND:          {"AND", "&&"},
	OR:           {"OR", "||"},
	NOT:          {"NOT", "!"},
	QUEST:        {"QUEST", "?"},
	COLON:        {"COLON", ":"},
	LPAREN:       {"LPAREN", "("},
	RPAREN:       {"RPAREN", ")"},
	COMMA:        {"COMMA", ","},
	ASSIGN:       {"ASSIGN", "="},
	TYPE:         {"TYPE", "type"},
	SEMANTICS:    {"SEMANTICS", "semantics"},
	UNITS:        {"UNITS", "units"},
	INDOM:        {"INDOM", "indom"},
	META:         {"META", "meta"},
	ANON:         {"ANON", "anon"},
	AVG:          {"AVG", "avg"},
	COUNT:        {"COUNT", "count"},
	DEFINED:      {"DEFINED", "defined"},
	DELTA:        {"DELTA", "delta"},
	FILTERINST:   {"FILTERINST", "matchinst"},
	INSTANT:      {"INSTANT", "instant"},
	MAX:          {"MAX", "max"},
	MIN:          {"MIN", "min"},
	MKCONST:      {"MKCONST", "mkconst"},
	NOVALUE:      {"NOVALUE", "novalue"},
	RATE:         {"RATE", "rate"},
	RESCALE:      {"RESCALE", "rescale"},
	SCALAR:       {"SCALAR", "scalar"},
	SUM:          {"SUM", "sum"},
	ABS:          {"ABS", "abs"},
	BOTTOMN:      {"BOTTOMN", "bottomn"},
	CEIL:         {"CEIL", "ceil"},
	CLAMP:        {"CLAMP", "clamp"},
	EXP:          {"EXP", "exp"},
	FLOOR:        {"FLOOR", "floor"},
	LN:           {"LN", "ln"},
	MEDIAN:       {"MEDIAN", "median"},
	POW:          {"POW", "pow"},
	QUANTILE:     {"QUANTILE", "quantile"},
	ROUND:        {"ROUND", "round"},
	SQRT:         {"SQRT", "sqrt"},
	STDDEV:       {"STDDEV", "stddev"},
	TOPN:         {"TOPN", "topn"},
	AVGOVER:      {"AVG_OVER", "avg_over"},
	MAXOVER:      {"MAX_OVER", "max_over"},
	MINOVER:      {"MIN_OVER", "min_over"},
	QUANTILEOVER: {"QUANTILE_OVER", "quantile_over"},
	SHIFT:        {"SHIFT", "shift"},
	SMOOTH:       {"SMOOTH", "smooth"},
}

// String returns the name of the kind in capitals, as debug output and messages have it: PLUS,
// NAME, FILTERINST.
func (t Token) String() string {
	if t < numTokens {
		return tokens[t].name
	}
	return "Token(" + strconv.Itoa(int(t)) + ")"
}

// Symbol returns the text of an operator, a keyword or a function without its parenthesis, and ""
// for every other kind.
func (t Token) Symbol() string {
	if t < numTokens {
		return tokens[t].text
	}
	return ""
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

// keyword returns the kind of a word that is never the name of a metric.
func keyword(word string) (Token, bool) { return find(word, TYPE, META) }

// function returns the kind of a word that is a function when a parenthesis follows.
func function(word string, extended bool) (Token, bool) {
	if extended {
		return find(word, ANON, SMOOTH)
	}
	return find(word, ANON, SUM)
}

// IsFunction reports whether t is a function.
func (t Token) IsFunction() bool { return ANON <= t && t <= SMOOTH }

// IsExtension reports whether t is a function of the extended language alone.
func (t Token) IsExtension() bool { return ABS <= t && t <= SMOOTH }

// IsOverTime reports whether t is a function that looks back in time.
func (t Token) IsOverTime() bool { return AVGOVER <= t && t <= SMOOTH }

// IsGroupable reports whether t is a function that makes one value of all instances, after which by may stand
// in the extended language.
func (t Token) IsGroupable() bool {
	switch t {
	case AVG, COUNT, MAX, MEDIAN, MIN, QUANTILE, STDDEV, SUM:
		return true
	}
	return false
}

func find(text string, from, to Token) (Token, bool) {
	for t := from; t <= to; t++ {
		if tokens[t].text == text {
			return t, true
		}
	}
	return ILLEGAL, false
}
