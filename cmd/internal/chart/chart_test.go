package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// chartOf returns a chart of lines of one unit, with a sample in each minute.
func chartOf(units pcp.Units, list ...[]float64) *Chart {
	c := &Chart{Title: "title", Form: format.NumberForm{Precision: format.Readable, Scale: true}}
	for i := range list[0] {
		c.Times = append(c.Times, time.Unix(1700000000+int64(i)*60, 0).UTC())
	}
	for i, points := range list {
		c.Lines = append(c.Lines, &Line{Name: fmt.Sprint("i", i), Unit: Unit{Units: units}, Points: points})
	}
	return c
}

// labels returns those of ticks.
func labels(ticks []Tick) string {
	var list []string
	for _, t := range ticks {
		list = append(list, t.Label)
	}
	return strings.Join(list, " ")
}

// TestValueTicks: the marks are round, enclose all values, and are few.
func TestValueTicks(t *testing.T) {
	for _, tt := range []struct {
		points []float64
		want   string
	}{
		{[]float64{4.8, 152.5}, "0 50 100 150 200"},
		{[]float64{0.5, 2.25}, "0.5 1.0 1.5 2.0 2.5"},
		{[]float64{-3, 11, math.NaN()}, "-5 0 5 10 15"},
		{[]float64{7, 7}, "6.0 6.5 7.0 7.5 8.0"},
		{[]float64{0, 0}, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{[]float64{1e9, 1.3e9}, "1000000000 1050000000 1100000000 1150000000 1200000000 1250000000 1300000000"},
		{[]float64{0, 0.1, 0.6}, "0.0 0.1 0.2 0.3 0.4 0.5 0.6"},
		{[]float64{3e-9, 1e-8}, "2e-09 4e-09 6e-09 8e-09 1e-08"},
	} {
		p := chartOf(pcp.Units{}, tt.points).Choose(1).Panels(6, false)[0]
		if got := labels(p.Ticks); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.points, got, tt.want)
		}
	}
}

// TestNumbers: numbers of every size are drawn within the axes and the width, and marks differ.
func TestNumbers(t *testing.T) {
	for _, points := range [][]float64{
		{1e19, 1e19}, {1.7e308, -1.7e308}, {-math.MaxFloat64, math.MaxFloat64}, {1e300, 1.1e300}, {5e-324, 0}, {1, 1 + 1e-15}, {1e12, 1e12 + 1}, {1e15, 1},
		{-5, -5}, {0, 0}, {1e-9, 3e-9}, {math.MaxFloat64, math.MaxFloat64}, {-1e-200, 1e200}, {7}, {math.NaN(), 3},
	} {
		for _, units := range []pcp.Units{{}, {DimSpace: 1}, {DimCount: 1, DimTime: -1, ScaleTime: pcp.Sec}} {
			c := chartOf(units, points)
			for steps := 1; steps <= 6; steps++ {
				p := c.Choose(1).Panels(steps, false)[0]
				if n := len(p.Ticks); n < 2 || n > steps+3 && steps > 1 {
					t.Errorf("%v: %d marks: %s", points, n, labels(p.Ticks))
				}
				for i, tick := range p.Ticks {
					if i > 0 && (tick.Label == p.Ticks[i-1].Label || !(tick.At > p.Ticks[i-1].At)) {
						t.Errorf("%v: two marks are the same: %v", points, p.Ticks)
					}
				}
				for _, f := range points {
					if y := p.Y(f); !math.IsNaN(f) && !(-1e-9 <= y && y <= 1+1e-9) {
						t.Errorf("%v: %v is at %v", points, f, y)
					}
				}
			}
			for line := range strings.Lines(c.Text(&Terminal{Width: 42}, false)) {
				if textwidth.Width(line) > 43 {
					t.Errorf("%v: a line of %d characters\n%s", points, textwidth.Width(line), line)
				}
			}
		}
	}
}

// TestTimeTicks: marks are at full times of the zone, also where its clock changes.
func TestTimeTicks(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		from, to string
		room     int
		want     string
	}{
		{"2023-11-14 22:13:20", "2023-11-14 22:16:30", 65, "22:14 22:15 22:16"},
		{"2023-11-14 22:13:20", "2023-11-14 22:13:51", 52, "22:13:20 22:13:30 22:13:40 22:13:50"},
		{"2023-11-14 21:50:00", "2023-11-15 03:00:00", 78, "22:00 23:00 Nov 15 01:00 02:00 03:00"},
		{"2024-03-31 00:30:00", "2024-03-31 05:00:00", 60, "01:00 03:00 04:00 05:00"},
		{"2024-10-27 00:30:00", "2024-10-27 05:00:00", 78, "01:00 02:00 03:00 04:00 05:00"},
		{"2023-11-14 21:50:00", "2023-11-18 03:00:00", 65, "Nov 15 Nov 16 Nov 17 Nov 18"},
		{"2023-11-14 21:50:00", "2024-03-18 03:00:00", 65, "Dec 2023 Jan 2024 Feb 2024 Mar 2024"},
		{"2021-11-14 21:50:00", "2024-03-18 03:00:00", 65, "Jan 2022 Jul 2022 Jan 2023 Jul 2023 Jan 2024"},
		{"1971-11-14 21:50:00", "2024-03-18 03:00:00", 78, "1980 1990 2000 2010 2020"},
		{"2023-11-14 22:13:20", "2023-11-14 22:13:20", 65, "22:13:20"},
	} {
		c := &Chart{}
		for _, text := range []string{tt.from, tt.to} {
			at, err := time.ParseInLocation(time.DateTime, text, berlin)
			if err != nil {
				t.Fatal(err)
			}
			c.Times = append(c.Times, at)
		}
		if got := labels(c.TimeTicks(tt.room)); got != tt.want {
			t.Errorf("%s to %s: got %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

// TestChoose: of many lines those with the largest values are drawn, of each unit some, in their order.
func TestChoose(t *testing.T) {
	var list [][]float64
	for i := range 100 {
		list = append(list, []float64{float64(i), math.NaN(), 0})
	}
	c := chartOf(pcp.Units{}, list...)
	c.Lines[3].Unit.Units = pcp.Units{DimSpace: 1}
	c.Lines[99].Points = []float64{math.NaN(), math.NaN(), math.NaN()}
	c = c.Choose(4)
	var names []string
	for _, l := range c.Lines {
		names = append(names, l.Name)
	}
	if want := []string{"i3", "i96", "i97", "i98"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if got, want := c.Window(), "2023-11-14 22:13:20 to 22:15:20 UTC, the largest 4 of 99; 95 not drawn"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestText: without colours each line has a panel, with the same axis; a gap in the data is one in the line.
func TestText(t *testing.T) {
	c := chartOf(pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}, []float64{0, 20480, 40960}, []float64{40960, math.NaN(), 0})
	got := c.Text(&Terminal{Width: 30, Height: 18, ASCII: true}, false)
	want := `title
2023-11-14 22:13:20 to
22:15:20 UTC
   i0  40 Mbyte
40 +                     ...''
   |               ...'''
20 +           ..:'
   |     ...'''
 0 +..'''
   i1  0 Mbyte
40 +'
   |
20 +
   |
 0 +                         .
   +--------+------------+----
          22:14        22:15
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = c.Text(&Terminal{Width: 30, Color: true}, false)
	for _, want := range []string{"\n   \x1b[36mi0  40 Mbyte\x1b[0m   \x1b[33mi1  0 Mbyte\x1b[0m\n", "40 ┤\x1b[33m⠁\x1b[0m", " 0 ┤\x1b[36m⡠⠊\x1b[0m", "\x1b[33m⢀\x1b[0m\n   └──"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// TestReplaces: a chart that replaces the one before fits the terminal, without some of its lines if need be.
func TestReplaces(t *testing.T) {
	var list [][]float64
	for i := range 100 {
		list = append(list, []float64{float64(i), 0})
	}
	for _, height := range []int{13, 17, 24, 50} {
		for _, color := range []bool{false, true} {
			got := chartOf(pcp.Units{}, list...).Text(&Terminal{Width: 80, Height: height, Color: color}, true)
			if n := strings.Count(got, "\n"); n >= height {
				t.Errorf("%d lines of %d\n%s", n, height, got)
			}
			if !strings.Contains(got, " of 100; ") {
				t.Errorf("no note on the others in\n%s", got)
			}
		}
	}
}
