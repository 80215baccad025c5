package eval_test

import (
	"fmt"
	"testing"

	"pmtools/derive/eval"
	"pmtools/lib/pcp"
)

// TestNamesAreAskedOnce counts the requests for instances.
func TestNamesAreAskedOnce(t *testing.T) {
	w := newWorld(oneWorld)
	tests := []struct {
		expr  string
		asked int
	}{{"i32s[three]", 1}, {"i32s[nosuch]", 300}, {"matchinst(/./, i32s)", 3}}
	for _, tt := range tests {
		_, info, plan := compile(t, w, tt.expr)
		s, n := plan.NewState(), &names{}
		var dst pcp.Values
		for range 300 {
			s.Eval(&eval.Input{Columns: inputs(t, w, info, "i32s: 1=1 2=2 3=3"), Instances: n}, &dst)
		}
		if n.asked != tt.asked {
			t.Errorf("%s: %d questions, want %d", tt.expr, n.asked, tt.asked)
		}
	}
}

// TestForgetting covers an instance that is rarely present: its name is requested again after a
// hundred evaluations, not before.
func TestForgetting(t *testing.T) {
	w := newWorld(oneWorld)
	_, info, plan := compile(t, w, "matchinst(/./, i32s)")
	s, n := plan.NewState(), &names{}
	var dst pcp.Values
	var asked []int
	for i := range 201 {
		in := "i32s: 1=1"
		if i%10 == 0 {
			in = "i32s: 1=1 7=7"
		}
		before := n.asked
		s.Eval(&eval.Input{Columns: inputs(t, w, info, in), Instances: n}, &dst)
		if n.asked > before {
			asked = append(asked, i)
		}
	}
	if fmt.Sprint(asked) != "[0 100 200]" {
		t.Errorf("asked at evaluations %v", asked)
	}
}

// TestUnknownNames covers an instance whose name is not known at first. It does not pass, and is
// not asked about again before it is forgotten; evaluations without values count for that.
func TestUnknownNames(t *testing.T) {
	w := newWorld(oneWorld)
	for _, expr := range []string{"matchinst(/./, i32s)", "matchinst(!/nosuch/, i32s)"} {
		_, info, plan := compile(t, w, expr)
		s, n := plan.NewState(), &names{}
		var dst pcp.Values
		var seen []int
		for i := range 120 {
			in := "i32s:"
			if i >= 60 {
				in = "i32s: 1=1 7=7"
			}
			n.nameless = i < 70
			s.Eval(&eval.Input{Columns: inputs(t, w, info, in), Instances: n}, &dst)
			if len(dst.Insts) > 0 {
				seen = append(seen, i)
			}
		}
		if n.asked != 4 || len(seen) != 20 || seen[0] != 100 {
			t.Errorf("%s: %d questions, instances at evaluations %v", expr, n.asked, seen)
		}
	}
}
