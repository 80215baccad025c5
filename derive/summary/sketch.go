package summary

import (
	"math"
	"slices"
)

// A Sketch estimates quantiles of any number of numbers in bounded memory. Up to exactNumbers it
// keeps the numbers themselves. Then it counts how many fall into buckets, each as wide as a part
// of a power of two, so that an estimate is off by a part of the quantile: see Error.
type Sketch struct {
	Whole  bool // all numbers are whole, and so are the quantiles
	n      uint64
	recent []float64 // those that are not counted yet: all of them while they are few
	above  buckets   // of positive numbers
	below  buckets   // of the absolute values of negative ones
	zeros  uint64
	frozen []float64 // the Quantiles, if the numbers are forgotten
	points []float64 // what spread returned before that
	coarse uint      // how many times pairs of buckets were joined
}

const (
	exactNumbers = 64
	// finest is how many bits of the mantissa tell buckets apart at first: 128 for a power of two.
	finest = 7
	// maxBuckets is enough for numbers up to 65,536 times as large as the smallest ones. For a wider
	// range pairs of buckets are joined, which doubles the error.
	maxBuckets = 16 << finest
)

// buckets counts numbers by the leading bits of their representation.
type buckets struct {
	low    int // the key of the first one
	counts []uint64
}

// Add adds a number, which must be finite.
func (s *Sketch) Add(x float64) {
	s.n++
	if len(s.recent) == exactNumbers {
		s.flush()
	}
	s.recent = append(s.recent, x)
}

// flush counts the recent numbers. To count several at once is faster where there are many sketches,
// which no cache holds.
func (s *Sketch) flush() {
	shift := s.shift()
	for _, x := range s.recent {
		if x > 0 {
			if i := int(math.Float64bits(x)>>shift) - s.above.low; uint(i) < uint(len(s.above.counts)) {
				s.above.counts[i]++
				continue
			}
		}
		s.count(x)
		shift = s.shift()
	}
	s.recent = s.recent[:0]
}

// shift returns how many bits of a number do not count.
func (s *Sketch) shift() uint { return (52 - finest + s.coarse) & 63 }

func (s *Sketch) count(x float64) {
	b := &s.above
	switch {
	case x == 0:
		s.zeros++
		return
	case x < 0:
		b, x = &s.below, -x
	}
	s.tally(b, int(math.Float64bits(x)>>s.shift()), 1)
}

// tally counts numbers that have a key.
func (s *Sketch) tally(b *buckets, key int, n uint64) {
	if i := key - b.low; uint(i) < uint(len(b.counts)) {
		b.counts[i] += n
		return
	}
	s.widen(b, key, n)
}

// widen makes room for a key and counts numbers that have it. If there are too many keys, it joins
// pairs of buckets.
func (s *Sketch) widen(b *buckets, key int, count uint64) {
	for {
		first, last := key, key
		for i, n := range b.counts {
			if n > 0 {
				first, last = min(first, b.low+i), max(last, b.low+i)
			}
		}
		if span := last - first + 1; span <= maxBuckets {
			spare := min(32, (maxBuckets-span)/2)
			wide := buckets{low: first - spare, counts: make([]uint64, span+2*spare)}
			for i, n := range b.counts {
				if n > 0 {
					wide.counts[b.low+i-wide.low] = n
				}
			}
			wide.counts[key-wide.low] += count
			*b = wide
			return
		}
		s.coarsen()
		key >>= 1
	}
}

// coarsen joins pairs of buckets of both signs: they share the number of leading bits.
func (s *Sketch) coarsen() {
	s.coarse++
	s.above.join()
	s.below.join()
}

// Merge adds the numbers of another Sketch, with the same result as to add each.
func (s *Sketch) Merge(o *Sketch) {
	if o.n <= exactNumbers {
		for _, x := range o.recent {
			s.Add(x)
		}
		return
	}
	s.flush()
	o.flush()
	s.n += o.n
	s.zeros += o.zeros
	for s.coarse < o.coarse {
		s.coarsen()
	}
	add := func(to, from *buckets) {
		for i, n := range from.counts {
			if n > 0 {
				s.tally(to, (from.low+i)>>(s.coarse-o.coarse), n)
			}
		}
	}
	add(&s.above, &o.above)
	add(&s.below, &o.below)
}

func (b *buckets) join() {
	if len(b.counts) == 0 {
		return
	}
	out := buckets{low: b.low >> 1}
	out.counts = make([]uint64, (b.low+len(b.counts)-1)>>1-out.low+1)
	for i, n := range b.counts {
		out.counts[(b.low+i)>>1-out.low] += n
	}
	*b = out
}

// Quantile returns the smallest number that at least the part q of all numbers do not exceed, or
// what is known about it. Without numbers it is NaN.
func (s *Sketch) Quantile(q float64) float64 {
	if s.n == 0 {
		return math.NaN()
	}
	if s.frozen != nil {
		return s.frozen[slices.Index(Quantiles, q)]
	}
	rank := uint64(min(max(math.Ceil(q*float64(s.n)), 1), float64(s.n)))
	if s.n <= exactNumbers {
		return slices.Sorted(slices.Values(s.recent))[rank-1]
	}
	s.flush()
	for i := len(s.below.counts) - 1; i >= 0; i-- {
		if s.below.counts[i] >= rank {
			return -s.middle(s.below.low + i)
		}
		rank -= s.below.counts[i]
	}
	if s.zeros >= rank {
		return 0
	}
	rank -= s.zeros
	for i, n := range s.above.counts {
		if n >= rank {
			return s.middle(s.above.low + i)
		}
		rank -= n
	}
	return 0 // not reached: rank is at most n
}

// freeze computes the Quantiles, the only ones that are asked for later, and forgets the numbers.
func (s *Sketch) freeze() {
	var frozen []float64
	for _, q := range Quantiles {
		frozen = append(frozen, s.Quantile(q))
	}
	*s = Sketch{Whole: s.Whole, n: s.n, coarse: s.coarse, frozen: frozen}
}

func (s *Sketch) middle(key int) float64 {
	shift := s.shift()
	low, high := math.Float64frombits(uint64(key)<<shift), math.Float64frombits(uint64(key+1)<<shift)
	switch {
	case math.IsInf(high, 1):
		return low
	case !s.Whole:
		return low + (high-low)/2
	case high-low <= 1:
		return math.Ceil(low) // the only whole number in it
	}
	return math.Round(low + (high-low)/2)
}

// Error returns by which part of the true quantile an estimate may be off: 0 as long as there are
// few numbers, 1/256 for numbers within a range of 65,536, twice that whenever the range is wider
// by as many powers of two again.
func (s *Sketch) Error() float64 {
	if s.n <= exactNumbers {
		return 0
	}
	s.flush()
	return math.Ldexp(1, int(s.coarse)-finest-1)
}
