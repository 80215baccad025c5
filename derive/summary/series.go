package summary

import (
	"math"
	"pmtools/lib/pcp"
)

// A Series is what is known about values that came one after the other. Numbers are NaN if there
// was none.
type Series struct {
	Samples int // values that are numbers
	Gaps    int // how often values were missing between two samples, for a record or more
	Marks   int // how often recording was interrupted between two samples
	Min     float64
	MinTime pcp.Timestamp // of the first one that is as small
	Max     float64
	MaxTime pcp.Timestamp
	First   float64
	Last    float64
	Sketch  Sketch
	total
}

// A total is what a mean is made of.
type total struct {
	sum     float64 // of the samples
	squares float64 // of their distances from the first one; unknown of several instances
	area    float64 // of the samples, each times the seconds that it holds
	seconds float64
	foreign bool // the area has values that are no samples: those of the intervals beside it
}

func newSeries(whole bool) *Series {
	return &Series{Min: math.NaN(), Max: math.NaN(), First: math.NaN(), Last: math.NaN(), Sketch: Sketch{Whole: whole}}
}

func (s *Series) add(x float64, at pcp.Timestamp) {
	if !(s.Min <= x) {
		s.Min, s.MinTime = x, at
	}
	if !(s.Max >= x) {
		s.Max, s.MaxTime = x, at
	}
	if s.Samples++; s.Samples == 1 {
		s.First = x
	}
	s.Last = x
	s.squares += (x - s.First) * (x - s.First)
	s.sum += x
	s.Sketch.Add(x)
}

func (s *Series) hold(x, seconds float64) {
	s.area += x * seconds
	s.seconds += seconds
}

// Mean returns the mean of the samples, weighted by the time for which each holds. If there is no
// such time, each has the same weight.
func (s *Series) Mean() float64 {
	mean := s.sum / float64(s.Samples)
	if s.seconds > 0 {
		mean = s.area / s.seconds
	}
	if s.foreign {
		return mean
	}
	return min(max(mean, s.Min), s.Max) // whatever was rounded
}

// Quantile is that of Sketch, which knows no extremes.
func (s *Series) Quantile(q float64) float64 {
	return min(max(s.Sketch.Quantile(q), s.Min), s.Max)
}

// Change returns the last sample less the first one.
func (s *Series) Change() float64 { return s.Last - s.First }

// merge adds what is known about another instance, but for what Metric.take adds to the sum, the area
// and the time.
func (s *Series) merge(o *Series) {
	if !(s.Min <= o.Min) || s.Min == o.Min && o.MinTime.Compare(s.MinTime) < 0 {
		s.Min, s.MinTime = o.Min, o.MinTime
	}
	if !(s.Max >= o.Max) || s.Max == o.Max && o.MaxTime.Compare(s.MaxTime) < 0 {
		s.Max, s.MaxTime = o.Max, o.MaxTime
	}
	s.Samples += o.Samples
	s.Gaps += o.Gaps
	s.Marks += o.Marks
	s.First, s.Last = o.First, o.Last
	s.Sketch.Merge(&o.Sketch)
}
