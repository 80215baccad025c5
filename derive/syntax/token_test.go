package syntax

import (
	"fmt"
	"testing"
)

func TestTokenNames(t *testing.T) {
	tests := []struct {
		tok                   Token
		name, symbol, goQuote string
		precedence            int
	}{
		{ILLEGAL, "ERROR", "", "ERROR", -1},
		{EOS, "EOS", "", "EOS", -1},
		{NAME, "NAME", "", "NAME", -1},
		{INTEGER, "INTEGER", "", "INTEGER", -1},
		{INSTNAME, "INSTNAME", "", "INSTNAME", -1},
		{QUEST, "QUEST", "?", "'?'", 0},
		{AND, "AND", "&&", "'&&'", 1},
		{OR, "OR", "||", "'||'", 1},
		{NOT, "NOT", "!", "'!'", -1},
		{LT, "LT", "<", "'<'", 3},
		{LEQ, "LEQ", "<=", "'<='", 3},
		{EQ, "EQ", "==", "'=='", 3},
		{GEQ, "GEQ", ">=", "'>='", 3},
		{GT, "GT", ">", "'>'", 3},
		{NEQ, "NEQ", "!=", "'!='", 3},
		{PLUS, "PLUS", "+", "'+'", 4},
		{MINUS, "MINUS", "-", "'-'", 4},
		{STAR, "STAR", "*", "'*'", 5},
		{SLASH, "SLASH", "/", "'/'", 5},
		{COLON, "COLON", ":", "':'", -1},
		{ASSIGN, "ASSIGN", "=", "'='", -1},
		{META, "META", "meta", "'meta'", -1},
		{"matchinst", "FILTERINST", "matchinst", "'matchinst'", -1},
		{"sum", "SUM", "sum", "'sum'", -1},
		{"avg_over", "AVG_OVER", "avg_over", "'avg_over'", -1},
	}
	for _, tt := range tests {
		if got := tt.tok.String(); got != tt.name {
			t.Errorf("Token(%q).String() = %q, want %q", string(tt.tok), got, tt.name)
		}
		if got := tt.tok.Symbol(); got != tt.symbol {
			t.Errorf("%v.Symbol() = %q, want %q", tt.tok, got, tt.symbol)
		}
		if got := fmt.Sprintf("%#v", tt.tok); got != tt.goQuote {
			t.Errorf("%%#v of %v is %s, want %s", tt.tok, got, tt.goQuote)
		}
		if got := tt.tok.Precedence(); got != tt.precedence {
			t.Errorf("%v.Precedence() = %d, want %d", tt.tok, got, tt.precedence)
		}
	}
}

// TestFunctionTokens: a name is a function where a parenthesis follows, those of the extended language only there.
func TestFunctionTokens(t *testing.T) {
	for _, tt := range []struct {
		text          string
		pcp, extended Token
	}{
		{"sum(", "sum", "sum"}, {"anon(", "anon", "anon"}, {"matchinst(", "matchinst", "matchinst"},
		{"abs(", NAME, "abs"}, {"topn(", NAME, "topn"}, {"smooth(", NAME, "smooth"}, {"avg_over(", NAME, "avg_over"},
		{"sum (", NAME, NAME}, {"sum", NAME, NAME}, {"SUM(", NAME, NAME}, {"average(", NAME, NAME},
		{"meta(", META, META}, {"meta", META, META}, {"units", UNITS, UNITS},
	} {
		for _, extended := range []bool{false, true} {
			s, want := scanner{src: tt.text, extended: extended}, tt.pcp
			if extended {
				want = tt.extended
			}
			if s.next(); s.tok != want {
				t.Errorf("%s, extended %v: %v, want %v", tt.text, extended, s.tok, want)
			}
		}
	}
}
