package samples

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pmtools/cmd/internal/chart"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// numbers returns a set of instances 0, 1 and so on.
func numbers(list ...float64) sampling.Set {
	var values []sampling.Value
	for i, f := range list {
		values = append(values, sampling.Value{ID: int32(i), Instance: fmt.Sprintf("i%d", i), Value: pcp.DoubleValue(f)})
	}
	return sampling.SetOf(values...)
}

// chartOf returns a chart of one metric.
func chartOf(t *testing.T, m sampling.Metric, opt *Options, list ...*sampling.Sample) string {
	t.Helper()
	return write(t, NewChart, &sampling.Header{Metrics: []sampling.Metric{m}}, opt, list...)
}

// TestChart: a chart names its metrics, the window, and the lines with their last values.
func TestChart(t *testing.T) {
	m := metric("m", pcp.Double, indom)
	m.Desc.Units = pcp.Units{DimCount: 1}
	list := []*sampling.Sample{at(0, numbers(10, 20)), {Time: pcp.Timestamp{Sec: 1700000010}, Missing: "why"}, at(20, numbers(30, 40)), at(60, numbers(35, 11, 12))}
	for _, width := range []int{0, 60, 80, 100} {
		got := chartOf(t, m, &Options{Width: width}, list...)
		for _, want := range []string{"m\n2023-11-14 22:13:20 to 22:14:20 UTC\n", "\n   i0  35 count\n", "\n   i1  11 count\n", "\n   i2  12 count\n", "40 ┤", "└┬───", "22:13:40 "} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d: no %q in\n%s", width, want, got)
			}
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(line) - 1; n > max(width, 60) && width > 0 {
				t.Errorf("width %d: a line of %d characters\n%s", width, n, line)
			}
		}
	}
	if got := chartOf(t, m, &Options{Title: "Counts\x1b[2J"}, list...); !strings.HasPrefix(got, "Counts [2J\n2023") {
		t.Errorf("got %q", got)
	}
}

// TestChartMany: the lines with the largest values are drawn.
func TestChartMany(t *testing.T) {
	var list []float64
	for i := range chart.MaxLines + 3 {
		list = append(list, float64(i))
	}
	got := chartOf(t, metric("m", pcp.Double, indom), &Options{}, at(0, numbers(list...)), at(1, numbers(list...)))
	if !strings.Contains(got, ", the largest 8 of 11; 3 not drawn\n") || strings.Contains(got, "i2  ") || !strings.Contains(got, "   i10  10\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestChartLive: a live chart is redrawn for each sample and drops those that do not fit.
func TestChartLive(t *testing.T) {
	var list []*sampling.Sample
	for i := range 50 {
		list = append(list, at(int64(i), numbers(float64(i))))
	}
	got := chartOf(t, metric("m", pcp.Double, indom), &Options{Live: true, Width: 30}, list...)
	parts := strings.Split(got, "\x1b[H\x1b[2J")
	if last := parts[len(parts)-1]; len(parts) != 51 || !strings.HasPrefix(last, "m\n2023-11-14 22:13:40 to\n") {
		t.Errorf("%d charts, the last one is\n%s", len(parts), last)
	}
}

func TestChartNothing(t *testing.T) {
	m := metric("m", pcp.String, indom)
	if got := chartOf(t, m, &Options{}); got != "" {
		t.Errorf("no samples: %q", got)
	}
	text := sampling.SetOf(sampling.Value{ID: 1, Instance: "x", Value: pcp.BlobValue(pcp.String, []byte("y"))})
	for _, set := range []sampling.Set{text, {}, numbers(math.NaN()), numbers(math.Inf(1))} {
		if got := chartOf(t, m, &Options{}, at(0, set)); got != "No values available\n" {
			t.Errorf("%+v: %q", set, got)
		}
	}
}

// TestChartColors: colours and a legend tell lines apart.
func TestChartColors(t *testing.T) {
	got := chartOf(t, metric("m", pcp.Double, indom), &Options{Color: true}, at(0, numbers(1, 2)), at(1, numbers(2, 3)))
	if !strings.Contains(got, "\n   \x1b[36mi0  2\x1b[0m   \x1b[33mi1  3\x1b[0m\n") {
		t.Errorf("got %q", got)
	}
}

// TestChartThins: of very many samples only some are kept.
func TestChartThins(t *testing.T) {
	w, err := NewChart(new(strings.Builder), &sampling.Header{Metrics: []sampling.Metric{metric("m", pcp.Double, indom)}}, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := w.(*chartWriter)
	for i := range 25000 {
		if err := c.Sample(t.Context(), at(int64(i), numbers(float64(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.times) != 6250 || len(c.lines[0].Points) != 6250 {
		t.Fatalf("%d times, %d points", len(c.times), len(c.lines[0].Points))
	}
	for i, f := range c.lines[0].Points {
		if f != float64(4*i) {
			t.Fatalf("point %d is %v", i, f)
		}
	}
}
