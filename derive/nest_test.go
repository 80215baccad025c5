package derive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// newNest returns a Nest of definitions, each "NAME = EXPR", and the expressions by name.
func newNest(t *testing.T, definitions ...string) (*derive.Nest, map[string]*derive.Program) {
	t.Helper()
	all := make(map[string]*derive.Program)
	for _, d := range definitions {
		name, expr, _ := strings.Cut(d, " = ")
		p, err := derive.Compile(name, expr)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p
	}
	return derive.NewNest(func(name string) *derive.Program { return all[name] }), all
}

func TestNest(t *testing.T) {
	nest, all := newNest(t, "a = m.x * 2", "b = a + a[one]", "c = rate(b) / b", "plain = m.x",
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
		x, err := nest.Expand(all[tc.name])
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
	x, err := nest.Expand(all["c"])
	if got := fmt.Sprint(derive.Nested(x)); err != nil || got != "[b a]" {
		t.Errorf("c has %s in it, %v", got, err)
	}
}

// TestNestLimits has definitions that are too large inside each other.
func TestNestLimits(t *testing.T) {
	list := []string{"c0 = m", "d0 = m"}
	for i := range 2000 {
		list = append(list, fmt.Sprintf("c%d = c%d", i+1, i), fmt.Sprintf("d%d = d%d * d%d", i+1, i, i))
	}
	row, parens := strings.Repeat("m+", syntax.MaxHeight/2)+"m", strings.Repeat("(", syntax.MaxDepth/2)
	list = append(list, "row = "+row, "rows = row + row", "high = "+strings.Repeat("m+", syntax.MaxHeight/2)+"m+rows",
		"deep = "+parens+"m"+strings.ReplaceAll(parens, "(", ")"), "deeper = -(deep)", "deepest = "+parens+"deeper"+strings.ReplaceAll(parens, "(", ")"))
	nest, all := newNest(t, list...)
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
		{"deepest", "the expanded expression is too deep: more than 9990 operators or parentheses inside each other"},
	} {
		_, err := nest.Expand(all[tc.name])
		var bad *check.Error
		if errors.As(err, &bad); bad == nil && tc.want != "" || bad != nil && (bad.Text != tc.want || bad.Path != nil) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestNestedSource evaluates derived metrics that are operands of others.
func TestNestedSource(t *testing.T) {
	ctx := context.Background()
	reg := derive.NewRegistry(nil)
	for name, expr := range map[string]string{"g.a": "sample.long.ten * 2", "g.hidden": "1", "g.bad": "sample.long.ten + nosuch"} {
		if err := reg.Register(name, expr); err != nil {
			t.Fatal(err)
		}
	}
	src := derive.NewSource(newFake("sample.long.one|32|null|instant||1\nsample.long.ten|32|null|instant||10"), reg, &derive.Options{Nested: true, Warn: func(string) {}})
	if err := src.Add(ctx, "l.b", "g.a + g.a"); err != nil {
		t.Fatal(err)
	}
	ids := src.Define(compile(t, "g.hidden", "7"), compile(t, "", "l.b + g.hidden"), compile(t, "", "defined(nosuch) ? g.bad : l.b"),
		compile(t, "", "g.bad * 2"), compile(t, "", "mkconst(3, meta=g.a)"), compile(t, "sample.long.one", "sample.long.one + 1"), compile(t, "", "sample.long.one"))
	found, err := src.Check(ctx, ids...)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"7", "((sample.long.ten * 2) + (sample.long.ten * 2)) + (7)",
		"defined(nosuch) ? (sample.long.ten + nosuch) : ((sample.long.ten * 2) + (sample.long.ten * 2))",
		"(sample.long.ten + nosuch) * 2", "mkconst(3, meta=g.a)", "sample.long.one + 1", "sample.long.one"} {
		if got := syntax.Print(found[i].Expr); got != want || found[i].Masked != (i == 5) || (found[i].Err != nil) != (i == 3) {
			t.Errorf("%d is %s, masked: %v, %v", i, got, found[i].Masked, found[i].Err)
		}
	}
	var bad *check.Error
	if !errors.As(found[3].Err, &bad) || bad.What != "operand nosuch" || bad.Pos != 18 || len(bad.Path) != 1 || bad.Path[0].NamePos != 0 || !errors.Is(bad.Err, pmerr.Name) {
		t.Errorf("the error is %+v", found[3].Err)
	}
	if got := values(t, src, ids[1]); got != 47 {
		t.Errorf("the value is %v", got)
	}
	if got := values(t, src, ids[2]); got != 40 {
		t.Errorf("the value of a choice is %v", got)
	}
	if names, _ := src.Lookup(ctx, []string{""}); names[0].Err == nil {
		t.Error("an expression without a name is found")
	}
	// A later definition changes what a name means to the expressions after it.
	src.Define(compile(t, "g.a", "100"))
	if got := values(t, src, src.Define(compile(t, "", "g.a + 1"))[0]); got != 101 {
		t.Errorf("after a definition the value is %v", got)
	}
}

func compile(t *testing.T, name, expr string) *derive.Program {
	t.Helper()
	p, err := derive.Compile(name, expr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// values fetches a metric with one value.
func values(t *testing.T, src *derive.Source, id pcp.ID) float64 {
	t.Helper()
	v, err := fetchOne(t, src, id).Value(0).Float64()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
