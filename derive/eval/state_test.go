package eval_test

import (
	"errors"
	"strings"
	"testing"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/lib/pcp"
)

// TestErrors covers operands with errors and without values, and columns that break the rules.
func TestErrors(t *testing.T) {
	tests := []struct{ name, expr, in, want string }{
		{"left error wins", "i32 + u32", "i32: E(-12389); u32: E(-12351)", "E(-12389)"},
		{"right error", "i32 + u32", "i32: none; u32: E(-12351)", "E(-12351)"},
		{"left none", "i32 + u32", "i32: none; u32: 1", "none"},
		{"right none", "i32s + u32", "i32s: 1=1; u32: none", "none"},
		{"negated error", "-i32", "i32: E(-12351)", "E(-12351)"},
		{"count of error", "count(i32s)", "i32s: E(-12351)", "0"},
		{"count of none", "count(i32s)", "i32s: none", "0"},
		{"sum of error", "sum(i32s)", "i32s: E(-12351)", "E(-12351)"},
		{"sum of none", "sum(i32s)", "i32s: none", "0"},
		{"avg of none", "avg(i32s)", "i32s: none", "0"},
		{"min of none", "min(i32s)", "i32s: none", "none"},
		{"scalar of none", "scalar(i32s)", "i32s: none", "none"},
		{"scalar of error", "scalar(i32s)", "i32s: E(-12351)", "E(-12351)"},
		{"selection of error", "i32s[one]", "i32s: E(-12351)", "E(-12351)"},
		{"match of error", "matchinst(/x/, i32s)", "i32s: E(-12351)", "E(-12351)"},
		{"name unknown", "matchinst(!/x/, i32s)", "i32s: 1=1 77777=2", "1=1"},
		{"rescale of none", `rescale(b, "Kbyte")`, "b: none", "none"},
		{"condition error", "i32 ? u32 : u32", "i32: E(-12351); u32: E(-12389)", "E(-12351)"},
		{"unused arm error", "i32 ? i32s : j32s", "i32: 1; i32s: 1=1; j32s: E(-12389)", "E(-12389)"},
		{"arm none", "i32 ? i32s : j32s", "i32: 1; i32s: 1=1; j32s: none", "none"},
		{"condition none", "i32 ? i32s : j32s", "i32: none; i32s: 1=1; j32s: 2=2", "none"},
		{"static arm", "1 ? i32s : j32s", "i32s: 1=1; j32s: E(-12351)", "1=1"},
		{"delta error", "delta(i32)", "i32: E(-12351)", "E(-12351)"},
		{"odd values", "i32s + 1", "i32s: 1=1 2=bad 3=3", "1=2 3=4"},
		{"odd strings", "instant(strs)", "strs: 1=bad 2=y", "2=y"},
	}
	w := newWorld(oneWorld)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t, w, tt.expr, tt.in)[0]; got != tt.want {
				t.Errorf("%s is %s, want %s", tt.expr, got, tt.want)
			}
		})
	}
}

// TestBrokenColumns covers inputs that break the contract; none may panic.
func TestBrokenColumns(t *testing.T) {
	w := newWorld(oneWorld)
	tests := []struct {
		name string
		cols []*pcp.Values
		want string
	}{
		{"no columns", nil, "none"},
		{"nil column", []*pcp.Values{nil}, "none"},
		{"other type", []*pcp.Values{{Type: pcp.Double, Insts: []int32{1}, Words: []uint64{1}}}, "E(-12397)"},
		{"too few words", []*pcp.Values{{Type: pcp.Int32, Insts: []int32{1, 2}, Words: []uint64{1}}}, "E(-12397)"},
		{"other type without values", []*pcp.Values{{Type: pcp.Unknown}}, "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, plan := compile(t, w, "i32s + 1")
			var dst pcp.Values
			plan.NewState().Eval(&eval.Input{Columns: tt.cols}, &dst)
			if got := text(&dst); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	for _, expr := range []string{"i32s[one]", "matchinst(/x/, i32s)", "mkconst(1,indom=60.1)"} {
		_, info, plan := compile(t, w, expr)
		var dst pcp.Values
		plan.NewState().Eval(&eval.Input{Columns: inputs(t, w, info, "i32s: 1=1")}, &dst)
		if got := text(&dst); got != "none" {
			t.Errorf("%s without instances: %s", expr, got)
		}
	}
}

// TestProfile restricts a constant to the instances of a profile.
func TestProfile(t *testing.T) {
	_, _, plan := compile(t, world{}, "mkconst(5,indom=60.1)")
	p := &pcp.Profile{}
	p.Del(pcp.NewInDom(60, 1))
	p.Add(pcp.NewInDom(60, 1), 2)
	var dst pcp.Values
	plan.NewState().Eval(&eval.Input{Instances: &names{}, Profile: p}, &dst)
	if got := text(&dst); got != "2=5" {
		t.Errorf("got %s", got)
	}
}

// TestPlanIsShared evaluates one plan in two states, whose histories have nothing to do with each
// other.
func TestPlanIsShared(t *testing.T) {
	w := newWorld(oneWorld)
	_, info, plan := compile(t, w, "delta(i32)")
	a, b := plan.NewState(), plan.NewState()
	var dst pcp.Values
	a.Eval(&eval.Input{Columns: inputs(t, w, info, "i32: 1")}, &dst)
	b.Eval(&eval.Input{Columns: inputs(t, w, info, "i32: 5")}, &dst)
	if text(&dst) != "none" {
		t.Errorf("second state has %s", text(&dst))
	}
	a.Eval(&eval.Input{Columns: inputs(t, w, info, "i32: 3")}, &dst)
	if text(&dst) != "2" {
		t.Errorf("first state has %s", text(&dst))
	}
}

// TestDeepTree evaluates expressions as deep and as long as the parser takes them.
func TestDeepTree(t *testing.T) {
	w := newWorld(oneWorld)
	long := "i32" + strings.Repeat("+i32", 50_000)
	deep := strings.Repeat("(i32+", 4000) + "i32" + strings.Repeat(")", 4000)
	for expr, want := range map[string]string{long: "50001", deep: "4001", strings.Repeat("-", 9000) + "i32": "1"} {
		_, info, plan := compile(t, w, expr)
		var dst pcp.Values
		plan.NewState().Eval(&eval.Input{Columns: inputs(t, w, info, "i32: 1")}, &dst)
		if got := text(&dst); got != want {
			t.Errorf("%.20s...: %s, want %s", expr, got, want)
		}
	}
}

// TestCheckErrors makes sure that what the evaluator cannot do is refused before.
func TestCheckErrors(t *testing.T) {
	w := newWorld(oneWorld)
	for _, expr := range []string{"!s", "-s", "s + 1", "sum(s)", "delta(s)", `rescale(s,"byte")`} {
		e, err := check.Syntax().Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		var bad *check.Error
		if _, err := check.Check(e, w, nil); !errors.As(err, &bad) {
			t.Errorf("%s: %v", expr, err)
		}
	}
}
