package repl_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"pmtools/derive/repl"
	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
)

// evaluate returns the output of Eval.
func evaluate(t *testing.T, s *repl.Session, win *repl.Window, exprs ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Eval(context.Background(), exprs, win, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWidth has tables that do not fit the output.
func TestWidth(t *testing.T) {
	for _, tt := range []struct{ width, tables int }{{0, 1}, {200, 1}, {60, 2}, {50, 2}, {45, 2}, {40, 4}, {1, 5}} {
		s := newSession(t, "ta", func(o *repl.Options) { o.Width = func() int { return tt.width } })
		out := evaluate(t, s, &repl.Window{Timed: true, Samples: 2}, "t.b")
		if n := strings.Count(out, "time  "); n != tt.tables {
			t.Errorf("width %d: %d tables\n%s", tt.width, n, out)
		}
		for line := range strings.Lines(out) {
			if n := len(line) - 1; tt.width >= 50 && n > tt.width {
				t.Errorf("width %d: a line of %d characters: %s", tt.width, n, line)
			}
		}
	}
}

// manyInstances returns a world with a metric of n instances.
func manyInstances(n int) *pmcdtest.World {
	w := pmcdtest.Sample()
	d := pcp.NewInDom(29, 77)
	in := pmcdtest.InDom{ID: d}
	m := pmcdtest.Metric{Name: "many.values", Desc: pcp.Desc{ID: pcp.NewID(29, 7, 7), Type: pcp.Int32, InDom: d, Sem: pcp.Instant}}
	m.Values.ID, m.Values.Type = m.Desc.ID, pcp.Int32
	for i := range n {
		in.Instances = append(in.Instances, pcp.Instance{ID: int32(i), Name: fmt.Sprintf("inst-%02d", i)})
		m.Values.Insts = append(m.Values.Insts, int32(i))
		m.Values.Words = append(m.Values.Words, uint64(i))
	}
	w.InDoms = append(w.InDoms, in)
	w.Metrics = append(w.Metrics, m)
	return w
}

// TestPlotLargest has more series than a chart shows.
func TestPlotLargest(t *testing.T) {
	var plots []*repl.Plot
	s := hostSession(t, pmcdtest.NewServer(manyInstances(20)), func(o *repl.Options) {
		o.Plot = func(_ io.Writer, p *repl.Plot) error { plots = append(plots, p); return nil }
	})
	if out := run(s, ":plot 3 many.values"); out != "the largest 8 of 20 series\n" {
		t.Errorf("%q", out)
	}
	run(s, ":plot 2 sample.bin")
	if len(plots) != 2 || len(plots[0].Series) != 8 || plots[0].Series[0].Name != "inst-19" || len(plots[0].Series[0].Values) != 3 || len(plots[1].Series) != 3 {
		t.Errorf("%+v", plots)
	}
	if out := run(s, ":plot sample.string.hullo"); !strings.HasPrefix(out, "!! the values are no numbers: string") {
		t.Errorf("a chart of strings: %q", out)
	}
	if out := run(s, ":plot 2 sample.novalues"); out != "no values\n" {
		t.Errorf("a chart of nothing: %q", out)
	}
}

// TestJSON reads what is written: all numbers with all their digits.
func TestJSON(t *testing.T) {
	s := hostSession(t, pmcdtest.NewServer(pmcdtest.Sample()), func(o *repl.Options) { o.Settings.Output = "json" })
	for _, tt := range []struct{ expr, want string }{
		{"sample.ulonglong", "18446744073709551615"},
		{"sample.double", "-2.5"},
		{"sample.float", "1.5"},
		{"sample.string.hullo", `"hullo world!"`},
		{"mkconst(1.0, type=double) / 0", "null"},
		{"mkconst(100000000000000000000000.0, type=double)", "1e+23"},
	} {
		out := evaluate(t, s, &repl.Window{}, tt.expr)
		var line struct {
			Time   time.Time
			Values []struct{ Value json.RawMessage }
		}
		if err := json.Unmarshal([]byte(out), &line); err != nil {
			t.Errorf("%s: %v in %s", tt.expr, err, out)
			continue
		}
		if len(line.Values) != 1 || string(line.Values[0].Value) != tt.want || line.Time.IsZero() {
			t.Errorf("%s: %s", tt.expr, out)
		}
	}
	var b bytes.Buffer
	if err := s.Eval(context.Background(), []string{"sample.broken", "sample.bin"}, &repl.Window{}, &b); err == nil {
		t.Error("a metric with an error succeeds")
	}
	if !strings.Contains(b.String(), `"value":null,"units":"","error":"`) || !strings.Contains(b.String(), `"value":300`) {
		t.Errorf("%s", b.String())
	}
}

// TestCSV reads what is written, with names that need quotes.
func TestCSV(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Settings.Output = "csv" })
	out := evaluate(t, s, &repl.Window{Timed: true, Samples: 2}, `mkconst(1, type=u32, units="byte")`, "t.b")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 3 || len(rows[0]) != 7 || rows[0][1] != `mkconst(1, type=u32, units="byte")` || rows[2][1] != "1" {
		t.Errorf("%q, %v", rows, err)
	}
}

func TestShortFloat(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {1, "1"}, {-2.5, "-2.5"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"}, {1e-6, "0.000001"}, {1e-7, "1e-07"},
		{1.0 / 3, "0.3333333333333333"}, {math.MaxFloat64, "1.7976931348623157e+308"},
	} {
		if got := repl.ShortFloat(tt.f, 64); got != tt.want {
			t.Errorf("%v: %s", tt.f, got)
		}
	}
}

func TestOpenMetricsName(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{"disk.dev.read", "disk_dev_read"}, {"a + b * 2", "a_b_2"}, {"sum(a)", "sum_a"}, {"2 * a", "a"}, {"1", "value"}, {"é", "value"}, {"_x", "x"},
	} {
		if got := repl.OMName(tt.expr); got != tt.want {
			t.Errorf("%q: %q", tt.expr, got)
		}
	}
}

// TestOpenMetricsTwice has two expressions with one name.
func TestOpenMetricsTwice(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Settings.Output = "openmetrics" })
	out := evaluate(t, s, &repl.Window{}, "t.s", "t_s = t.s + 1", "t.s")
	seen := map[string]bool{}
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			if seen[name] {
				t.Errorf("%s is there twice:\n%s", name, out)
			}
			seen[name] = true
		}
	}
	if len(seen) != 3 || !strings.HasSuffix(out, "\n# EOF\n") {
		t.Errorf("%s", out)
	}
}

// TestEvalErrors has windows that cannot be.
func TestEvalErrors(t *testing.T) {
	s := newSession(t, "ta")
	for _, tt := range []struct {
		win  repl.Window
		expr string
		want string
	}{
		{repl.Window{Timed: true, Start: pcp.Timestamp{Sec: 2000000000}}, "t.b", "there are no samples in that time"},
		{repl.Window{Timed: true, HasEnd: true, End: pcp.Timestamp{Sec: 1}}, "t.b", "there are no samples in that time"},
		{repl.Window{}, "t.b +", "column 6: found the end, expected a metric, a number, a function, '(', '-' or '!'"},
		{repl.Window{}, "", "found the end, expected a metric, a number, a function, '(', '-' or '!'"},
	} {
		err := s.Eval(context.Background(), []string{tt.expr}, &tt.win, io.Discard)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q %+v: %v, want %s", tt.expr, tt.win, err, tt.want)
		}
	}
}

// TestEvalSome has wrong expressions among others.
func TestEvalSome(t *testing.T) {
	s := newSession(t, "ta")
	var b bytes.Buffer
	err := s.Eval(context.Background(), []string{"t.bb", "t.s", "t.d +", "t.d"}, &repl.Window{}, &b)
	var bad repl.Problems
	if !errors.As(err, &bad) || len(bad) != 2 || bad[0].Src != "t.bb" || bad[1].Src != "t.d +" {
		t.Errorf("%v", err)
	}
	if out := b.String(); !strings.HasPrefix(out, "t.s: ") || !strings.Contains(out, "\nt.d: ") {
		t.Errorf("%s", out)
	}
	if err := s.Eval(context.Background(), []string{"t.bb"}, &repl.Window{}, &b); !errors.As(err, &bad) || len(bad) != 1 {
		t.Errorf("%v", err)
	}
}

// TestEvalDefines has expressions with names that others use.
func TestEvalDefines(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Settings.Output = "csv" })
	out := evaluate(t, s, &repl.Window{}, "y = x * 2", "x = t.b[three] + 1", "x + y")
	if want := "\r\n2001-09-09T01:46:40Z,62,31,93\r\n"; !strings.HasSuffix(out, want) {
		t.Errorf("%q", out)
	}
	if len(s.Definitions()) != 0 {
		t.Error("the session has got definitions")
	}
	var b bytes.Buffer
	err := s.Eval(context.Background(), []string{"a = b", "b = a", "t.s"}, &repl.Window{}, &b)
	var bad repl.Problems
	if !errors.As(err, &bad) || len(bad) != 2 || bad[0].Msg != "a is defined by itself" {
		t.Errorf("%v", err)
	}
}

// TestExplainLimits explains an expression with thousands of operands.
func TestExplainLimits(t *testing.T) {
	s := newSession(t, "ta")
	var b bytes.Buffer
	for _, expr := range []string{strings.Repeat("t.b + ", 3000) + "1", strings.Repeat("(", 3000) + "t.b" + strings.Repeat(")", 3000), strings.Repeat("-", 2000) + "t.b"} {
		b.Reset()
		if err := s.Explain(context.Background(), expr, &b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 510 {
			t.Errorf("%d lines", n)
		}
	}
}

// TestPlotThins has more samples than a chart keeps.
func TestPlotThins(t *testing.T) {
	var plot *repl.Plot
	s := hostSession(t, pmcdtest.NewServer(pmcdtest.Sample()), func(o *repl.Options) {
		o.Plot = func(_ io.Writer, p *repl.Plot) error { plot = p; return nil }
		o.Settings.Interval = time.Nanosecond
	})
	win := &repl.Window{Timed: true, Plot: true, Samples: 25000, Interval: time.Nanosecond}
	evaluate(t, s, win, "sample.long.one")
	if plot == nil || len(plot.Series) != 1 {
		t.Fatalf("%+v", plot)
	}
	if n := len(plot.Series[0].Values); n != 6250 {
		t.Errorf("%d values", n)
	}
	for i, v := range plot.Series[0].Values {
		if v != 1 {
			t.Fatalf("value %d is %v", i, v)
		}
	}
}
