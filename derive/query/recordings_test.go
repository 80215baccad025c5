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

// TestRecordings: the values of recordings stand in the places and in the units of the metrics of the first one.
func TestRecordings(t *testing.T) {
	worlds := machines()
	for _, tt := range []struct {
		name  string
		query query.Query
		lines []string
		said  []string
		err   error
	}{
		{"an inner name", query.Query{Exprs: []string{"m"}, Expand: true},
			[]string{" m.size a=1024 m.two a=2", " m.size b=3072 m.two", " m.size c=9 m.two c=5"},
			[]string{"b: left out, as the first host does not have it: m.other", "d: IPC protocol failure"}, query.ErrRecordings},
		{"an expression", query.Query{Exprs: []string{"m.two * 2"}},
			[]string{" m.two * 2 a=4", " m.two * 2 c=10"},
			[]string{"b: column 1: unknown metric m.two", "d: IPC protocol failure"}, query.ErrRecordings},
		{"a limit", query.Query{Exprs: []string{"m.size"}, Select: query.Selection{Limit: 2}}, []string{" m.size a=1024", " m.size b=3072"}, nil, nil},
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

// TestRecordingsEnd: when no more samples are taken, no more recordings are opened.
func TestRecordingsEnd(t *testing.T) {
	r := &query.Recordings{Names: make([]string, 50), Workers: 1, Report: func(name string, err error) { t.Error(name, err) }}
	opened := 0 // without a lock, so that there is one worker
	r.Open = func(context.Context, string) (*query.Source, error) {
		opened++
		return open(t, "demo"), nil
	}
	r.Times = func(_ context.Context, src *query.Source, of sampling.Times) (sampling.Times, error) {
		of.Start = src.At
		return of, nil
	}
	st, err := r.Run(t.Context(), derive.NewSet(), &query.Query{Exprs: []string{"disk.dev.total"}, Times: sampling.Times{Interval: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range st.Samples {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 700 { // one has some 600
			break
		}
	}
	if opened > 3 {
		t.Errorf("%d recordings were opened", opened)
	}
}
