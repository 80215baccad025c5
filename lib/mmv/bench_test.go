package mmv_test

import (
	"fmt"
	"testing"
	"time"

	"pmtools/lib/mmv"
)

// BenchmarkUpdate measures updates of the mapping.
func BenchmarkUpdate(b *testing.B) {
	r, err := mmv.Create("bench", mmv.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	per := r.Domain().Add("a", "b")
	count := mmv.Counter[uint64](r, "count", mmv.Per(per))
	at := count.At("b")
	load := mmv.Gauge[float64](r, "load")
	n32 := mmv.Gauge[int32](r, "n32")
	text := mmv.Text(r, "text")
	watch := mmv.Timer(r, "watch")
	if err := r.Err(); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"At", func() { count.At("b") }}, {"Text", func() { text.Set("some text") }}, {"Start", func() { watch.Start()() }}, {"Timer.Add", func() { watch.Add(time.Second) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
	b.Run("Add", func(b *testing.B) {
		for b.Loop() {
			at.Add(1)
		}
	})
	b.Run("Add32", func(b *testing.B) {
		for b.Loop() {
			n32.Add(1)
		}
	})
	b.Run("AddFloat", func(b *testing.B) {
		for b.Loop() {
			load.Add(1)
		}
	})
	b.Run("Set", func(b *testing.B) {
		for b.Loop() {
			load.Set(0.7)
		}
	})
	b.Run("Parallel", func(b *testing.B) {
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				at.Add(1)
			}
		})
	})
}

// BenchmarkRegister measures a registration beside 500 metrics.
func BenchmarkRegister(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		r, err := mmv.Create("bench", mmv.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		r.Batch(func() {
			for i := range 500 {
				mmv.Counter[uint64](r, fmt.Sprint("m", i), mmv.Help("one line"))
			}
		})
		b.StartTimer()
		mmv.Counter[uint64](r, "more")
		b.StopTimer()
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
