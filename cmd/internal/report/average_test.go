package report

import (
	"slices"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// TestAverage: the averages of rates and of quotients over samples at different times are those between the first and
// the last sample, as one rate over the whole window has them.
func TestAverage(t *testing.T) {
	l := New()
	l.Add("f", "[r]\ndisk.dev.total = ops\nsize = disk.size\nsize.formula = rate(disk.dev.total_bytes) / rate(disk.dev.total)\nhinv.ncpu = cpus\n")
	averages := func(interval time.Duration) map[string]float64 {
		a, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "demo"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		src, defs := query.NewSource(a), derive.NewSet()
		x, err := l.Expand(t.Context(), src, defs, []string{":r"})
		if err != nil {
			t.Fatal(err)
		}
		q := &query.Query{Exprs: x.Averaged(), Times: sampling.Times{Start: src.At, Interval: interval}}
		if interval > time.Minute {
			q.Times.End = src.At.Add(interval)
		} else {
			q.Times.End = src.At.Add(8 * time.Minute)
		}
		st, err := query.Run(t.Context(), src, defs, q)
		if err != nil {
			t.Fatal(err)
		}
		x.Average(st)
		got := make(map[string]float64)
		for smp, err := range st.Samples {
			if err != nil {
				t.Fatal(err)
			}
			for i := range smp.Sets {
				for j := range smp.Sets[i].Len() {
					v := smp.Sets[i].At(j)
					got[st.Header.Metrics[i].Name+" "+v.Instance] = v.Number()
				}
			}
		}
		return got
	}
	fine, whole := averages(time.Minute), averages(8*time.Minute)
	if len(whole) != 5 || len(fine) != len(whole) {
		t.Fatalf("%v, %v", fine, whole)
	}
	for name, want := range whole {
		if got := fine[name]; got < want*0.999999 || got > want*1.000001 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestAverageWeights: values count for the time since the sample before, and averages have none of texts, and of
// discrete numbers and numbers in columns of the type raw that have changed.
func TestAverageWeights(t *testing.T) {
	at := func(sec int64) pcp.Timestamp { return pcp.Timestamp{Sec: 100 + sec} }
	value := func(f float64) sampling.Set { return sampling.SetOf(sampling.Value{ID: -1, Value: pcp.DoubleValue(f)}) }
	text := sampling.SetOf(sampling.Value{ID: -1, Value: pcp.BlobValue(pcp.String, []byte("a"))})
	metric := func(name string, typ pcp.Type, sem pcp.Sem) sampling.Metric {
		return sampling.Metric{Name: name, Desc: pcp.Desc{Type: typ, Sem: sem, InDom: pcp.NullInDom}}
	}
	st := &query.Stream{
		Header: &sampling.Header{Metrics: []sampling.Metric{metric("x", pcp.Double, pcp.Instant), metric("s", pcp.String, pcp.Instant), metric("d", pcp.Double, pcp.Discrete), metric("n", pcp.Double, pcp.Instant)}},
		Samples: func(yield func(*sampling.Sample, error) bool) {
			_ = yield(&sampling.Sample{Time: at(10), Since: at(0), Sets: []sampling.Set{value(1), text, value(1), value(1)}}, nil) &&
				yield(&sampling.Sample{Time: at(40), Since: at(10), Sets: []sampling.Set{value(5), text, value(2), value(2)}}, nil)
		},
	}
	number := &shown{Column: &Column{Type: "raw"}}
	x := &Expansion{Exprs: []string{"x", "s", "d", "n"}, bounds: []*Bound{{by: map[string]*shown{"n": number}}}}
	x.Average(st)
	var last sampling.Sample
	for smp := range st.Samples {
		last = *smp
	}
	lengths := []int{last.Sets[0].Len(), last.Sets[1].Len(), last.Sets[2].Len(), last.Sets[3].Len()}
	if !last.Average || !slices.Equal(lengths, []int{1, 0, 0, 0}) {
		t.Fatalf("%v %v", last.Average, lengths)
	}
	if v := last.Sets[0].At(0); v.Number() != 4 {
		t.Errorf("average %v, want (1*10 + 5*30) / 40", v.Number())
	}
}

// TestAverageHosts: the quotients of a host count as much as its own divisors.
func TestAverageHosts(t *testing.T) {
	values := func(a, b float64) sampling.Set {
		return sampling.SetOf(sampling.Value{ID: 1, Host: "a", Value: pcp.DoubleValue(a)}, sampling.Value{ID: 1, Host: "b", Value: pcp.DoubleValue(b)})
	}
	metric := func(name string) sampling.Metric {
		return sampling.Metric{Name: name, Desc: pcp.Desc{Type: pcp.Double, Sem: pcp.Instant}}
	}
	st := &query.Stream{
		Header: &sampling.Header{Hosts: []string{"a", "b"}, Metrics: []sampling.Metric{metric("size"), metric("ops")}},
		Samples: func(yield func(*sampling.Sample, error) bool) {
			_ = yield(&sampling.Sample{Time: pcp.Timestamp{Sec: 110}, Since: pcp.Timestamp{Sec: 100}, Sets: []sampling.Set{values(10, 20), values(1, 3)}}, nil) &&
				yield(&sampling.Sample{Time: pcp.Timestamp{Sec: 120}, Since: pcp.Timestamp{Sec: 110}, Sets: []sampling.Set{values(30, 40), values(3, 1)}}, nil)
		},
	}
	x := &Expansion{Exprs: []string{"size"}, divisors: map[string]string{"size": "ops"}}
	x.Average(st)
	var last sampling.Sample
	for smp := range st.Samples {
		last = *smp
	}
	if len(last.Sets) != 1 || last.Sets[0].Len() != 2 {
		t.Fatalf("%+v", last)
	}
	for i, want := range []float64{(10*1 + 30*3) / 4., (20*3 + 40*1) / 4.} {
		if v := last.Sets[0].At(i); v.Number() != want {
			t.Errorf("host %s: %v, want %v", v.Host, v.Number(), want)
		}
	}
}
