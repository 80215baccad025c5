package remotewrite

import (
	"math"
	"strings"
)

// A Kind is the type of a metric, as the protocol numbers it.
type Kind byte

// The kinds of PCP's metrics.
const (
	Counter Kind = 1
	Gauge   Kind = 2
	Info    Kind = 6
)

// Metadata describe a metric.
type Metadata struct {
	Kind       Kind
	Name       string // as OpenMetrics calls the family: without _total and _info
	Help, Unit string
}

// A Series is what samples have in common.
type Series struct {
	Labels  Labels
	Meta    *Metadata // nil for none
	Created int64     // when a counter began at 0, or the earliest time of that, in milliseconds; 0 if it is not known
}

// A Request collects samples series by series. Its zero value is empty.
type Request struct {
	Samples  int  // the number of samples
	Describe bool // the metadata are sent also where the protocol does not have them with each series

	index  map[Labels]int
	series []timeSeries
	size   int // of a message of 1.0, about
}

// A sentSeries is a series whose samples a Sender puts in the order of time.
type sentSeries struct {
	Series
	ms int64 // the time of the last sample
}

type timeSeries struct {
	Series
	samples []sample
}

type sample struct {
	ms    int64
	value float64
}

// Add adds a sample of a series, with its time in milliseconds since 1970. The samples of a series keep the order in which they
// are added; its first one says what the series is.
func (r *Request) Add(series *Series, ms int64, value float64) {
	i, ok := r.index[series.Labels]
	if !ok {
		i = r.newSeries(series)
	}
	if math.IsNaN(value) && math.Float64bits(value) != stale {
		value = math.Float64frombits(ordinary)
	}
	t := &r.series[i]
	t.samples = append(t.samples, sample{ms, value})
	r.size += 18
	r.Samples++
}

// Has reports whether the request has samples of a series.
func (r *Request) Has(series *Series) bool {
	_, ok := r.index[series.Labels]
	return ok
}

// newSeries reuses the memory of an earlier series.
func (r *Request) newSeries(series *Series) (index int) {
	if r.index == nil {
		r.index = make(map[Labels]int)
	}
	index = len(r.series)
	if index < cap(r.series) {
		r.series = r.series[:index+1]
	} else {
		r.series = append(r.series, timeSeries{})
	}
	t := &r.series[index]
	t.Series, t.samples = *series, t.samples[:0]
	r.index[series.Labels] = index
	r.size += len(series.Labels) + 4
	return index
}

// Len returns the length of the message in bytes, about.
func (r *Request) Len() int { return r.size }

// Series returns the number of series.
func (r *Request) Series() int { return len(r.series) }

// Split returns the samples as at most n Blocks of about the same size, of which each has other series.
func (r *Request) Split(n int) (list []Block) {
	left := r.Samples
	for from := 0; from < len(r.series); {
		to, samples := from, 0
		for want := left/(n-len(list)) + 1; to < len(r.series) && (samples < want || len(list) == n-1); to++ {
			samples += len(r.series[to].samples)
		}
		list = append(list, Block{Samples: samples, Part: len(list), describes: r.Describe, series: r.series[from:to]})
		from, left = to, left-samples
	}
	return list
}

// Reset makes the request empty.
func (r *Request) Reset() {
	clear(r.index)
	r.series, r.size, r.Samples, r.Describe = r.series[:0], 0, 0, false
}

// valid returns a text without bytes that are not UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
