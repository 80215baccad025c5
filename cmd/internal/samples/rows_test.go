package samples

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

func TestRows(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("t.b", pcp.Uint32, indom)}, Interval: time.Second}
	one := sampling.SetOf(value(2, "two", 12345678), value(1, "one", 7))
	two := sampling.SetOf(value(2, "two", 5), value(3, "three", 1))
	got := write(t, NewRows, h, &Options{Precision: -1, People: People{Sparks: true}}, at(0, one), at(1, two), at(2, sampling.Set{Err: pmerr.PMID}), at(3, sampling.Set{}))
	want := `22:13:20  one         7  ▁
22:13:20  two  12345678  ▁
22:13:21  two           5  █▁
22:13:21  three         1  ▁
22:13:22  t.b    Unknown or illegal metric identifier
22:13:23  t.b    no values
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestRowsRedrawn: on a terminal live samples are drawn over each other, within the screen.
func TestRowsRedrawn(t *testing.T) {
	h := &sampling.Header{Metrics: []sampling.Metric{metric("t.b", pcp.Uint32, indom)}, Interval: time.Second}
	var values []sampling.Value
	for i := range 20 {
		values = append(values, value(int32(i), fmt.Sprint("instance", i), uint64(i)))
	}
	got := write(t, NewRows, h, &Options{Precision: -1, Width: 17, Height: 6, Live: true}, at(0, sampling.SetOf(values...)), at(1, sampling.SetOf(values[:1]...)))
	head := "\x1b[H\x1b[2J2023-11-14 22:...\n"
	want := head + "instance0       0\ninstance1       1\ninstance2       2\n+17 more\n" + head + "instance0       0\n"
	if got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// TestRowsOfLongNames: a line within the width has its value, its unit and its past, whatever stands before
// these.
func TestRowsOfLongNames(t *testing.T) {
	long := "/usr/lib/" + strings.Repeat("x", 150)
	n := metric("t.b", pcp.Uint32, indom)
	n.Desc.Units = pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	for _, hosts := range [][]string{nil, {"app1"}} {
		for _, live := range []bool{false, true} {
			h := &sampling.Header{Metrics: []sampling.Metric{n}, Interval: time.Second, Hosts: hosts}
			var list []*sampling.Sample
			for i := range 14 {
				v := value(2, long, uint64(1234+i))
				if hosts != nil {
					v.Host = "app1"
				}
				list = append(list, at(int64(i), sampling.SetOf(v)))
			}
			got := write(t, NewRows, h, &Options{Precision: -1, Width: 60, Height: 20, Live: live, People: People{Sparks: true}}, list...)
			last := got[strings.LastIndex(got[:len(got)-1], "\n")+1:]
			if !strings.HasSuffix(last, "1247 Kbyte  ▁▁▂▃▃▄▅▆▆▇██\n") || textwidth.Width(last) > 60 {
				t.Errorf("hosts %v, live %v: the last line is %s", hosts, live, last)
			}
		}
	}
}

func TestSpark(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		past []float64
		want string
	}{
		{nil, ""},
		{[]float64{5, 5}, "▁▁"},
		{[]float64{21.670000000000002, 21.67, -0}, "██▁"},
		{[]float64{21.670000000000002, 21.67, 21.669999999999998}, "▁▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, "▁▂▃▄▅▆▇█"},
		{[]float64{nan, 1, inf, 2}, " ▁ █"},
		{[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, "▁▅█"},
	} {
		if got := spark(tt.past); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.past, got, tt.want)
		}
	}
	if strings.TrimSpace(spark([]float64{nan})) != "" {
		t.Error("a bar for no number")
	}
}
