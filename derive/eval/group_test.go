package eval_test

import (
	"slices"
	"testing"

	"pmtools/derive/eval"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A grouper puts instances into groups by their numbers: those with the same remainder of a division by 3 are
// together, in another way for each domain and version. It knows nothing of instance 77777.
type grouper struct{ version int }

func (g grouper) Groups(by pcp.InDom, known int, insts, groups []int32) (int, error) {
	if slices.Contains(insts, 77777) {
		return 0, pmerr.IPC
	}
	if known == g.version {
		return known, nil
	}
	for i, inst := range insts {
		groups[i] = (inst+int32(by)%5*int32(g.version-1))%3 + 100
	}
	return g.version, nil
}

// TestGroups covers functions of the instances of groups: instance 3 is in group 100, 1 and 4 are in 101, 2 and 5
// in 102. From the fourth sample on the groups are others.
func TestGroups(t *testing.T) {
	w := newWorld(oneWorld)
	for _, tt := range []struct {
		expr    string
		samples []string
		want    []string
	}{
		{"sum(i32s) by (a)", []string{"i32s: 1=1 2=10 4=100 5=1000 3=7", "i32s: 5=1", "i32s: none", "i32s: none"}, []string{"101=101 102=1010 100=7", "102=1", "none", "none"}},
		{"sum(i32s) by (a)", []string{"i32s: E(-12389)", "i32s: 1=2147483647 4=1"}, []string{"E(-12389)", "101=-2147483648"}},
		{"count(i32s) by (a)", []string{"i32s: 1=1 2=10 4=100", "i32s: E(-12389)", "i32s: none"}, []string{"101=2 102=1", "E(-12389)", "none"}},
		{"count(strs) by (a)", []string{"strs: 1=x 2=y 4=z"}, []string{"101=2 102=1"}},
		{"avg(u32s) by (a)", []string{"u32s: 4=1 1=2 3=4294967295"}, []string{"101=1.5 100=4.2949673e+09"}},
		{"max(ds) by (a)", []string{"ds: 1=1 4=NaN 2=NaN 5=3", "ds: 4=-1 1=-3"}, []string{"101=1 102=NaN", "101=-1"}},
		{"min(fs) by (a)", []string{"fs: 1=1.5 4=-2 3=0.25"}, []string{"101=-2 100=0.25"}},
		{"median(i32s) by (a)", []string{"i32s: 1=1 2=10 4=4"}, []string{"101=2.5 102=10"}},
		{"quantile(1, ds) by (a)", []string{"ds: 1=1 2=10 4=4 5=NaN"}, []string{"101=4 102=NaN"}},
		{"stddev(i32s) by (a)", []string{"i32s: 1=2 4=4 2=7"}, []string{"101=1 102=0"}},
		{"sum(rate(dc)) by (a)", []string{"dc: 1=1 2=1 4=1", "dc: 1=3 2=0 4=9 5=1", "dc: 5=7 4=9"}, []string{"none", "101=10", "102=6 101=0"}},
		{"rate(sum(dc) by (a))", []string{"dc: 1=1 2=1 4=1", "dc: 1=3 2=0 4=9 5=1", "dc: 5=7 4=19"}, []string{"none", "101=10 102=0", "102=6 101=7"}},
		{"sum(i32s) by (a) - min(i32s) by (a) * 2", []string{"i32s: 1=1 2=10 4=100"}, []string{"101=99 102=4294967286"}},
		{"sum(sum(i32s) by (a)) by (b)", []string{"i32s: 1=1 2=10 3=100"}, []string{"102=1 100=10 101=100"}},
		{"sum(sum(i32s) by (a))", []string{"i32s: 1=1 2=10 3=100"}, []string{"111"}},
		{"avg_over(sum(i32s) by (a), 2s)", []string{"i32s: 1=1 2=10", "i32s: 4=3"}, []string{"101=1 102=10", "101=2"}},
		{"sum(i32s) by (a)", []string{"i32s: 1=1", "i32s: 1=1", "i32s: 1=1", "i32s: 1=1 2=2 3=3"}, []string{"101=1", "101=1", "101=1", "100=1 101=2 102=3"}},
		{"sum(i32s) by (a)", []string{"i32s: 77777=1", "i32s: 1=1"}, []string{"E(-12366)", "101=1"}},
	} {
		if got := run(t, w, tt.expr, tt.samples...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.expr, got, tt.want)
		}
	}
	_, info, plan := compile(t, w, "sum(i32s) by (a)")
	var dst pcp.Values
	plan.NewState().Eval(&eval.Input{Columns: inputs(t, w, info, "i32s: 1=1")}, &dst)
	if got := text(&dst); got != "none" {
		t.Errorf("without groups: %s, want none", got)
	}
}

// TestGroupsAllocate: steady groups take no memory after the first evaluations, whatever the function.
func TestGroupsAllocate(t *testing.T) {
	w := newWorld(oneWorld)
	for _, expr := range []string{"sum(i32s) by (a)", "quantile(0.9, ds) by (a)", "stddev(i32s) by (a) + median(i32s) by (a)", "count(strs) by (a)"} {
		_, info, plan := compile(t, w, expr)
		s, in := plan.NewState(), &eval.Input{Columns: fill(w, info.Operands, 1000), Groups: grouper{1}}
		var dst pcp.Values
		s.Eval(in, &dst)
		if n := testing.AllocsPerRun(20, func() { s.Eval(in, &dst) }); n > 0 {
			t.Errorf("%s: %v allocations", expr, n)
		}
	}
}
