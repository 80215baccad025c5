package summary

import (
	"math"
	"slices"
)

// A sketch estimates quantiles of any number of numbers in bounded memory. Up to exactNumbers it
// keeps the numbers themselves. Then it counts how many fall into buckets, each as wide as a part
// of a power of two, so that an estimate is off by a part of the quantile: see error.
type sketch struct {
	whole  bool // all numbers are whole, and so are the quantiles
	n      uint64
	recent []float64 // those that are not counted yet: all of them, but for zeros, while they are few
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

// buckets counts numbers by the leading bits of their representation. Most buckets of most metrics have few
// numbers, and there are many metrics.
type buckets struct {
	low    int            // the key of the first one
	counts []uint16       // modulo 65,536
	more   map[int]uint64 // by key, what counts have no room for
}

// add counts numbers in bucket number i.
func (b *buckets) add(i int, numbers uint64) {
	numbers += uint64(b.counts[i])
	b.counts[i] = uint16(numbers)
	if rest := numbers &^ math.MaxUint16; rest > 0 {
		if b.more == nil {
			b.more = make(map[int]uint64)
		}
		b.more[b.low+i] += rest
	}
}

// at returns how many numbers are in bucket number i.
func (b *buckets) at(i int) uint64 {
	n := uint64(b.counts[i])
	if b.more != nil {
		n += b.more[b.low+i]
	}
	return n
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
	s.cover()
	shift := s.shift()
	for _, x := range s.recent {
		switch bits := math.Float64bits(x) &^ (1 << 63); {
		case x > 0:
			s.above.add(int(bits>>shift)-s.above.low, 1)
		case x < 0:
			s.below.add(int(bits>>shift)-s.below.low, 1)
		default:
			s.zeros++
		}
	}
	s.recent = s.recent[:0]
}

// cover makes room for the keys of the recent numbers.
func (s *sketch) cover() {
	least, most := [2]uint64{math.MaxUint64, math.MaxUint64}, [2]uint64{}
	for _, x := range s.recent {
		if bits := math.Float64bits(x); x != 0 {
			sign := bits >> 63
			bits &^= 1 << 63
			least[sign], most[sign] = min(least[sign], bits), max(most[sign], bits)
		}
	}
	for sign, b := range [2]*buckets{&s.above, &s.below} {
		if most[sign] > 0 {
			s.widen(b, int(least[sign]>>(52-finest)), int(most[sign]>>(52-finest)), 0)
		}
	}
}

// shift returns how many bits of a number do not count.
func (s *sketch) shift() uint { return (52 - finest + s.coarse) & 63 }

// widen makes room for keys, which were joined a number of times already. If there are too many keys,
// it joins pairs of buckets.
func (s *sketch) widen(b *buckets, first, last int, joined uint) {
	for {
		low, high := first>>(s.coarse-joined), last>>(s.coarse-joined)
		if low >= b.low && high < b.low+len(b.counts) {
			return
		}
		from, to := b.used()
		if from < to {
			low, high = min(low, b.low+from), max(high, b.low+to-1)
		}
		if span := high - low + 1; span <= maxBuckets {
			spare := min(32, (maxBuckets-span)/2)
			wide := buckets{low: low - spare, counts: make([]uint16, span+2*spare), more: b.more}
			if from < to {
				copy(wide.counts[b.low+from-wide.low:], b.counts[from:to])
			}
			*b = wide
			return
		}
		s.coarsen()
	}
}

// used returns from which bucket to before which one there are numbers.
func (b *buckets) used() (from, to int) {
	for to = len(b.counts); to > 0 && b.at(to-1) == 0; {
		to--
	}
	for from < to && b.at(from) == 0 {
		from++
	}
	return from, to
}

// coarsen joins pairs of buckets of both signs: they share the number of leading bits.
func (s *sketch) coarsen() {
	s.coarse++
	s.above.join()
	s.below.join()
}

// merge adds the numbers of another sketch, with the same result as to add each.
func (s *sketch) merge(o *sketch) {
	if o.n <= exactNumbers {
		s.n += o.zeros
		s.zeros += o.zeros
		for _, x := range o.recent {
			s.add(x)
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
		first, end := from.used()
		if first < end {
			s.widen(to, from.low+first, from.low+end-1, o.coarse)
		}
		for i := first; i < end; i++ {
			to.add((from.low+i)>>(s.coarse-o.coarse)-to.low, from.at(i))
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
	out.counts = make([]uint16, (b.low+len(b.counts)-1)>>1-out.low+1)
	for i := range b.counts {
		out.add((b.low+i)>>1-out.low, b.at(i))
	}
	*b = out
}

// quantiles returns for each part, ascending, the smallest number that at least this part of all numbers does not
// exceed, or an estimate of it; NaN if there are no numbers.
func (s *sketch) quantiles(parts ...float64) []float64 {
	out := make([]float64, 0, len(parts))
	const exact = 1 - 1e-12 // 0.55 of 100 numbers are 55, not 55.00000000000001
	rank := func() uint64 { // of the next one
		if len(out) == len(parts) {
			return math.MaxUint64
		}
		return uint64(min(max(math.Ceil(parts[len(out)]*float64(s.n)*exact), 1), float64(s.n)))
	}
	next, seen := rank(), uint64(0)
	take := func(x float64) {
		out = append(out, x)
		next = rank()
	}
	if s.n <= exactNumbers {
		for i, x := range s.exact() {
			for uint64(i)+1 >= next {
				take(x)
			}
		}
		for len(out) < len(parts) {
			take(math.NaN())
		}
		return out
	}
	s.flush()
	for i := len(s.below.counts) - 1; i >= 0; i-- {
		for seen += s.below.at(i); seen >= next; {
			take(-s.middle(s.below.low + i))
		}
	}
	for seen += s.zeros; seen >= next; {
		take(0)
	}
	for i := 0; i < len(s.above.counts) && len(out) < len(parts); i++ {
		for seen += s.above.at(i); seen >= next; {
			take(s.middle(s.above.low + i))
		}
	}
	return out
}

// exact returns all numbers in ascending order, while they are few. The next call may change them.
func (s *sketch) exact() []float64 {
	s.recent = append(s.recent, make([]float64, s.zeros)...)
	s.zeros = 0
	slices.Sort(s.recent)
	return s.recent
}

func (s *sketch) middle(key int) float64 {
	shift := s.shift()
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

// error returns by which part of the true quantile an estimate may be off: 0 as long as there are
// few numbers, 1/256 for numbers within a range of 65,536, twice that whenever the range is wider
// by as many powers of two again.
func (s *sketch) error() float64 {
	if s.n <= exactNumbers {
		return 0
	}
	s.flush()
	return math.Ldexp(1, int(s.coarse)-finest-1)
}
