package repl_test

import (
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
)

func TestIncomplete(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Verbs = []*repl.Verb{newGreet(repl.Expr)} })
	for _, tt := range []struct{ text, want string }{
		{"", ""}, {"t.b", ""}, {"t.b +", "+"}, {"t.b ==", "=="}, {"t.b ? t.a", ""}, {"t.b ? t.a :", ":"}, {"t.b,", ","}, {"t.b, ", ","}, {"t.b, t.c", ""}, {"t.b, t.c +", ""}, {"+", ""}, {",", ""},
		{"(t.b", "("}, {"(t.b) + (", "("}, {"sum(t.b)", ""}, {"sum(", "("}, {"(t.b +", "("}, {"mkconst(1,", "("},
		{"t.b[one", "["}, {"t.b[one]", ""}, {`rescale(t.b, "Kb`, `"`}, {`"`, `"`}, {"matchinst(/x", "/"}, {"t.b + \\", `\`},
		{"x = (t.b", "("}, {"x = t.b", ""}, {"x = t.b *", "*"}, {":explain (t.b", "("}, {":greet (t.b", "("}, {":watch 2sec (t.b", ""}, {":list (", ""}, {":foo (", ""},
		{"(t.b ]", ""}, {"(a b", ""}, {"# (", ""}, {`x(oneline) = "a`, `"`}, {`x(oneline) = "a"`, ""}, {"x(oneline) = a", ""},
		{`x(oneline) = 'a"`, "'"}, {`x(oneline) = "a\"`, `"`}, {")(", ""}, {"f(x", ""},
	} {
		if got := s.Incomplete(tt.text); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, tt := range []struct{ text, line, want string }{
		{"(a", "+ b)", "(a + b)"},
		{"a \\", "+ b", "a + b"},
		{`x(helptext) = "a`, `b"`, "x(helptext) = \"a\nb\""},
	} {
		if got := repl.Join(tt.text, tt.line); got != tt.want {
			t.Errorf("%q and %q give %q", tt.text, tt.line, got)
		}
	}
}

func TestParseItem(t *testing.T) {
	for _, tt := range []struct {
		src, kind, name, attr, text string
	}{
		{"", "blank", "", "", ""},
		{"   ", "blank", "", "", ""},
		{"# x = y", "blank", "", "", ""},
		{"t.b", "expression", "", "", "t.b"},
		{"  t.b + 1 ", "expression", "", "", "t.b + 1"},
		{"t.b == 1", "expression", "", "", "t.b == 1"},
		{"t.b <= 1", "expression", "", "", "t.b <= 1"},
		{"t.b >= 1", "expression", "", "", "t.b >= 1"},
		{"t.b != 1", "expression", "", "", "t.b != 1"},
		{"mkconst(1, type=32)", "expression", "", "", "mkconst(1, type=32)"},
		{"novalue(type=32)", "expression", "", "", "novalue(type=32)"},
		{"x = t.b", "definition", "x", "", "t.b"},
		{"x=t.b", "definition", "x", "", "t.b"},
		{" x.y_z2  =  t.b == 2", "definition", "x.y_z2", "", "t.b == 2"},
		{"x = mkconst(1, type=32)", "definition", "x", "", "mkconst(1, type=32)"},
		{"x =", "definition", "x", "", ""},
		{"1x = 2", "definition", "1x", "", "2"},
		{"x(oneline) = some text", "attribute", "x", "oneline", "some text"},
		{"x ( helptext )= \"a = b\"", "attribute", "x", "helptext", "\"a = b\""},
		{"x() = y", "attribute", "x", "", "y"},
		{"= 5", "expression", "", "", "= 5"},
		{"a b = 5", "expression", "", "", "a b = 5"},
		{":list", "command", "list", "", ""},
		{"t.b + 1;", "expression", "", "", "t.b + 1"},
		{"x = t.b ; ", "definition", "x", "", "t.b"},
		{"x(oneline) = a;", "attribute", "x", "oneline", "a;"},
		{"quit;", "command", "quit", "", ""},
		{"exit()", "command", "exit", "", ""},
		{".5", "expression", "", "", ".5"},
		{" :explain  t.b + 1 ", "command", "explain", "", "t.b + 1"},
		{":save! x", "command", "save!", "", "x"},
		{":", "command", "", "", ""},
		{"help", "command", "help", "", ""},
		{"help  units", "command", "help", "", "units"},
		{"helper", "expression", "", "", "helper"},
		{"quit", "command", "quit", "", ""},
		{"exit", "command", "exit", "", ""},
	} {
		kind, name, attr, text, start := repl.ParsedItem(tt.src)
		if kind != tt.kind || name != tt.name {
			t.Errorf("%q: %s %q %q %q", tt.src, kind, name, attr, text)
		} else if attr != tt.attr || text != tt.text {
			t.Errorf("%q: %s %q %q %q", tt.src, kind, name, attr, text)
		}
		if kind != "blank" && tt.src[start:start+len(text)] != text {
			t.Errorf("%q: the text does not begin at %d", tt.src, start)
		}
	}
}

func TestUnquote(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		closed     bool
	}{
		{"plain", "plain", true}, {`"x"`, "x", true}, {`'x"y'`, `x"y`, true}, {`"a\"b"`, `a"b`, true}, {`"a\\"`, `a\`, true},
		{"\"a\\\nb\"", "ab", true}, {"\"a\nb\"", "a\nb", true}, {`"open`, "open", false}, {`"x" rest`, "x", true}, {`"`, "", false}, {"", "", true},
		{`"\`, "", false},
	} {
		if got, closed := repl.Unquote(tt.text); got != tt.want || closed != tt.closed {
			t.Errorf("%q: %q %v", tt.text, got, closed)
		}
	}
}

func TestCutArguments(t *testing.T) {
	for _, tt := range []struct {
		arg      string
		interval time.Duration
		rest     string
	}{
		{"t.b", 0, "t.b"}, {"2sec t.b", 2 * time.Second, "t.b"}, {"5 t.b", 5 * time.Second, "t.b"}, {"5 + t.b", 0, "5 + t.b"}, {"5", 0, "5"},
		{"1.5min t.b / 2", 90 * time.Second, "t.b / 2"}, {"5x t.b", 0, "5x t.b"}, {"0 t.b", 0, "0 t.b"}, {"5 ? a : b", 0, "5 ? a : b"},
	} {
		if d, rest := repl.CutInterval(tt.arg); d != tt.interval || rest != tt.rest {
			t.Errorf("%q: %v %q", tt.arg, d, rest)
		}
	}
	for _, tt := range []struct {
		arg  string
		n    int
		rest string
	}{
		{"t.b", 0, "t.b"}, {"20 t.b", 20, "t.b"}, {"20 * t.b", 0, "20 * t.b"}, {"20", 0, "20"}, {"0 t.b", 0, "0 t.b"}, {"-3 t.b", 0, "-3 t.b"}, {"2.5 t.b", 0, "2.5 t.b"},
	} {
		if n, rest := repl.CutCount(tt.arg); n != tt.n || rest != tt.rest {
			t.Errorf("%q: %v %q", tt.arg, n, rest)
		}
	}
}
