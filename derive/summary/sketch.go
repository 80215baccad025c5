package summary

import (
	"iter"
	"math"
	"slices"
)

// A sketch estimates quantiles of any number of numbers in bounded memory. Up to exactNumbers it
// keeps the numbers themselves. Then it counts how many fall into buckets, 128 for each power of two, so that an
// estimate is off by at most 1/256 of the quantile.
type sketch struct {
	whole  bool // all numbers are whole, and so are the quantiles
	n      uint64
	recent []float64 // those that are not counted yet: all of them, but for zeros, while they are few
	above  buckets   // of positive numbers
	below  buckets   // of the absolute values of negative ones
	zeros  uint64
}

const (
	exactNumbers = 64
	// shift is how many bits of a number do not count: all but 7 of the mantissa.
	shift = 52 - 7
	// spare is for how many keys there is room on both sides of a new one.
	spare = 32
)

// buckets count numbers by their keys, which are the leading bits of their representation. Most buckets of most
// metrics have few numbers, and there are many metrics.
type buckets struct {
	low    int            // the key of the first one
	counts []uint16       // modulo 65,536
	more   map[int]uint64 // by key, what counts have no room for
}

// add counts numbers of a key.
func (b *buckets) add(key int, numbers uint64) {
	if key < b.low || key >= b.low+len(b.counts) {
		b.widen(key)
	}
	count := &b.counts[key-b.low]
	numbers += uint64(*count)
	*count = uint16(numbers)
	if rest := numbers &^ math.MaxUint16; rest > 0 {
		if b.more == nil {
			b.more = make(map[int]uint64)
		}
		b.more[key] += rest
	}
}

// widen makes room for a key.
func (b *buckets) widen(key int) {
	low, end := key-spare, key+spare
	if len(b.counts) > 0 {
		low, end = min(low, b.low), max(end, b.low+len(b.counts))
	}
	wide := make([]uint16, end-low)
	if len(b.counts) > 0 {
		copy(wide[b.low-low:], b.counts)
	}
	b.low, b.counts = low, wide
}

// all yields the keys, and how many numbers each has: ascending, or else descending.
func (b *buckets) all(ascending bool) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for i := range b.counts {
			if !ascending {
				i = len(b.counts) - 1 - i
			}
			n := uint64(b.counts[i]) + b.more[b.low+i]
			if n > 0 && !yield(b.low+i, n) {
				return
			}
		}
	}
}

// add adds a number, which must be finite.
func (s *sketch) add(x float64) {
	s.n++
	if math.Float64bits(x) == 0 { // most numbers of many metrics
		s.zeros++
		return
	}
	if len(s.recent) == exactNumbers {
		s.flush()
	}
	if s.recent == nil {
		s.recent = make([]float64, 0, 8)
	}
	s.recent = append(s.recent, x)
}

// flush counts the recent numbers. To count several at once is faster where there are many sketches,
// which no cache holds.
func (s *sketch) flush() {
	for _, x := range s.recent {
		switch key := int(math.Float64bits(math.Abs(x)) >> shift); {
		case x > 0:
			s.above.add(key, 1)
		case x < 0:
			s.below.add(key, 1)
		default:
			s.zeros++
		}
	}
	s.recent = s.recent[:0]
}

// merge adds the numbers of another sketch, with the same result as to add each.
func (s *sketch) merge(o *sketch) {
	if o.n > exactNumbers {
		s.flush()
		o.flush()
	}
	s.n += o.n - uint64(len(o.recent))
	s.zeros += o.zeros
	for key, n := range o.above.all(true) {
		s.above.add(key, n)
	}
	for key, n := range o.below.all(true) {
		s.below.add(key, n)
	}
	for _, x := range o.recent {
		s.add(x)
	}
}

// numbers yields the numbers in ascending order, and how often each is there. Those in a bucket are its middle.
func (s *sketch) numbers() iter.Seq2[float64, uint64] {
	return func(yield func(float64, uint64) bool) {
		if s.n > exactNumbers {
			s.flush()
		}
		for key, n := range s.below.all(false) {
			if !yield(-s.middle(key), n) {
				return
			}
		}
		slices.Sort(s.recent)
		negative, _ := slices.BinarySearch(s.recent, 0)
		for i := range len(s.recent) + 1 {
			if i == negative && s.zeros > 0 && !yield(0, s.zeros) || i < len(s.recent) && !yield(s.recent[i], 1) {
				return
			}
		}
		for key, n := range s.above.all(true) {
			if !yield(s.middle(key), n) {
				return
			}
		}
	}
}

// quantiles returns for each part, ascending, the smallest number that at least this part of all numbers does not
// exceed, or an estimate of it; NaN if there are no numbers.
func (s *sketch) quantiles(parts ...float64) []float64 {
	out := make([]float64, 0, len(parts))
	const exact = 1 - 1e-12 // 0.55 of 100 numbers are 55, not 55.00000000000001
	seen := uint64(0)
	for x, n := range s.numbers() {
		for seen += n; len(out) < len(parts) && float64(seen) >= min(max(parts[len(out)]*float64(s.n)*exact, 1), float64(s.n)); {
			out = append(out, x)
		}
	}
	for len(out) < len(parts) {
		out = append(out, math.NaN())
	}
	return out
}

func (s *sketch) middle(key int) float64 {
	low, high := math.Float64frombits(uint64(key)<<shift), math.Float64frombits(uint64(key+1)<<shift)
	switch {
	case math.IsInf(high, 1):
		return low
	case !s.whole:
		return low + (high-low)/2
	case high-low <= 1:
		return math.Ceil(low) // the only whole number in it
	}
	return math.Round(low + (high-low)/2)
}

// error returns by which part of the true quantile an estimate may be off.
func (s *sketch) error() float64 {
	if s.n <= exactNumbers {
		return 0
	}
	return 1.0 / 256
}
