package archive

import "testing"

// TestSumSeconds holds sums whose rounding matters, as the reference's machine computes them.
func TestSumSeconds(t *testing.T) {
	tests := []struct {
		sec, ns int64
		want    float64
	}{
		{0, 0, 0},
		{0, 500_000_000, 0.5},
		{3, 0, 3},
		{3, -250_000_000, 2.75},
		{0, -250_000_000, -0.25},
		{-3, 250_000_000, -2.75},
		{0, 1, 1e-9},
		{0, 999_999_999, 0.999999999},
		{33, 276_785_000, 33.276784999999997},
		{40, 311_083_000, 40.311082999999996}, // the nearest is 40.311083000000004
		{33, 704_000_000, 33.704000000000001},
		{638, -451_650_419, 637.548349581},
		{1 << 33, 1, 8589934592.000000001},
		{1 << 40, 500_000_000, 1<<40 + 0.5},
	}
	for _, tt := range tests {
		if got := sumSeconds(tt.sec, tt.ns); got != tt.want {
			t.Errorf("%d s and %d ns: got %.17g, want %.17g", tt.sec, tt.ns, got, tt.want)
		}
	}
}

// TestSeconds converts times of an archive that does not start at a full second.
func TestSeconds(t *testing.T) {
	var c clock
	c.base.Nsec = 725_932_417
	for _, ns := range []int64{0, 1, -1, 5e8, -5e8, 1e9, 12_345_678_901, -12_345_678_901} {
		for range 2 {
			if got, want := c.seconds(ns), float64(ns)/1e9; got != want {
				t.Errorf("%d ns: got %.17g, want %.17g", ns, got, want)
			}
		}
	}
}

func BenchmarkSeconds(b *testing.B) {
	var c clock
	c.base.Nsec = 725_932_417
	ns := int64(0)
	for b.Loop() {
		ns += 1_234_567_891
		c.seconds(ns)
	}
}
