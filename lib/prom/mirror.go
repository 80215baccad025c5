// Package prom joins the metrics of Prometheus's client library with those of PCP: a [Mirror] gives
// what a program gathers for Prometheus to readers of memory-mapped values, and a [Collector] gives
// the metrics of any source to Prometheus.
//
// It is a module of its own, so that pmtools does not need the client library.
package prom

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"pmtools/lib/mmv"
)

// A Mirror shows metrics gathered for Prometheus as metrics of a registry. It may not be shared by
// goroutines.
//
//	m := prom.NewMirror(registry, prometheus.DefaultGatherer)
//	go mmv.Every(ctx, time.Second, func() { err = m.Update() })
//
// Names stay as they are, but for colons. A metric with labels has an instance for each set, named
// "code=200,method=get". A histogram or summary x is the counters x.count and x.sum, and x.bucket or
// x.quantile with an instance for each bound: "le=0.5". A set of labels that is gathered no more
// keeps its last values.
type Mirror struct {
	reg     *mmv.Registry
	from    prometheus.Gatherer
	domains map[string]*mmv.Domain
	reals   map[string]*mmv.Number[float64]
	counts  map[string]*mmv.Number[uint64]
}

// NewMirror returns a Mirror of the metrics of a Gatherer.
func NewMirror(r *mmv.Registry, from prometheus.Gatherer) *Mirror {
	return &Mirror{r, from, map[string]*mmv.Domain{}, map[string]*mmv.Number[float64]{}, map[string]*mmv.Number[uint64]{}}
}

// Update gathers, registers what is new, and sets all values. It returns the error of the Gatherer,
// which may have gathered something all the same; errors of registrations are those of
// [mmv.Registry.Err].
func (m *Mirror) Update() error {
	families, err := m.from.Gather()
	m.reg.Batch(func() {
		for _, f := range families {
			for _, x := range f.GetMetric() {
				m.show(f, x)
			}
		}
	})
	return err
}

func (m *Mirror) show(f *dto.MetricFamily, x *dto.Metric) {
	name, of := mmv.NameOf(f.GetName()), series{m, f, labels(x), ""}
	switch {
	case x.Counter != nil:
		of.real(name, true, x.Counter.GetValue())
	case x.Gauge != nil:
		of.real(name, false, x.Gauge.GetValue())
	case x.Untyped != nil:
		of.real(name, false, x.Untyped.GetValue())
	case x.Summary != nil:
		of.count(name+".count", x.Summary.GetSampleCount())
		of.real(name+".sum", true, x.Summary.GetSampleSum())
		for _, q := range x.Summary.GetQuantile() {
			of.bound = fmt.Sprintf("quantile=%g", q.GetQuantile())
			of.real(name+".quantile", false, q.GetValue())
		}
	case x.Histogram != nil:
		of.count(name+".count", x.Histogram.GetSampleCount())
		of.real(name+".sum", true, x.Histogram.GetSampleSum())
		for _, b := range x.Histogram.GetBucket() {
			of.bound = fmt.Sprintf("le=%g", b.GetUpperBound())
			of.count(name+".bucket", b.GetCumulativeCount())
		}
	}
}

func labels(x *dto.Metric) string {
	var b strings.Builder
	for i, l := range x.GetLabel() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.GetName() + "=" + l.GetValue())
	}
	return b.String()
}

// A series is one set of labels of a family.
type series struct {
	m      *Mirror
	f      *dto.MetricFamily
	labels string
	bound  string // of a bucket or quantile
}

func (s *series) inst() string {
	if s.labels != "" && s.bound != "" {
		return s.labels + "," + s.bound
	}
	return s.labels + s.bound
}

// options returns the options of a metric. Metrics of a family share a domain, except for bounds.
func (s *series) options(units string) []mmv.Option {
	opts := []mmv.Option{mmv.About(s.f.GetHelp()), mmv.Units(units)}
	if s.inst() == "" {
		return opts
	}
	name := s.f.GetName()
	if s.bound != "" {
		name += " bounds"
	}
	if s.m.domains[name] == nil {
		s.m.domains[name] = s.m.reg.Domain()
	}
	return append(opts, mmv.Per(s.m.domains[name]))
}

func (s *series) real(name string, counter bool, x float64) {
	n := s.m.reals[name]
	if n == nil {
		register, units := mmv.Gauge[float64], units(s.f.GetName())
		if counter {
			register, units = mmv.Counter[float64], cmp.Or(units, "count")
		}
		n = register(s.m.reg, name, s.options(units)...)
		s.m.reals[name] = n
	}
	if inst := s.inst(); inst != "" {
		n = n.At(inst)
	}
	n.Set(x)
}

func (s *series) count(name string, x uint64) {
	n := s.m.counts[name]
	if n == nil {
		n = mmv.Counter[uint64](s.m.reg, name, s.options("count")...)
		s.m.counts[name] = n
	}
	if inst := s.inst(); inst != "" {
		n = n.At(inst)
	}
	n.Set(x)
}

func units(name string) string {
	name = strings.TrimSuffix(name, "_total")
	switch {
	case strings.HasSuffix(name, "_seconds"):
		return "sec"
	case strings.HasSuffix(name, "_bytes"):
		return "byte"
	}
	return ""
}
