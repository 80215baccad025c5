package query_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// machines are the metrics of three hosts below one name, which differ in their units, their order and their number.
func machines() map[string]*pmcdtest.World {
	metric := func(item uint32, name string, units pcp.Units, typ pcp.Type, word uint64) pmcdtest.Metric {
		return pmcdtest.Metric{
			Name: name, Desc: pcp.Desc{ID: pcp.NewID(60, 0, item), Type: typ, InDom: pcp.NullInDom, Sem: pcp.Instant, Units: units},
			Values: pcp.Values{Insts: []int32{pcp.NullInst}, Words: []uint64{word}},
		}
	}
	bytes, kbytes := pcp.Units{DimSpace: 1}, pcp.Units{DimSpace: 1, ScaleSpace: 1}
	return map[string]*pmcdtest.World{
		"a": {Metrics: []pmcdtest.Metric{metric(1, "m.size", bytes, pcp.Uint64, 1024), metric(2, "m.two", pcp.Units{}, pcp.Uint32, 2)}},
		"b": {Metrics: []pmcdtest.Metric{metric(1, "m.size", kbytes, pcp.Uint32, 3), metric(2, "m.other", pcp.Units{}, pcp.Uint32, 7)}},
		"c": {Metrics: []pmcdtest.Metric{metric(1, "m.two", pcp.Units{}, pcp.Int64, 5), metric(2, "m.size", bytes, pcp.Uint64, 9)}},
	}
}

// TestPlaces: the values of hosts stand in the places and in the units of the metrics of the first one.
func TestPlaces(t *testing.T) {
	worlds := machines()
	var said []string
	f := query.NewFleet([]string{"a", "b", "c"})
	f.Open = func(ctx context.Context, host string) (pmapi.Source, error) {
		server := pmcdtest.NewServer(worlds[host])
		t.Cleanup(func() { server.Close() })
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: server.Dial})
	}
	f.Report = func(host string, err error) { said = append(said, host+": "+err.Error()) }
	defer f.Close()
	st, err := f.Run(t.Context(), derive.NewSet(), &query.Query{Exprs: []string{"m"}, Expand: true, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	for smp, err := range st.Samples {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := text(st.Header, smp)[8:], " m.size a=1024 b=3072 c=9 m.two a=2 c=5"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if want := []string{"b: left out, as the first host does not have it: m.other"}; !reflect.DeepEqual(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// TestRecordings: the values of recordings at one time stand in the places and in the units of the metrics of the first one.
func TestRecordings(t *testing.T) {
	worlds := machines()
	now := time.Now()
	for _, w := range worlds {
		w.Now = func() time.Time { return now }
	}
	for _, tt := range []struct {
		name  string
		query query.Query
		lines []string
		said  []string
		err   error
	}{
		{"an inner name", query.Query{Exprs: []string{"m"}, Expand: true},
			[]string{" m.size a=1024 b=3072 c=9 m.two a=2 c=5"},
			[]string{"d: IPC protocol failure", "b: left out, as the first host does not have it: m.other"}, query.ErrRecordings},
		{"an expression", query.Query{Exprs: []string{"m.two * 2"}},
			[]string{" m.two * 2 a=4 c=10"},
			[]string{"d: IPC protocol failure", "b: column 1: unknown metric m.two"}, query.ErrRecordings},
		{"combined", query.Query{Exprs: []string{"m.size"}, Across: "max"}, []string{" m.size =3072"}, []string{"d: IPC protocol failure"}, query.ErrRecordings},
	} {
		var said, lines []string
		r := &query.Recordings{Names: []string{"a", "b", "c", "d"}, Workers: 3, Report: func(name string, err error) { said = append(said, name+": "+err.Error()) }}
		r.Open = func(ctx context.Context, name string) (*query.Source, error) {
			if worlds[name] == nil {
				return nil, pmerr.IPC
			}
			server := pmcdtest.NewServer(worlds[name])
			t.Cleanup(func() { server.Close() })
			src, err := pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: server.Dial})
			return query.NewSource(named{src, name}), err
		}
		tt.query.Once = true
		st, err := r.Run(t.Context(), derive.NewSet(), &tt.query)
		if err != nil {
			t.Fatal(err)
		}
		for smp, e := range st.Samples {
			if err = e; err == nil {
				lines = append(lines, text(st.Header, smp)[8:])
			}
		}
		if !reflect.DeepEqual(lines, tt.lines) || !reflect.DeepEqual(said, tt.said) || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q\n%q, %v\nwant %q\n%q, %v", tt.name, lines, said, err, tt.lines, tt.said, tt.err)
		}
	}
}

// named is a source with the name of a host.
type named struct {
	pmapi.Source
	host string
}

func (n named) Unwrap() pmapi.Source { return n.Source }

func (n named) Host() (name, zone string) { return n.host, "" }

// TestRecordingsAligned: recordings are sampled at the same times, each within its own; when no more samples are taken,
// no more are read.
func TestRecordingsAligned(t *testing.T) {
	r := &query.Recordings{Names: []string{"a", "b", "c"}, Workers: 2, Report: func(name string, err error) { t.Error(name, err) }}
	start := map[string]int64{"a": 0, "b": 25, "c": 100}
	var first pcp.Timestamp
	r.Open = func(_ context.Context, name string) (*query.Source, error) {
		src := open(t, "demo")
		line := src.Line
		src = query.NewSource(named{src, name})
		src.Line = late{line, start[name]}
		return src, nil
	}
	r.Times = func(_ context.Context, all *query.Span, of sampling.Times) (sampling.Times, error) {
		first, of.Start = all.From, all.From
		return of, nil
	}
	st, err := r.Run(t.Context(), derive.NewSet(), &query.Query{Exprs: []string{"rate(disk.dev.total)"}, Times: sampling.Times{Interval: 10 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for smp, err := range st.Samples {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if got := smp.Time.Sub(first); got != float64(10*n) {
			t.Errorf("sample %d is at %v", n, got)
		}
		hosts := make(map[string]bool)
		for i := range smp.Sets[0].Len() {
			hosts[smp.Sets[0].At(i).Host] = true
		}
		for name, from := range start { // a rate needs two samples
			if want := int64(10*n) >= (from+9)/10*10+10; hosts[name] != want {
				t.Errorf("sample %d has values of %s: %v", n, name, !want)
			}
		}
		if n == 20 {
			break
		}
	}
	if want := []string{"a", "b", "c"}; n != 20 || !reflect.DeepEqual(st.Header.Hosts, want) {
		t.Errorf("%d samples of %q", n, st.Header.Hosts)
	}
}

// late is a recording that seems to begin later.
type late struct {
	pmapi.Timeline
	seconds int64
}

func (l late) Bounds(ctx context.Context) (from, to pcp.Timestamp, err error) {
	from, to, err = l.Timeline.Bounds(ctx)
	from.Sec += l.seconds
	return from, to, err
}
