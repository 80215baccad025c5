package expand_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
	_ "pmtools/test/env"
)

// newExpander returns an Expander of definitions, each "NAME = EXPR", and the expressions by name.
func newExpander(t *testing.T, definitions ...string) (*expand.Expander[*derive.Definition], map[string]*derive.Definition) {
	t.Helper()
	all := make(map[string]*derive.Definition)
	for _, d := range definitions {
		name, expr, _ := strings.Cut(d, " = ")
		p, err := derive.Compile(name, expr)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p
	}
	return expand.New(func(name string) *derive.Definition { return all[name] }), all
}

func TestExpand(t *testing.T) {
	n, all := newExpander(t, "a = m.x * 2", "b = a + a[one]", "c = rate(b) / b", "plain = m.x",
		"self = self", "e = 1 + f", "f = g", "g = e ? 1 : 2", "user = 1 + e",
		"sum = sum(a)", "above = m.x - sum", "top = above", "anon = anon(PM_TYPE_U32)", "meta = mkconst(1, meta=a)",
		"PM_TYPE_U32 = 1", "count = count(m.x) + a")
	for _, tc := range []struct{ name, want string }{
		{"a", "m.x * 2"},
		{"b", "(m.x * 2) + (m.x * 2)[one]"},
		{"c", "rate(((m.x * 2) + (m.x * 2)[one])) / ((m.x * 2) + (m.x * 2)[one])"},
		{"plain", "m.x"},
		{"anon", "anon(PM_TYPE_U32)"},
		{"meta", "mkconst(1, meta=a)"},
		{"count", "count(m.x) + (m.x * 2)"},
		{"self", "0 self is defined by itself; self -> self"},
		{"e", "4 e is defined by itself; e -> f -> g -> e"},
		{"g", "0 g is defined by itself; g -> e -> f -> g"},
		{"user", "[e]4 e is defined by itself; e -> f -> g -> e"},
		{"sum", "4 sum() takes the name of a metric and no expression, and a is a derived metric"},
		{"top", "[above sum]4 sum() takes the name of a metric and no expression, and a is a derived metric"},
	} {
		x, err := n.Expand(all[tc.name])
		var bad *check.Error
		got := ""
		switch {
		case errors.As(err, &bad):
			var path []string
			for _, ref := range bad.Path {
				path = append(path, ref.Name)
			}
			if path != nil {
				got = fmt.Sprint(path)
			}
			got += fmt.Sprintf("%d %s", bad.Pos, strings.Join(append([]string{bad.Text}, bad.Notes...), "; "))
		case err == nil:
			got = syntax.Print(x)
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	x, err := n.Expand(all["c"])
	if got := fmt.Sprint(expand.Names(x)); err != nil || got != "[b a]" {
		t.Errorf("c has %s in it, %v", got, err)
	}
}

// TestLimits covers definitions that are too large inside each other.
func TestLimits(t *testing.T) {
	list := []string{"c0 = m", "d0 = m"}
	for i := range 2000 {
		list = append(list, fmt.Sprintf("c%d = c%d", i+1, i), fmt.Sprintf("d%d = d%d * d%d", i+1, i, i))
	}
	row, parens := strings.Repeat("m+", syntax.MaxHeight/2)+"m", strings.Repeat("(", syntax.MaxDepth/2)
	list = append(list, "row = "+row, "rows = row + row", "high = "+strings.Repeat("m+", syntax.MaxHeight/2)+"m+rows",
		"deep = "+parens+"m"+strings.ReplaceAll(parens, "(", ")"), "deeper = -(deep)", "deepest = "+parens+"deeper"+strings.ReplaceAll(parens, "(", ")"),
		"choices = "+strings.Repeat("1?2:", syntax.MaxHeight-3)+"3", "choice = choices + m",
		"instances = "+strings.Repeat("(", syntax.MaxDepth-2)+"m"+strings.Repeat(")[i]", syntax.MaxDepth-2), "instance = instances[i]")
	n, all := newExpander(t, list...)
	for _, tc := range []struct{ name, want string }{
		{"c2000", "definitions are nested too deeply: more than 1000 inside each other"},
		{"c1001", "definitions are nested too deeply: more than 1000 inside each other"},
		{"c1000", ""},
		{"d16", ""},
		{"d40", "the expanded expression is too long: more than 1048576 bytes"},
		{"d2000", "definitions are nested too deeply: more than 1000 inside each other"},
		{"rows", ""},
		{"high", ""},
		{"deeper", ""},
		{"choices", ""},
		{"choice", ""},
		{"instances", ""},
		{"instance", ""},
		{"deepest", "the expanded expression is too deep: more than 9990 operators or parentheses inside each other"},
	} {
		_, err := n.Expand(all[tc.name])
		var bad *check.Error
		if errors.As(err, &bad); bad == nil && tc.want != "" || bad != nil && (bad.Text != tc.want || bad.Path != nil) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}
