package eval_test

import "testing"

// TestSame: plans are the same only if their values are, whatever the input.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"i32 + u32", "(i32) + (u32)", true},
		{"i32 - u32", "u32 - i32", false},
		{"i32 * 1", "i32 + 0", true},
		{"i32 * 1", "i32 * 2", false},
		{"i32 * (1 + 1)", "i32 * 2", true},
		{"i32 * (6 / 3)", "i32 * 2", false}, // a double
		{"1 ? i32 : u32 + 1", "1 ? i32 : u32 + 2", true},
		{"0 ? i32 : i32 + 1", "0 ? i32 : i32 + 2", false},
		{"i32 ? i32s : j32s", "i32 ? j32s : i32s", false},
		{"scalar(i32)", "i32", true},
		{"scalar(i32s)", "i32s", false},
		{"scalar(i32s)", "max(i32s)", false},
		{"max(i32)", "min(i32)", true},
		{"max(i32s)", "min(i32s)", false},
		{"sum(i32)", "max(i32)", false}, // 0 where there is no value
		{"rate(i32s)", "delta(i32s)", false},
		{"delta(i32s)", "delta(j32s)", false},
		{"avg_over(i32s, 1min)", "avg_over(i32s, 60s)", true},
		{"avg_over(i32s, 1min)", "avg_over(i32s, 2min)", false},
		{"avg_over(i32s, 1min)", "max_over(i32s, 1min)", false},
		{"i32s[one]", "i32s[two]", false},
		{"i32 < 5", "i32 <= 5", false},
		{"i32 > 5", "5 < i32", false}, // not seen
		{"-i32", "-i32", true},
		{"!i32", "-i32", false},
		{`rescale(b.c, "Kbyte")`, `rescale(b.c, "Kbyte")`, true},
		{`rescale(b.c, "Kbyte")`, `rescale(b.c, "Mbyte")`, false},
	} {
		w := newWorld(oneWorld)
		_, _, x := compile(t, w, c.x)
		_, _, y := compile(t, w, c.y)
		if got := x.Same(y); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}
