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
	exact  []float64 // nil when there are more
	above  buckets   // of positive numbers
	below  buckets   // of the absolute values of negative ones
	zeros  uint64
	coarse uint // how many times pairs of buckets were joined
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
	if x > 0 && s.n > exactNumbers {
		if i := int(math.Float64bits(x)>>s.shift()) - s.above.low; uint(i) < uint(len(s.above.counts)) {
			s.above.counts[i]++
			return
		}
	}
	s.add(x)
}

// add is Add for the numbers that are not the usual ones.
func (s *Sketch) add(x float64) {
	if s.n > exactNumbers {
		s.count(x)
		return
	}
	s.exact = append(s.exact, x)
	if s.n == exactNumbers {
		for _, x := range s.exact {
			s.count(x)
		}
	}
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
	key := int(math.Float64bits(x) >> s.shift())
	if i := key - b.low; uint(i) < uint(len(b.counts)) {
		b.counts[i]++
		return
	}
	s.widen(b, key)
}

// widen makes room for a key and counts it. If there are too many keys, it joins pairs of buckets.
func (s *Sketch) widen(b *buckets, key int) {
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
			wide.counts[key-wide.low]++
			*b = wide
			return
		}
		s.coarse++ // for both signs: they share the number of leading bits
		s.above.join()
		s.below.join()
		key >>= 1
	}
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
	rank := uint64(min(max(math.Ceil(q*float64(s.n)), 1), float64(s.n)))
	if s.n <= exactNumbers {
		sorted := slices.Sorted(slices.Values(s.exact))
		return sorted[rank-1]
	}
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
	return math.Ldexp(1, int(s.coarse)-finest-1)
}
