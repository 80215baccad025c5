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
		{FILTERINST, "FILTERINST", "matchinst", "'matchinst'", -1},
		{SUM, "SUM", "sum", "'sum'", -1},
		{numTokens, fmt.Sprintf("Token(%d)", int(numTokens)), "", fmt.Sprintf("Token(%d)", int(numTokens)), -1},
	}
	for _, tt := range tests {
		if got := tt.tok.String(); got != tt.name {
			t.Errorf("Token(%d).String() = %q, want %q", int(tt.tok), got, tt.name)
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

func TestEveryTokenHasName(t *testing.T) {
	seen := map[string]Token{}
	for tok := range numTokens {
		name := tok.String()
		if name == "" {
			t.Errorf("token %d has no name", int(tok))
		}
		if other, ok := seen[name]; ok {
			t.Errorf("tokens %d and %d are both called %s", int(other), int(tok), name)
		}
		seen[name] = tok
	}
}

func TestFunctionNames(t *testing.T) {
	words := []string{"anon", "avg", "count", "defined", "delta", "instant", "matchinst", "max", "min", "mkconst", "novalue",
		"rate", "rescale", "scalar", "sum"}
	for _, w := range words {
		tok, ok := function(w, false)
		if !ok || tok.Symbol() != w {
			t.Errorf("function(%q) = %v, %v", w, tok, ok)
		}
	}
	for _, w := range []string{"", "meta", "type", "AVG", "average", "+"} {
		if tok, ok := function(w, false); ok {
			t.Errorf("function(%q) = %v, want none", w, tok)
		}
	}
}
