package samples

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pmtools/lib/pcp"
)

// A large is many values that take no memory. It counts how often they are looked at, and can end
// a context then.
type large struct {
	n      int
	down   bool // identifiers descend
	looked int
	end    func()
	endAt  int
}

// Len implements Values.
func (l *large) Len() int { return l.n }

// ID implements Values.
func (l *large) ID(i int) int32 {
	l.look()
	if l.down {
		return int32(l.n - i)
	}
	return int32(i)
}

// At implements Values.
func (l *large) At(i int) Value {
	return Value{ID: l.ID(i), Instance: names[i%len(names)], Value: pcp.WordValue(pcp.Uint64, uint64(i))}
}

// names are those of instances.
var names = func() (list []string) {
	for i := range 1000 {
		list = append(list, "instance "+strconv.Itoa(i))
	}
	return list
}()

// look counts.
func (l *large) look() {
	if l.looked++; l.end != nil && l.looked == l.endAt {
		l.end()
	}
}

// A form is a way to write samples.
type form struct {
	name    string
	open    func(io.Writer, *Header, *Options) (Writer, error)
	opt     Options
	samples int     // at most
	bytes   float64 // that are allocated for a value at most
}

// forms are all ways to write samples.
var forms = []form{
	{"table", NewTable, Options{Precision: -1}, 1, 100},
	{"table, cut", NewTable, Options{Precision: -1, Width: 80}, 1, 120},
	{"table, running", NewTable, Options{Precision: -1}, -1, 200},
	{"table, running and cut", NewTable, Options{Precision: -1, Width: 80}, -1, 60},
	{"rows", NewRows, Options{Precision: -1}, 1, 150},
	{"rows with the past", NewRows, Options{Precision: -1, Sparks: true}, -1, 700},
	{"rows, live", NewRows, Options{Precision: -1, Live: true, Width: 80, Height: 24}, -1, 60},
	{"csv", NewCSV, Options{Precision: -1}, 1, 10},
	{"json", NewJSON, Options{Precision: -1}, 1, 10},
	{"openmetrics", NewOpenMetrics, Options{Precision: -1}, 1, 500},
	{"chart", NewChart, Options{Precision: -1}, -1, 500},
}

// open returns a Writer of a form, for one metric.
func (f *form) openOne(t *testing.T) Writer {
	t.Helper()
	w, err := f.open(io.Discard, &Header{Metrics: []Metric{metric("m", pcp.Uint64, indom)}, Samples: f.samples, Interval: time.Second}, &f.opt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// write writes n values, and returns how often they were looked at and how much memory was
// allocated.
func (f *form) write(t *testing.T, n int) (looked int, allocated uint64) {
	t.Helper()
	w := f.openOne(t)
	l := &large{n: n}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := errors.Join(w.Sample(t.Context(), at(0, Set{Values: l})), w.Close()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return l.looked, after.TotalAlloc - before.TotalAlloc
}

// TestLarge: each form looks at each value of a large sample a few times, and needs little memory
// for it.
func TestLarge(t *testing.T) {
	const n = 100_000
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			f.write(t, n/10) // warm up
			few, _ := f.write(t, n/10)
			many, allocated := f.write(t, n)
			if many > 11*few || many > 12*n {
				t.Errorf("%d looks at %d values, %d at %d", few, n/10, many, n)
			}
			if per := float64(allocated) / n; per > f.bytes {
				t.Errorf("%.0f bytes are allocated for a value, want %.0f", per, f.bytes)
			}
		})
	}
}

// TestLargeInterrupted: the end of a context ends each form in the middle of a sample, soon, also
// while it sorts.
func TestLargeInterrupted(t *testing.T) {
	const n = 20_000
	for _, f := range forms {
		for _, down := range []bool{false, true} {
			all := &large{n: n, down: down}
			if err := f.openOne(t).Sample(t.Context(), at(0, Set{Values: all})); err != nil {
				t.Fatal(err)
			}
			for _, part := range []int{1, 3, 7, 9} {
				ctx, cancel := context.WithCancel(t.Context())
				l := &large{n: n, down: down, end: cancel, endAt: all.looked / 10 * part}
				w := f.openOne(t)
				err := w.Sample(ctx, at(0, Set{Values: l}))
				if more := l.looked - l.endAt; !errors.Is(err, context.Canceled) || more > 8*endedEvery {
					t.Errorf("%s: after %d of %d looks: error %v, %d more looks", f.name, l.endAt, all.looked, err, more)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				cancel()
			}
		}
	}
}

// TestLongName: the name of one instance does not make the lines of all others as long.
func TestLongName(t *testing.T) {
	long := make([]byte, 100_000)
	for i := range long {
		long[i] = 'x'
	}
	values := List{{ID: 0, Instance: string(long), Value: pcp.WordValue(pcp.Uint64, 1)}}
	for i := range 1000 {
		values = append(values, Value{ID: int32(i + 1), Instance: "i", Value: pcp.WordValue(pcp.Uint64, 1)})
	}
	for _, f := range forms {
		h := &Header{Metrics: []Metric{metric("m", pcp.Uint64, indom)}, Samples: f.samples, Interval: time.Second}
		list := []*Sample{at(0, Set{Values: values})}
		if f.samples < 0 {
			list = append(list, at(1, Set{Values: values}), at(2, Set{Values: values}))
		}
		if got := write(t, f.open, h, &f.opt, list...); len(got) > 5_000_000 {
			t.Errorf("%s: %d bytes", f.name, len(got))
		}
	}
}
