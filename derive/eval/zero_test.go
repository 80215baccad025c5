package eval_test

import (
	"testing"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/lib/pcp"
)

// TestZero evaluates what New has not made, and checks without metrics.
func TestZero(t *testing.T) {
	for _, s := range []*eval.State{new(eval.State), new(eval.Plan).NewState()} {
		out := pcp.Values{Insts: []int32{1}, Words: []uint64{1}}
		if s.Eval(new(eval.Input), &out); out.Len() != 0 || out.Err != nil {
			t.Errorf("%+v", out)
		}
	}
	var c check.Checker
	for text, good := range map[string]bool{"mkconst(1, type=u32)": true, "x": false} {
		tree, err := check.PCP.Syntax().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Check(tree, nil); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}
