package mmv

import (
	"fmt"
	"math"
	"slices"

	"pmtools/lib/pcp"
)

// Buckets count values by their size, see [Histogram]. Goroutines may share them. Those of a zero
// Buckets, or of one whose registration failed, no file has.
type Buckets struct {
	bounds []float64
	counts []*Number[uint64]
	sum    *Number[float64]
}

// Histogram registers a distribution of values that are not negative, as two metrics: NAME.buckets, a counter for each
// range, such as "0.1..0.25", of the values that are at least its lower bound and less than its upper one, and NAME.sum,
// the sum of all values. The bounds ascend; the first range begins at -Inf, the last ends at +Inf. The mean is
// rate(NAME.sum) / sum(rate(NAME.buckets)).
//
// [Units], [Help] and labels are the options: the units are those of the sum. [Registry.Err]
// reports errors.
func Histogram(r *Registry, name string, bounds []float64, opts ...Option) *Buckets {
	if err := histogramOptions(bounds, opts); err != nil {
		if r != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.fail("histogram %q: %w", name, err)
		}
		return &Buckets{}
	}
	b := &Buckets{bounds: slices.Clone(bounds)}
	ends := slices.Concat([]float64{math.Inf(-1)}, bounds, []float64{math.Inf(1)})
	names := make([]string, len(bounds)+1)
	for i := range names {
		names[i] = fmt.Sprintf("%g..%g", ends[i], ends[i+1])
	}
	opts = slices.Clip(opts)
	r.Batch(func() {
		counts := Counter[uint64](r, name+".buckets", append(opts, Units("count"), Per(r.Domain().Add(names...)))...)
		b.sum = Counter[float64](r, name+".sum", append([]Option{Units("")}, opts...)...)
		for _, n := range names {
			b.counts = append(b.counts, counts.At(n))
		}
	})
	return b
}

func histogramOptions(bounds []float64, opts []Option) error {
	for i, x := range bounds {
		if math.IsNaN(x) || math.IsInf(x, 0) || i > 0 && x <= bounds[i-1] {
			return fmt.Errorf("bounds %v: finite numbers in ascending order are wanted", bounds)
		}
	}
	var domain *Domain
	s := settings{units: new(pcp.Units), sem: new(pcp.Sem), per: &domain}
	for _, o := range opts {
		if err := o(&s); err != nil {
			return err
		}
	}
	if domain != nil || s.numbered || *s.sem != 0 {
		return errOption
	}
	return nil
}

// Observe counts a value. NaN is no value.
func (b *Buckets) Observe(x float64) {
	if b.sum == nil || math.IsNaN(x) {
		return
	}
	i, found := slices.BinarySearch(b.bounds, x)
	if found {
		i++
	}
	b.counts[i].Add(1)
	b.sum.Add(x)
}
