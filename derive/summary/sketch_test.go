package summary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSketch compares estimates with the quantiles of all numbers.
func TestSketch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func(i int) float64{
		"uniform":       func(int) float64 { return r.Float64() * 1000 },
		"normal":        func(int) float64 { return r.NormFloat64() },
		"heavy tail":    func(int) float64 { return math.Exp(10 * r.NormFloat64()) },
		"any scale":     func(int) float64 { return math.Ldexp(1+r.Float64(), r.IntN(2040)-1020) },
		"both signs":    func(int) float64 { return math.Copysign(math.Exp(4*r.NormFloat64()), r.NormFloat64()) },
		"ascending":     func(i int) float64 { return float64(i) },
		"mostly zeros":  func(i int) float64 { return max(0, float64(i%50-45)) },
		"constant":      func(int) float64 { return 0.1 },
		"denormal":      func(int) float64 { return float64(r.IntN(100)) * math.SmallestNonzeroFloat64 },
		"largest":       func(int) float64 { return math.MaxFloat64 * (r.Float64() - 0.5) * 2 },
		"small to vast": func(i int) float64 { return math.Pow(1.01, float64(-i)) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, exactNumbers - 1, exactNumbers, exactNumbers + 1, 20000, 200000} {
				var s, merged sketch
				var parts [3]sketch
				var all []float64
				for i := range n {
					x := next(i)
					s.add(x)
					parts[min(i%5, 2)].add(x)
					all = append(all, x)
				}
				for i := range parts {
					merged.merge(&parts[i])
				}
				slices.Sort(all)
				for _, q := range []float64{0, 0.01, 0.5, 0.95, 0.99, 1} {
					want := all[min(max(int(math.Ceil(q*float64(n))), 1), n)-1]
					got := s.quantiles(q)[0]
					if m := merged.quantiles(q)[0]; m != got || merged.error() != s.error() {
						t.Errorf("%d numbers: quantile %v is %v in parts, within %v, and %v at once, within %v", n, q, m, merged.error(), got, s.error())
					}
					// Half of the smallest number is what rounding may add.
					if d := math.Abs(got/2 - want/2); !(d <= s.error()*math.Abs(want/2)*(1+1e-9)+math.SmallestNonzeroFloat64*math.Ldexp(1, 46)) {
						t.Errorf("%d numbers: quantile %v is %v, want %v within %v", n, q, got, want, s.error())
					}
				}
			}
		})
	}
}

// TestSketchWhole checks that quantiles of whole numbers are whole, and right for small ones.
func TestSketchWhole(t *testing.T) {
	s := sketch{whole: true}
	for i := range 100000 {
		s.add(float64(i))
	}
	small := sketch{whole: true}
	for i := range 1000 {
		small.add(float64(i % 200))
	}
	if got := s.quantiles(0.5)[0]; got != math.Trunc(got) {
		t.Errorf("the median is %v", got)
	}
	if got := small.quantiles(0.5)[0]; got != 99 {
		t.Errorf("the median of small numbers is %v, want 99", got)
	}
}

// TestSketchEmpty checks that nothing is known without numbers.
func TestSketchEmpty(t *testing.T) {
	var s sketch
	if got := s.quantiles(0.5)[0]; !math.IsNaN(got) || s.error() != 0 {
		t.Errorf("the median of nothing is %v, within %v", got, s.error())
	}
}
