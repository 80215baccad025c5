// Package goruntime gives the metrics of Go's runtime to readers of memory-mapped values:
//
//	metrics := goruntime.New(registry)
//	go mmv.Every(ctx, time.Second, metrics.Update)
package goruntime

import (
	"fmt"
	"runtime/metrics"
	"strings"

	"pmtools/lib/mmv"
)

// Metrics copies package runtime/metrics into a registry. Goroutines may not share it.
//
// The name /gc/heap/allocs:bytes becomes go.gc.heap.allocs.bytes. A histogram has an instance for
// each bucket, "2e-06..4e-06"; its values are counters.
type Metrics struct {
	samples []metrics.Sample
	set     []func(v metrics.Value)
}

// New registers all metrics of the runtime except /godebug. [mmv.Registry.Err] reports errors.
func New(r *mmv.Registry) *Metrics {
	m := &Metrics{}
	r.Batch(func() {
		for _, d := range metrics.All() {
			if strings.HasPrefix(d.Name, "/godebug/") {
				continue
			}
			m.samples, m.set = append(m.samples, metrics.Sample{Name: d.Name}), append(m.set, register(r, &d))
		}
	})
	m.Update()
	return m
}

// Update sets the values.
func (m *Metrics) Update() {
	metrics.Read(m.samples)
	for i := range m.samples {
		m.set[i](m.samples[i].Value)
	}
}

func register(r *mmv.Registry, d *metrics.Description) func(v metrics.Value) {
	path, unit, _ := strings.Cut(strings.TrimPrefix(d.Name, "/"), ":")
	name := "go." + mmv.NameOf(strings.ReplaceAll(path, "/", ".")+"."+unit)
	opts := []mmv.Option{mmv.About(d.Description), mmv.Units(units(unit))}
	switch d.Kind {
	case metrics.KindUint64:
		n := number[uint64](r, name, d.Cumulative, opts)
		return func(v metrics.Value) { n.Set(v.Uint64()) }
	case metrics.KindFloat64:
		n := number[float64](r, name, d.Cumulative, opts)
		return func(v metrics.Value) { n.Set(v.Float64()) }
	case metrics.KindFloat64Histogram:
		return histogram(r, d.Name, name, opts)
	}
	return func(metrics.Value) {}
}

func number[T mmv.Numeric](r *mmv.Registry, name string, cumulative bool, opts []mmv.Option) *mmv.Number[T] {
	if cumulative {
		return mmv.Counter[T](r, name, opts...)
	}
	return mmv.Gauge[T](r, name, opts...)
}

// histogram registers a histogram. Its buckets never change.
func histogram(r *mmv.Registry, source, name string, opts []mmv.Option) func(v metrics.Value) {
	sample := []metrics.Sample{{Name: source}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return func(metrics.Value) {}
	}
	buckets := sample[0].Value.Float64Histogram().Buckets
	insts := make([]string, len(buckets)-1)
	for i := range insts {
		insts[i] = fmt.Sprintf("%g..%g", buckets[i], buckets[i+1])
	}
	n := mmv.Counter[uint64](r, name, append(opts, mmv.Units("count"), mmv.Per(r.Domain().Add(insts...)))...)
	values := make([]*mmv.Number[uint64], len(insts))
	for i, inst := range insts {
		values[i] = n.At(inst)
	}
	return func(v metrics.Value) {
		for i, c := range v.Float64Histogram().Counts {
			values[i].Set(c)
		}
	}
}

// units returns the units of PCP for a unit of the runtime.
func units(unit string) string {
	switch unit {
	case "bytes":
		return "byte"
	case "seconds", "cpu-seconds":
		return "sec"
	case "percent":
		return ""
	}
	return "count"
}
