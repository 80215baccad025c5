package syntax

import (
	"math"
	"strings"
	"testing"
)

// scanAll returns the tokens of a text as one string: kind, literal if there is one, and offset.
func scanAll(src string, pattern bool) string {
	s := scanner{src: src}
	var b strings.Builder
	for range len(src) + 1 {
		if pattern {
			s.nextPattern()
		} else {
			s.next()
		}
		b.WriteString(s.tok.String())
		switch s.tok {
		case NAME, INTEGER, DOUBLE, STRING, INSTNAME, PATTERN, ILLEGAL:
			b.WriteString("{" + s.lit + "}")
		}
		if s.tok == EOS || s.tok == ILLEGAL {
			break
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func TestScan(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "EOS"},
		{"blank", " \t\n\v\f\r", "EOS"},
		{"integer", "42 007 4294967295", "INTEGER{42} INTEGER{007} INTEGER{4294967295} EOS"},
		{"leading zeros", "00000000000000000000007", "INTEGER{00000000000000000000007} EOS"},
		{"too large", "4294967296", "ERROR{Constant value too large}"},
		{"far too large", "99999999999999999999999", "ERROR{Constant value too large}"},
		{"double", "5. .5 . 1.25", "DOUBLE{5.} DOUBLE{.5} DOUBLE{.} DOUBLE{1.25} EOS"},
		{"two points", "1.2.3", "DOUBLE{1.2} DOUBLE{.3} EOS"},
		{"large double", "4294967296.", "DOUBLE{4294967296.} EOS"},
		{"no exponent", "1e5", "INTEGER{1} NAME{e5} EOS"},
		{"no hexadecimal", "0x10", "INTEGER{0} NAME{x10} EOS"},
		{"name", "a..b a.b. A_1", "NAME{a..b} NAME{a.b.} NAME{A_1} EOS"},
		{"underscore first", "_a", "ERROR{Illegal character}"},
		{"function", "avg(a)", "AVG LPAREN NAME{a} RPAREN EOS"},
		{"function with blank", "avg (a)", "NAME{avg} LPAREN NAME{a} RPAREN EOS"},
		{"function in capitals", "Avg(a)", "NAME{Avg} LPAREN NAME{a} RPAREN EOS"},
		{"function without parenthesis", "delta", "NAME{delta} EOS"},
		{"keywords", "type semantics units indom meta", "TYPE SEMANTICS UNITS INDOM META EOS"},
		{"keyword in capitals", "Type", "NAME{Type} EOS"},
		{"keyword as prefix", "type.x typex", "NAME{type.x} NAME{typex} EOS"},
		{"keyword with parenthesis", "meta(type(", "META LPAREN TYPE LPAREN EOS"},
		{"string", `"a b" "" "a\"`, `STRING{a b} STRING{} STRING{a\} EOS`},
		{"string without end", `"abc`, "ERROR{unterminated STRING}"},
		{"single quotes", `'a'`, "ERROR{Illegal character}"},
		{"instance", `[a b] [] [a\]b] [\\] [\a]`, `INSTNAME{a b} INSTNAME{} INSTNAME{a]b} INSTNAME{\} INSTNAME{a} EOS`},
		{"instance without end", "[abc", "ERROR{unterminated instance name}"},
		{"instance with open escape", `[abc\`, "ERROR{unterminated instance name}"},
		{"instance with escaped end", `[abc\]`, "ERROR{unterminated instance name}"},
		{"operators", "+-*/<<===>=>!=&&||!?:(),=", "PLUS MINUS STAR SLASH LT LEQ EQ GEQ GT NEQ AND OR NOT QUEST COLON " +
			"LPAREN RPAREN COMMA ASSIGN EOS"},
		{"equals", "= = == ===", "ASSIGN ASSIGN EQ EQ ASSIGN EOS"},
		{"lone ampersand", "&", "ERROR{Illegal character}"},
		{"lone bar", "a | b", "NAME{a} ERROR{Illegal character}"},
		{"high byte", "\x80", "ERROR{Illegal character}"},
		{"letter of another script", "é", "ERROR{Illegal character}"},
		{"null byte", "a\x00", "NAME{a} ERROR{Illegal character}"},
		{"slash", "/x/", "SLASH NAME{x} SLASH EOS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := scanAll(tt.src, false); got != tt.want {
				t.Errorf("scan %q:\n got %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

func TestScanPattern(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"plain", "/^sd/", "PATTERN{^sd} EOS"},
		{"empty", "//", "PATTERN{} EOS"},
		{"escaped slash", `/a\/b/`, "PATTERN{a/b} EOS"},
		{"escaped backslash", `/m-4\\d/`, `PATTERN{m-4\d} EOS`},
		{"escaped point", `/a\.b/`, "PATTERN{a.b} EOS"},
		{"no end", "/abc", "ERROR{unterminated pattern}"},
		{"escaped end", `/abc\/`, "ERROR{unterminated pattern}"},
		{"blank before", "  /a b/", "PATTERN{a b} EOS"},
		{"other token", "! a", "NOT NAME{a} EOS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := scanAll(tt.src, true); got != tt.want {
				t.Errorf("scan %q:\n got %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

func TestScanPositions(t *testing.T) {
	tests := []struct {
		src  string
		want []Pos
	}{
		{"", []Pos{-1}},
		{"  ", []Pos{1}},
		{"a", []Pos{0, 0}},
		{"a ", []Pos{0, 1}},
		{` a+"s"[x]`, []Pos{1, 2, 3, 6, 8}},
		{"a &", []Pos{0, 2}},
		{`a "b`, []Pos{0, 2}},
		{"a [b", []Pos{0, 2}},
		{"a 4294967296", []Pos{0, 2}},
	}
	for _, tt := range tests {
		s := scanner{src: tt.src}
		for i, want := range tt.want {
			if s.next(); s.pos != want {
				t.Errorf("scan %q: token %d is at %d, want %d", tt.src, i, s.pos, want)
			}
		}
	}
}

func TestFloat(t *testing.T) {
	tests := []struct {
		lit  string
		want float64
	}{
		{".", 0},
		{"5.", 5},
		{".5", 0.5},
		{"1.25", 1.25},
		{"007.50", 7.5},
		{strings.Repeat("9", 400) + ".", math.Inf(1)},
		{"." + strings.Repeat("0", 400) + "1", 0},
	}
	for _, tt := range tests {
		if got := float(tt.lit); got != tt.want {
			t.Errorf("float(%.20q) = %v, want %v", tt.lit, got, tt.want)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	b.SetBytes(int64(len(benchExpr)))
	for b.Loop() {
		s := scanner{src: benchExpr}
		for s.next(); s.tok != EOS; s.next() {
			if s.tok == ILLEGAL {
				b.Fatal(s.lit)
			}
		}
	}
}
