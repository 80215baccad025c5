package summary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestQuantiles compares quantiles with those of the sorted samples: exact ones where these are few, and others within
// the error that is said.
func TestQuantiles(t *testing.T) {
	quantiles, err := ParseQuantiles("99.9, 50,55,90,0.1,7")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 20, 60, 100, 1000} {
		var steps []step
		var all []float64
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range n {
			x := uint64(r.IntN(50_000))
			steps = append(steps, step{at: int64(i*i + 10*i), values: map[int32]uint64{1: x}}) // times do not count
			all = append(all, float64(x))
		}
		slices.Sort(all)
		rows := summarize(t, Options{Quantiles: quantiles}, "disk.dev.total", false, steps)
		got := rows[0].Quantiles
		for i, per := range []int{1, 70, 500, 550, 900, 999} { // thousandths
			want := all[max((per*n+999)/1000, 1)-1] // whole numbers round nothing
			if d := math.Abs(got[i] - want); d > rows[0].QuantileError*want || n <= exactNumbers && d != 0 {
				t.Errorf("%d samples: %s is %v, want %v within %v", n, quantiles[i].Name, got[i], want, rows[0].QuantileError)
			}
		}
	}
	if got := summarize(t, Options{Quantiles: quantiles}, "disk.dev.total", false, []step{{at: 0, values: map[int32]uint64{}}}); len(got) > 0 && !math.IsNaN(got[0].Quantiles[0]) {
		t.Errorf("without samples: %v", got[0].Quantiles)
	}
}

// TestQuantileRanks: a product of floating-point numbers that rounds up is no larger rank.
func TestQuantileRanks(t *testing.T) {
	s := sketch{whole: true}
	for i := range 120 {
		s.add(float64(i + 1))
	}
	for per := 1; per < 1000; per++ {
		list, err := ParseQuantiles(fmt.Sprintf("%d.%d", per/10, per%10))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.quantiles(list[0].Part)[0], float64((per*120+999)/1000); got != want {
			t.Errorf("%s of 1 to 120 is %v, want %v", list[0].Name, got, want)
		}
	}
}

// TestParseQuantiles checks names, order and what is wrong.
func TestParseQuantiles(t *testing.T) {
	list, err := ParseQuantiles("99.90,50,5e1,0.25")
	if want := []Quantile{{"p0.25", 0.0025}, {"p50", 0.5}, {"p99.9", 0.999}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v, want %v", list, err, want)
	}
	for _, text := range []string{"", "50,", "x", "0", "100", "-1", "nan", "inf", "50 90", "p50", "1e-400"} {
		if list, err := ParseQuantiles(text); err == nil || !strings.Contains(err.Error(), "is not a percentage between 0 and 100, as in 50,90,99.9") {
			t.Errorf("%q: %v, %v", text, list, err)
		}
	}
}
