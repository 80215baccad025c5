package eval_test

import (
	"slices"
	"testing"
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
	} {
		if got := run(t, w, tt.expr, tt.samples...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.expr, got, tt.want)
		}
	}
}
