package summary

import (
	"math"

	"pmtools/lib/pcp"
)

// Figures summarize a series of values. Numbers are NaN if there were no values.
type Figures struct {
	Samples       int // values that are numbers
	Gaps          int // how often values were missing between two samples, for a record or more
	Marks         int // how often recording was interrupted between two samples
	Min           float64
	MinTime       pcp.Timestamp // of the first one that is as small
	Max           float64
	MaxTime       pcp.Timestamp
	First         float64
	Last          float64
	Mean          float64   // weighted by the time for which samples hold, unless that is 0
	Seconds       float64   // for how long they hold in all
	P50, P95, P99 float64   // quantiles
	Quantiles     []float64 // those of Options.Quantiles
	QuantileError float64   // by which part of the true quantiles these may be off

	spread spread // zero unless Options.Compared
}

// Change returns the last sample less the first one.
func (f *Figures) Change() float64 { return f.Last - f.First }

// A series adds samples up. Some of the Figures are not known before finish.
type series struct {
	Figures
	sketch  sketch
	sum     float64 // of the samples
	squares float64 // of their distances from the first one; unknown of several instances
	area    float64 // of the samples, each times the seconds that it holds
	foreign bool    // the area has values that are no samples: those of the intervals beside it
}

func newSeries(m *Metric) *series {
	none := math.NaN()
	whole := m.Desc.Type != pcp.Float && m.Desc.Type != pcp.Double
	return &series{Figures: Figures{Min: none, Max: none, First: none, Last: none}, sketch: sketch{whole: whole}}
}

func (s *series) add(x float64, at pcp.Timestamp) {
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
	s.sketch.add(x)
}

func (s *series) hold(x, seconds float64) {
	s.area += x * seconds
	s.Seconds += seconds
}

// merge adds the figures of another instance, except the sum, the area and the time, to which
// metric.take adds.
func (s *series) merge(o *series) {
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
	s.sketch.merge(&o.sketch)
}

// finish returns the figures, with more quantiles, and if compared is set with the numbers that Compare needs. No
// value may be added afterwards.
func (s *series) finish(compared bool, more []Quantile) *Figures {
	within := func(x float64) float64 { return min(max(x, s.Min), s.Max) }
	if s.Mean = s.area / s.Seconds; !(s.Seconds > 0) {
		s.Mean = s.sum / float64(s.Samples) // each has the same weight
	}
	if !s.foreign {
		s.Mean = within(s.Mean) // whatever was rounded
	}
	q := s.sketch.quantiles(0.5, 0.95, 0.99)
	s.P50, s.P95, s.P99 = within(q[0]), within(q[1]), within(q[2]) // the sketch knows no extremes
	if len(more) > 0 {
		parts := make([]float64, len(more))
		for i := range more {
			parts[i] = more[i].Part
		}
		s.Quantiles = s.sketch.quantiles(parts...)
		for i, x := range s.Quantiles {
			s.Quantiles[i] = within(x)
		}
	}
	s.QuantileError = s.sketch.error()
	if compared {
		s.spread = s.sketch.spread()
		s.spread.variance = s.variance()
	}
	s.sketch = sketch{} // which may be large
	return &s.Figures
}

// variance returns that of the samples.
func (s *series) variance() float64 {
	if s.Samples < 2 {
		return 0
	}
	n := float64(s.Samples)
	shift := s.sum - n*s.First // sums are of distances from the first sample, which keeps their digits
	return max(0, (s.squares-shift/n*shift)/(n-1))
}
