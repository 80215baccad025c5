package diagnose

import (
	"strings"
	"testing"

	"pmtools/derive/check"
	_ "pmtools/test/env"
)

// TestSyntaxProblems covers mistakes, their messages and the place of the caret.
func TestSyntaxProblems(t *testing.T) {
	const operand = "a metric, a number, a function, '(', '-' or '!'"
	for _, tt := range []struct {
		text string
		pos  int
		msg  string
	}{
		{"", 0, "found the end, expected " + operand},
		{"a +", 3, "found the end, expected " + operand},
		{"a + ", 3, "found the end, expected " + operand},
		{"a + * b", 4, "found '*', expected " + operand},
		{"+ a", 0, "found '+', expected " + operand},
		{"* a", 0, "found '*', expected " + operand},
		{") a", 0, "found ')', expected " + operand},
		{"()", 1, "found ')', expected " + operand},
		{"(a", 2, "found the end, expected an operator, an instance in brackets or ')'"},
		{"(a + 1", 6, "found the end, expected an operator or ')'"},
		{"a)", 1, "found ')', expected an operator, an instance in brackets or the end"},
		{"1)", 1, "found ')', expected an operator or the end"},
		{"(1))", 3, "found ')', expected an operator, an instance in brackets or the end"},
		{"a b", 2, "found 'b', expected an operator, an instance in brackets or the end"},
		{"a 1", 2, "found '1', expected an operator, an instance in brackets or the end"},
		{"a, b", 1, "found ',', expected an operator, an instance in brackets or the end"},
		{"a : b", 2, "found ':', expected an operator, an instance in brackets or the end"},
		{"a ? b", 5, "found the end, expected an operator, an instance in brackets or ':'"},
		{"a ?", 3, "found the end, expected a metric, a number, a function, novalue(), '(', '-' or '!'"},
		{"a ? b :", 7, "found the end, expected a metric, a number, a function, novalue(), '(', '-' or '!'"},
		{"a = b", 2, "the operator is '==', not '='"},
		{"a = = b", 2, "found '=', expected an operator, an instance in brackets or the end"},
		{"1e5", 0, "numbers have no exponent"},
		{"1k", 1, "found 'k', expected an operator or the end"},
		{"sum(a)[x]", 6, "an instance stands after a metric or a parenthesis, not after a function"},
		{"1[x]", 1, "found [x], expected an operator or the end"},
		{"avg()", 4, "found ')', expected a metric"},
		{"avg(a + b)", 4, "avg() takes the name of a metric and no expression"},
		{"avg(a b)", 6, "found 'b', expected ')'"},
		{"count(1)", 6, "found '1', expected a metric"},
		{"defined(a b)", 10, "found 'b', expected ')'"},
		{"delta()", 6, "found ')', expected " + operand},
		{"rate(a,b)", 6, "rate() takes fewer arguments"},
		{"rescale(a)", 9, "rescale() takes more arguments"},
		{"rescale(a, Kbyte)", 11, "units stand in double quotes"},
		{`rescale(a "Kbyte")`, 10, `found "Kbyte", expected an operator, an instance in brackets or ','`},
		{"mkconst(a)", 8, "found 'a', expected a number"},
		{"mkconst(1, type)", 15, "found ')', expected '='"},
		{"mkconst(1, type=)", 16, "found ')', expected a value"},
		{"mkconst(1, meta=)", 16, "found ')', expected a metric"},
		{"a == ", 4, "found the end, expected " + operand},
		{"mkconst(1, type=32 x)", 19, "found 'x', expected ',' or ')'"},
		{"mkconst(1.5, type=32)", 20, "incompatible floating point constant and type '32'"},
		{"mkconst(1, indom=x)", 17, "illegal indom: 'x'"},
		{"mkconst(1, units=\"kilobites\")", 17, "illegal units: 'unrecognized or duplicate base unit'"},
		{"matchinst(a, b)", 10, "found 'a', expected '!' or a pattern between slashes"},
		{"matchinst(/a/ b)", 14, "found 'b', expected ','"},
		{"matchinst(/a/, b", 16, "found the end, expected an operator, an instance in brackets or ')'"},
		{"meta(a)", 0, "found 'meta', expected " + operand},
		{"type", 0, "found 'type', expected " + operand},
		{"a ; b", 2, "expressions have commas between them"},
		{"a | b", 2, "there are no operators on bits; '||' is the logical one"},
		{"a['x", 1, "unterminated instance name"},
	} {
		p := syntaxOf(tt.text)
		if p == nil {
			t.Errorf("%q: no problem", tt.text)
			continue
		}
		if p.Msg != tt.msg || p.Pos != tt.pos {
			t.Errorf("%q: at %d %s\nwant at %d %s", tt.text, p.Pos, p.Msg, tt.pos, tt.msg)
		}
	}
}

// TestSyntaxProblemOfLongText covers a text too long for trying out what may follow.
func TestSyntaxProblemOfLongText(t *testing.T) {
	p := syntaxOf(strings.Repeat("a + ", 100000) + ")")
	if p == nil || p.Msg == "" || p.Pos != 400000 {
		t.Errorf("%v", p)
	}
}

// syntaxOf parses an expression and returns its problem, or nil.
func syntaxOf(text string) *Problem {
	_, err := check.Syntax().Parse(text)
	if err == nil {
		return nil
	}
	return Syntax(text, err)
}
