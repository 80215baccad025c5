package derive_test

import (
	"context"
	"errors"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestNestedSource evaluates derived metrics that are operands of others.
func TestNestedSource(t *testing.T) {
	ctx := context.Background()
	reg := derive.NewRegistry(nil)
	for name, expr := range map[string]string{"g.a": "sample.long.ten * 2", "g.hidden": "1", "g.bad": "sample.long.ten + nosuch"} {
		if err := reg.Register(name, expr); err != nil {
			t.Fatal(err)
		}
	}
	src := derive.NewSource(newFake("sample.long.one|32|null|instant||1\nsample.long.ten|32|null|instant||10"), reg.Set(), &derive.Options{Nested: true, Warn: func(_, _ string) {}})
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
	if !errors.As(found[3].Err, &bad) {
		t.Errorf("the error is %+v", found[3].Err)
	} else if bad.What != "operand nosuch" || bad.Pos != 18 {
		t.Errorf("the error is %+v", found[3].Err)
	} else if len(bad.Path) != 1 || bad.Path[0].NamePos != 0 || !errors.Is(bad.Err, pmerr.Name) {
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

func compile(t *testing.T, name, expr string) *derive.Definition {
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
