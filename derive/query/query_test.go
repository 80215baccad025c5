package query_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	_ "pmtools/test/env"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// open opens one of the archives of archivetest.
func open(t *testing.T, name string) *query.Source {
	t.Helper()
	src, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return query.NewSource(src)
}

// text writes a sample in one line.
func text(h *sampling.Header, smp *sampling.Sample) string {
	var b strings.Builder
	b.WriteString(smp.Time.Time().UTC().Format("15:04:05"))
	for i, set := range smp.Sets {
		fmt.Fprintf(&b, " %s", h.Metrics[i].Name)
		if set.Err != nil {
			fmt.Fprintf(&b, " (%v)", set.Err)
		}
		for j := range set.Len() {
			v := set.At(j)
			fmt.Fprintf(&b, " %s%s=%s", v.Host, v.Instance, format.AppendPlain(nil, v.Value, -1))
			if v.Counter.IsSet() {
				fmt.Fprintf(&b, " of %s", format.AppendPlain(nil, v.Counter, -1))
			}
		}
		if set.More > 0 {
			fmt.Fprintf(&b, " and %d more", set.More)
		}
	}
	return b.String()
}

// all returns the lines of all samples of a query, and its error.
func all(ctx context.Context, src *query.Source, q *query.Query) (lines []string, err error) {
	st, err := query.Run(ctx, src, derive.NewSet(), q)
	if err != nil {
		return nil, err
	}
	for smp, e := range st.Samples {
		if e != nil {
			return lines, errors.Join(st.Err, e)
		}
		lines = append(lines, text(st.Header, smp))
	}
	return lines, st.Err
}

// TestRun draws samples of a recording: record by record and at steps, with rates, selections and
// orders.
func TestRun(t *testing.T) {
	step := time.Second / 2
	for _, tt := range []struct {
		name string
		q    query.Query
		want string
	}{
		{"once", query.Query{Exprs: []string{"t.s"}, Once: true}, "01:46:40 t.s =0"},
		{"once at steps", query.Query{Exprs: []string{"x = t.s > 2 ? t.s : novalue()", "t.s"}, Once: true, Step: time.Second}, "01:46:43 x =3 t.s =3"},
		{"no values at steps", query.Query{Exprs: []string{"x = t.s > 9 ? t.s : novalue()", "t.s"}, Once: true, Step: time.Second}, "01:46:45 x t.s =5"},
		{"a definition", query.Query{Exprs: []string{"y = x * 2", "x = t.b[three] + 1"}, Once: true}, "01:46:40 y three=62 x three=31"},
		{"the largest", query.Query{Exprs: []string{"t.b"}, Once: true, Select: query.Selection{Sort: "value", Top: 1}}, "01:46:40 t.b a/b=50 and 4 more"},
		{"instances", query.Query{Exprs: []string{"t.b"}, Once: true, Select: query.Selection{Instances: []string{"t*"}}}, "01:46:40 t.b two blank=20 three=30"},
		{"instances with slashes", query.Query{Exprs: []string{"t.b"}, Once: true, Select: query.Selection{Instances: []string{"a*"}}}, "01:46:40 t.b a]b=40 a/b=50"},
		{"where", query.Query{Exprs: []string{"t.b"}, Once: true, Select: query.Selection{Where: "t.b > 35"}}, "01:46:40 t.b a]b=40 a/b=50"},
		{"a window", query.Query{Exprs: []string{"t.s"}, Times: sampling.Times{Interval: step, Samples: 2}}, "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := open(t, "ta")
			tt.q.Times.Start = src.At
			lines, err := all(t.Context(), src, &tt.q)
			got := strings.Join(lines, "\n")
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "-" {
				if len(lines) != 2 || !strings.HasPrefix(lines[0], "01:46:40 ") || !strings.HasPrefix(lines[1], "01:46:40 ") {
					t.Errorf("got\n%s", got)
				}
			} else if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestRates: a counter's values are its rates, with the counter beside them, from the second sample on;
// raw counters come from the first.
func TestRates(t *testing.T) {
	src := open(t, "ta")
	q := query.Query{Exprs: []string{"t.a"}, Times: sampling.Times{Start: src.At, Samples: 2}}
	rates, err := all(t.Context(), src, &q)
	if err != nil {
		t.Fatal(err)
	}
	q.Raw = true
	raw, err := all(t.Context(), src, &q)
	if err != nil {
		t.Fatal(err)
	}
	if len(rates) != 2 || len(raw) != 2 {
		t.Fatalf("got %q and %q", rates, raw)
	}
	if !strings.Contains(rates[0], " of ") || strings.Contains(raw[0], " of ") {
		t.Errorf("got %q and %q", rates, raw)
	}
	if rates[0][:8] != raw[1][:8] {
		t.Errorf("the first rate is of %s, the second sample of %s", rates[0][:8], raw[1][:8])
	}
}

// TestAllocations: a steady stream allocates nothing for each value.
func TestAllocations(t *testing.T) {
	src := open(t, "demo")
	st, err := query.Run(t.Context(), src, derive.NewSet(), &query.Query{Exprs: []string{"disk.dev.total"}, Times: sampling.Times{Start: src.At}})
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(st.Samples)
	defer stop()
	for range 10 { // warm up
		next()
	}
	values := 0
	per := testing.AllocsPerRun(20, func() {
		smp, err, ok := next()
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		for j := range smp.Sets[0].Len() {
			_ = smp.Sets[0].At(j)
			values++
		}
	})
	if values == 0 || per > 4 {
		t.Errorf("%v allocations a sample, %d values", per, values)
	}
}

// TestRunErrors: expressions that are wrong, some and all; windows without samples; a context that has
// ended.
func TestRunErrors(t *testing.T) {
	src := open(t, "ta")
	lines, err := all(t.Context(), src, &query.Query{Exprs: []string{"t.bb", "t.s", "t.d +"}, Once: true})
	if bad := problems(err); len(bad) != 2 || bad[0].Src != "t.bb" || bad[1].Src != "t.d +" {
		t.Errorf("%v", err)
	}
	if len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	if lines, err = all(t.Context(), src, &query.Query{Exprs: []string{"t.bb"}, Once: true}); lines != nil || len(problems(err)) != 1 {
		t.Errorf("%q, %v", lines, err)
	}
	late := sampling.Times{Start: pcp.Timestamp{Sec: 2000000000}}
	if _, err = all(t.Context(), src, &query.Query{Exprs: []string{"t.s"}, Times: late}); err == nil || err.Error() != "there are no samples in that time" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	st, err := query.Run(ctx, src, derive.NewSet(), &query.Query{Exprs: []string{"t.s"}, Times: sampling.Times{Start: src.At}})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for _, err = range st.Samples {
	}
	if _, idle := errors.AsType[*sampling.IdleError](err); !idle {
		t.Errorf("%v", err)
	}
}

// TestFleet: the values of several hosts come together, the failure of one is reported once, and
// connections stay for the next query.
func TestFleet(t *testing.T) {
	server := pmcdtest.NewServer(pmcdtest.Sample())
	defer server.Close()
	var reported []string
	var opened atomic.Int32 // hosts are opened at the same time
	f := query.NewFleet([]string{"a", "b", "down"})
	f.Open = func(ctx context.Context, host string) (pmapi.Source, error) {
		if host == "down" {
			return nil, pmerr.IPC
		}
		opened.Add(1)
		return pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: server.Dial})
	}
	f.Report = func(host string, err error) { reported = append(reported, host+": "+err.Error()) }
	for range 2 {
		st, err := f.Run(t.Context(), derive.NewSet(), &query.Query{Exprs: []string{"sample.long.one"}, Once: true})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for smp, err := range st.Samples {
			if err == nil {
				lines = append(lines, text(st.Header, smp)[8:])
			} else if !errors.Is(err, query.ErrHosts) {
				t.Fatal(err)
			}
		}
		if want := " sample.long.one a=1 b=1"; len(lines) != 1 || lines[0] != want {
			t.Errorf("got %q", lines)
		}
		if st.Header.Hosts == nil {
			t.Errorf("%+v", st.Header)
		}
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("%d connections", n)
	}
	if len(reported) != 2 || !strings.HasPrefix(reported[0], "down: ") {
		t.Errorf("%q", reported)
	}
	st, err := f.Run(t.Context(), derive.NewSet(), &query.Query{Exprs: []string{"sample.long.one"}, Once: true, Across: "sum"})
	if err != nil {
		t.Fatal(err)
	}
	for smp, e := range st.Samples {
		if err = e; e == nil && text(st.Header, smp)[8:] != " sample.long.one =2" {
			t.Errorf("got %s", text(st.Header, smp))
		}
	}
	if !errors.Is(err, query.ErrHosts) {
		t.Errorf("%v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
