package main

import (
	"bufio"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/pcp"
)

// plotOf returns a plot reporter over instances 0 to n-1.
func plotOf(n int) (*plotReporter, *strings.Builder) {
	out := new(strings.Builder)
	s := &session{flags: &flags{precision: -1}, zone: time.UTC, name: "m", desc: pcp.Desc{Type: pcp.Int32, InDom: 1}}
	s.env = &cli.Env{Out: bufio.NewWriter(out), Stdout: out}
	for i := range n {
		s.columns = append(s.columns, column{inst: int32(i), name: fmt.Sprintf("i%d", i)})
	}
	p := newPlotReporter(&textReporter{session: s})
	p.heading = &header{units: "count"}
	p.labels(s.columns)
	return p, out
}

// take gives a reporter a sample of all its columns.
func take(t *testing.T, p *plotReporter, sec int64, words ...uint64) {
	t.Helper()
	r := columnOf(pcp.Int32, words...)
	r.Time.Sec = sec
	if err := p.sample(&sample{session: p.session, now: r}); err != nil {
		t.Fatal(err)
	}
}

func TestPlot(t *testing.T) {
	p, out := plotOf(2)
	take(t, p, 1, 10, 20)
	p.gap(pcp.Timestamp{Sec: 2}, unavailable)
	take(t, p, 3, 30, 40)
	if got := p.series[1].points; len(got) != 3 || got[0] != 20 || !math.IsNaN(got[1]) || got[2] != 40 {
		t.Errorf("points %v", got)
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	p.env.Out.Flush()
	for _, want := range []string{"m (count), 00:00:01.000 to 00:00:03.000", "\n  a  i0\n  b  i1\n", "40"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestPlotLate: an instance that comes later has no values before.
func TestPlotLate(t *testing.T) {
	p, _ := plotOf(1)
	take(t, p, 1, 10)
	p.columns = append(p.columns, column{inst: 1, name: "late"})
	p.labels(p.columns)
	take(t, p, 2, 11, 21)
	if got := p.series[1].points; len(got) != 2 || !math.IsNaN(got[0]) || got[1] != 21 {
		t.Errorf("points %v", got)
	}
}

// TestPlotMany: lines that could not be told apart are counted only.
func TestPlotMany(t *testing.T) {
	p, _ := plotOf(maxSeries + 3)
	words := make([]uint64, maxSeries+3)
	take(t, p, 1, words...)
	take(t, p, 2, words...)
	if got := p.chart(); !strings.Contains(got, ", 3 instances not shown") || strings.Contains(got, fmt.Sprintf("i%d\n", maxSeries)) {
		t.Errorf("got\n%s", got)
	}
}

// TestPlotLive: a live chart keeps as much as it is wide, and is drawn anew with
// each sample.
func TestPlotLive(t *testing.T) {
	p, out := plotOf(1)
	p.live, p.width = true, 5
	for i := range 12 {
		take(t, p, int64(i), uint64(i))
	}
	if got := p.series[0].points; len(got) != 5 || got[4] != 11 {
		t.Errorf("points %v", got)
	}
	if err := p.begin(&header{units: "x"}); err != nil {
		t.Fatal(err)
	}
	_ = p.end()
	p.env.Out.Flush()
	if n := strings.Count(out.String(), "\x1b[2J"); n != 12 {
		t.Errorf("drawn %d times", n)
	}
}

func TestPlotNothing(t *testing.T) {
	p, _ := plotOf(0)
	if got := p.chart(); got != "\n"+unavailable+"\n" {
		t.Errorf("got %q", got)
	}
	p, _ = plotOf(1)
	p.step(pcp.Timestamp{})
	if got := p.chart(); got != "\n"+unavailable+"\n" {
		t.Errorf("without values: got %q", got)
	}
}

// TestPlotColors: with colours the legend names the lines.
func TestPlotColors(t *testing.T) {
	p, _ := plotOf(2)
	p.colored = true
	take(t, p, 1, 1, 2)
	take(t, p, 2, 3, 4)
	if got := p.chart(); !strings.Contains(got, "\x1b[") || !strings.Contains(got, "i1") || strings.Contains(got, "\n  a  ") {
		t.Errorf("got %q", got)
	}
}
