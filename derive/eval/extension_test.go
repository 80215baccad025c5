package eval_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"pmtools/derive/eval"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestExtensions covers what only the extended language has. The samples are one second apart.
func TestExtensions(t *testing.T) {
	w := newWorld(oneWorld)
	for _, tt := range []struct {
		expr    string
		samples []string
		want    []string
	}{
		{"sum(rate(u64c))", []string{"u64c: 5", "u64c: 15", "u64c: 3", "u64c: 4"}, []string{"none", "10", "none", "1"}},
		{"sum(rate(dc))", []string{"dc: 1=1 2=10", "dc: 1=3 2=15", "dc: 1=1 2=16 3=7", "dc: none", "dc: E(-12389)"},
			[]string{"none", "7", "1", "none", "E(-12389)"}},
		{"count(rate(dc))", []string{"dc: 1=1 2=10", "dc: 1=3 2=15", "dc: 1=1 2=16 3=7", "dc: none", "dc: E(-12389)"},
			[]string{"0", "2", "1", "0", "0"}},
		{"avg(i32s * 2)", []string{"i32s: 1=1 2=2", "i32s: none"}, []string{"3", "none"}},
		{"sum(i32s * 2)", []string{"i32s: 1=1 2=2147483647", "i32s: none"}, []string{"0", "none"}},
		{"sum((i32s))", []string{"i32s: none"}, []string{"0"}},
		{"max(i32s - j32s)", []string{"i32s: 1=5 2=9; j32s: 2=1 1=2 7=0", "i32s: 1=5; j32s: 7=0"}, []string{"8", "none"}},
		{"count(i32s > 5)", []string{"i32s: 1=5 2=9"}, []string{"2"}},
		{"sum(i32s > 5)", []string{"i32s: 1=5 2=9 3=10"}, []string{"2"}},
		{"topn(2, ds)", []string{"ds: 5=1 3=7 1=NaN 4=7 2=9", "ds: 1=NaN 2=NaN 9=NaN", "ds: 7=1", "ds: none", "ds: 2=+Inf 1=3 3=-Inf"},
			[]string{"3=7 2=9", "1=NaN 2=NaN", "7=1", "none", "2=+Inf 1=3"}},
		{"bottomn(2, ds)", []string{"ds: 5=1 3=7 1=NaN 4=1 2=9"}, []string{"5=1 4=1"}},
		{"topn(1, i32s)", []string{"i32s: 1=-5 2=-7"}, []string{"1=-5"}},
		{"bottomn(1, u32s)", []string{"u32s: 1=4294967295 2=3 3=3"}, []string{"2=3"}},
		{"topn(4294967295, i32s)", []string{"i32s: 2=1 1=2"}, []string{"2=1 1=2"}},
		{"1 + topn(1, i32s) * i32s", []string{"i32s: 2=1 1=3 5=2"}, []string{"1=10"}},
		{"quantile(0.25, i32s)", []string{"i32s: 1=10 2=30 3=20", "i32s: 1=7", "i32s: none"}, []string{"15", "7", "none"}},
		{"quantile(0, i32s)", []string{"i32s: 1=10 2=30 3=20"}, []string{"10"}},
		{"quantile(1, i32s)", []string{"i32s: 1=10 2=30 3=20"}, []string{"30"}},
		{"quantile(.5, ds)", []string{"ds: 1=1 2=NaN", "ds: 1=-Inf 2=5", "ds: 1=1e308 2=-1e308"}, []string{"NaN", "-Inf", "0"}},
		{"median(i32s)", []string{"i32s: 1=10 2=30 3=20 4=1000"}, []string{"25"}},
		{"stddev(i32s)", []string{"i32s: 1=2 2=4 3=4 4=4 5=5 6=5 7=7 8=9", "i32s: 1=3", "i32s: none"}, []string{"2", "0", "none"}},
		{"abs(i32s)", []string{"i32s: 1=-5 2=-2147483648 3=7"}, []string{"1=5 2=2147483648 3=7"}},
		{"abs(i64)", []string{"i64: -9223372036854775808"}, []string{"9223372036854775808"}},
		{"abs(fs)", []string{"fs: 1=-0.5"}, []string{"1=0.5"}},
		{"round(ds)", []string{"ds: 1=2.5 2=-2.5 3=0.49999999999999994 4=NaN"}, []string{"1=3 2=-3 3=0 4=NaN"}},
		{"floor(fs) + ceil(fs)", []string{"fs: 1=2.25 2=-2.25"}, []string{"1=5 2=-5"}},
		{"ceil(u64)", []string{"u64: 18446744073709551615"}, []string{"18446744073709551615"}},
		{"sqrt(u32)", []string{"u32: 16"}, []string{"4"}},
		{"ln(exp(d))", []string{"d: 2"}, []string{"2"}},
		{"ln(d)", []string{"d: 0", "d: -1"}, []string{"-Inf", "NaN"}},
		{"pow(i32, 3)", []string{"i32: -2"}, []string{"-8"}},
		{"max(i32, 0)", []string{"i32: -5", "i32: 5"}, []string{"0", "5"}},
		{"max(i32, u32)", []string{"i32: -5; u32: 4294967295"}, []string{"4294967295"}},
		{"min(i64, u64)", []string{"i64: -5; u64: 7"}, []string{"-5"}},
		{"min(b, k)", []string{"b: 1024; k: 3"}, []string{"1"}},
		{"max(kx, 1.5)", []string{"kx: 1=1 2=2"}, []string{"1=1.5 2=2"}},
		{"max(i32s, j32s)", []string{"i32s: 1=1 2=9; j32s: 2=3 1=4 7=0"}, []string{"1=4 2=9"}},
		{"clamp(i32s, 0, 10)", []string{"i32s: 1=-3 2=3 3=30"}, []string{"1=0 2=3 3=10"}},
		{"clamp(ds, 1, 0)", []string{"ds: 1=5 2=NaN"}, []string{"1=0 2=NaN"}},
		{"max(i32, d)", []string{"i32: 1; d: E(-12389)", "i32: none; d: 1"}, []string{"E(-12389)", "none"}},
		{"avg_over(i32s, 2s)", []string{"i32s: 1=1 2=10", "i32s: 1=4", "i32s: 1=6 2=20", "i32s: none", "i32s: 2=5", "i32s: E(-12389)", "i32s: 2=7"},
			[]string{"1=1 2=10", "1=2.5", "1=5 2=20", "none", "2=5", "E(-12389)", "2=7"}},
		{"avg_over(i32s, 3s)", []string{"i32s: 2=4 1=1", "i32s: 1=3 2=6", "i32s: 3=5 2=2 1=2"}, []string{"2=4 1=1", "1=2 2=5", "3=5 2=4 1=2"}},
		{"max_over(ds, 3s)", []string{"ds: 1=1", "ds: 1=9", "ds: 1=NaN", "ds: 1=3", "ds: 1=2", "ds: 1=1"}, []string{"1=1", "1=9", "1=9", "1=9", "1=NaN", "1=3"}},
		{"min_over(u32s, 2s)", []string{"u32s: 1=4294967295", "u32s: 1=3", "u32s: 1=5", "u32s: 1=7"}, []string{"1=4294967295", "1=3", "1=3", "1=5"}},
		{"quantile_over(0.5, i32s, 1min)", []string{"i32s: 1=10 2=1", "i32s: 2=2 1=30", "i32s: 1=20"}, []string{"1=10 2=1", "2=1.5 1=20", "1=20"}},
		{"quantile_over(0, ds, 1min)", []string{"ds: 1=5", "ds: 1=NaN"}, []string{"1=5", "1=NaN"}},
		{"shift(i32s, 2s)", []string{"i32s: 1=1 2=2", "i32s: 1=3", "i32s: 3=9", "i32s: none", "i32s: E(-12389)", "i32s: 1=7", "i32s: 1=8", "i32s: 1=9"},
			[]string{"none", "none", "1=1 2=2", "1=3", "E(-12389)", "none", "none", "1=7"}},
		{"shift(u64c, 1500msec)", []string{"u64c: 5", "u64c: 15", "u64c: 3", "u64c: 4"}, []string{"none", "none", "5", "15"}},
		{"rate(shift(u64c, 1s))", []string{"u64c: 5", "u64c: 15", "u64c: 16"}, []string{"none", "none", "10"}},
		{"i32s - shift(i32s, 1s)", []string{"i32s: 1=1 2=2", "i32s: 2=5 1=3"}, []string{"none", "2=3 1=2"}},
		{"smooth(ds, 1s)", []string{"ds: 1=0 2=4", "ds: 1=8 2=8", "ds: 1=8", "ds: 1=+Inf 2=3", "ds: 2=5 1=1"},
			[]string{"1=0 2=4", "1=4 2=6", "1=6", "1=+Inf 2=3", "2=4 1=1"}},
		{"smooth(i32, 3s)", []string{"i32: 0", "i32: 8", "i32: none", "i32: 9"}, []string{"0", "2", "none", "9"}},
		{"sum(avg_over(rate(dc), 2s))", []string{"dc: 1=1 2=10", "dc: 1=3 2=15", "dc: 1=7 2=15"}, []string{"none", "7", "5.5"}},
		{"avg_over(i32, 2s) + avg_over(i32, 1s)", []string{"i32: 2", "i32: 4"}, []string{"4", "7"}},
	} {
		if got := run(t, w, tt.expr, tt.samples...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.expr, got, tt.want)
		}
	}
}

// TestLooksBack covers an interruption, a time that goes back, and the bound on memory.
func TestLooksBack(t *testing.T) {
	w := newWorld(oneWorld)
	_, info, plan := compile(t, w, "max_over(i32s, 1hour) - shift(i32s, 1s)")
	state := plan.NewState()
	var dst pcp.Values
	eval := func(seconds int64, values string) string {
		state.Eval(&eval.Input{Time: pcp.Timestamp{Sec: seconds}, Columns: inputs(t, w, info, values)}, &dst)
		return text(&dst)
	}
	for _, tt := range []struct {
		at           int64
		values, want string
		interrupt    bool
	}{
		{100, "i32s: 1=9", "none", false},
		{101, "i32s: 1=5", "1=0", false},
		{102, "i32s: 1=1", "none", true},
		{103, "i32s: 1=2", "1=1", false},
		{50, "i32s: 1=1", "none", false},
		{51, "i32s: 1=0", "1=0", false},
	} {
		if tt.interrupt {
			state.Interrupt()
		}
		if got := eval(tt.at, tt.values); got != tt.want {
			t.Errorf("at %d: %s, want %s", tt.at, got, tt.want)
		}
	}
	if !state.LooksBack() || state.Full() {
		t.Error("the window is not seen, or full")
	}
}

func TestFull(t *testing.T) {
	w := newWorld(oneWorld)
	_, _, plan := compile(t, w, "avg_over(i32s, 1hour)")
	state := plan.NewState()
	many := &pcp.Values{Type: pcp.Int32, Insts: make([]int32, 1<<20), Words: make([]uint64, 1<<20)}
	for i := range many.Insts {
		many.Insts[i] = int32(i)
	}
	var dst pcp.Values
	for second := range int64(6) {
		state.Eval(&eval.Input{Time: pcp.Timestamp{Sec: second}, Columns: []*pcp.Values{many}}, &dst)
		if full := second >= eval.MaxPast>>20; (dst.Err == pmerr.TooBig) != full || state.Full() != full {
			t.Errorf("at %d: %v", second, dst.Err)
		}
	}
	state.Interrupt()
	state.Eval(&eval.Input{Columns: []*pcp.Values{many}}, &dst)
	if dst.Err != nil || state.Full() {
		t.Error("an interruption does not empty it")
	}
}

// TestWindowOfMany: many instances after many samples of few need memory for the values that there are, not for each
// instance in each sample.
func TestWindowOfMany(t *testing.T) {
	w := newWorld(oneWorld)
	_, info, plan := compile(t, w, "avg_over(i32s, 1hour)")
	s, in := plan.NewState(), &eval.Input{Columns: fill(w, info.Operands, 1), Instances: &names{}}
	var dst pcp.Values
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const samples, many = 1000, 100000
	for range samples {
		in.Time.Sec++
		s.Eval(in, &dst)
	}
	in.Columns = fill(w, info.Operands, many)
	in.Time.Sec++
	s.Eval(in, &dst)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 100<<20 {
		t.Errorf("%d MB", taken>>20)
	}
	if last := dst.Words[many-1]; dst.Len() != many || math.Float64frombits(last) != 7*(many-1) {
		t.Errorf("%d values, the last is %v", dst.Len(), math.Float64frombits(last))
	}
}
