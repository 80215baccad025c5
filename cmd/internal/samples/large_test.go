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
	"pmtools/lib/sampling"
)

// A large is many values in columns. It counts how often they are looked at, and can end a context
// then.
type large struct {
	values pcp.Values
	looked int
	end    func()
	endAt  int
}

// newLarge returns n values, whose identifiers may descend.
func newLarge(n int, down bool) *large {
	l := &large{values: pcp.Values{Type: pcp.Uint64}}
	for i := range n {
		id := int32(i)
		if down {
			id = int32(n - i)
		}
		l.values.Insts, l.values.Words = append(l.values.Insts, id), append(l.values.Words, uint64(i))
	}
	return l
}

// set returns the values as a set.
func (l *large) set() sampling.Set {
	return sampling.ColumnSet(&l.values, nil, func(inst int32) string {
		l.look()
		return names[inst]
	})
}

// names are those of instances.
var names = func() (list []string) {
	for i := range 100_001 {
		list = append(list, "inst "+strconv.Itoa(i))
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
	open    func(io.Writer, *sampling.Header, *Options) (sampling.Writer, error)
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
	{"rows with the past", NewRows, Options{Precision: -1, People: People{Sparks: true}}, -1, 700},
	{"rows, live", NewRows, Options{Precision: -1, Live: true, Width: 80, Height: 24}, -1, 60},
	{"csv", NewCSV, Options{Precision: -1}, 1, 10},
	{"json", NewJSON, Options{Precision: -1}, 1, 10},
	{"openmetrics", NewOpenMetrics, Options{Precision: -1}, 1, 500},
	{"chart", NewChart, Options{Precision: -1}, -1, 500},
}

// open returns a Writer of a form, for one metric.
func (f *form) openOne(t *testing.T) sampling.Writer {
	t.Helper()
	w, err := f.open(io.Discard, &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.Uint64, indom)}, Samples: f.samples, Interval: time.Second}, &f.opt)
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
	l := newLarge(n, false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := errors.Join(w.Sample(t.Context(), at(0, l.set())), w.Close()); err != nil {
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
			whole := newLarge(n, down)
			if err := f.openOne(t).Sample(t.Context(), at(0, whole.set())); err != nil {
				t.Fatal(err)
			}
			for _, part := range []int{1, 3, 7, 9} {
				ctx, cancel := context.WithCancel(t.Context())
				l := newLarge(n, down)
				l.end, l.endAt = cancel, whole.looked/10*part
				w := f.openOne(t)
				err := w.Sample(ctx, at(0, l.set()))
				if more := l.looked - l.endAt; !errors.Is(err, context.Canceled) || more > 8*1024 {
					t.Errorf("%s: after %d of %d looks: error %v, %d more looks", f.name, l.endAt, whole.looked, err, more)
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
	values := []sampling.Value{{ID: 0, Instance: string(long), Value: pcp.WordValue(pcp.Uint64, 1)}}
	for i := range 1000 {
		values = append(values, sampling.Value{ID: int32(i + 1), Instance: strconv.Itoa(i), Value: pcp.WordValue(pcp.Uint64, 1)})
	}
	for _, f := range forms {
		h := &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.Uint64, indom)}, Samples: f.samples, Interval: time.Second}
		list := []*sampling.Sample{at(0, sampling.SetOf(values...))}
		if f.samples < 0 {
			list = append(list, at(1, sampling.SetOf(values...)), at(2, sampling.SetOf(values...)))
		}
		if got := write(t, f.open, h, &f.opt, list...); len(got) > 5_000_000 {
			t.Errorf("%s: %d bytes", f.name, len(got))
		}
	}
}
