// Package picture draws charts of samples into files, as SVG or PNG.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"pmtools/cmd/internal/samples"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/safefile"
)

// pictures are the forms of files that charts are drawn into.
var pictures = map[string]chart.RendererProvider{".svg": chart.SVG, ".png": chart.PNG}

// Is reports whether the name of a file ends as that of a picture does.
func Is(name string) bool { return pictures[filepath.Ext(name)] != nil }

// The size of a picture, and of its parts.
const (
	pictureWidth, pictureHeight = 1000, 420
	panelHeight                 = 280 // of one of several
	letterWidth                 = 6   // of the legend
	digitWidth                  = 8   // of the axes
	longestName                 = 40
)

// Draw draws a chart into a file: a panel for each of the units, one below the other, whose axes of
// time are the same.
func Draw(name string, p *samples.Picture) error {
	if len(p.Lines) == 0 {
		return errors.New("there are no values to draw")
	}
	form, text := filepath.Ext(name), func(s string) string { return s }
	if form == ".svg" {
		text = html.EscapeString // the library does not
	}
	panels := panelsOf(p)
	names, values := 0, 0 // the longest ones: all panels have the same room beside the plot
	for _, l := range p.Lines {
		names = max(names, min(len([]rune(l.Name)), longestName))
	}
	for i := range panels {
		values = max(values, longestLabel(valueTicks(&panels[i])))
	}
	var drawn [][]byte
	for i := range panels {
		var b bytes.Buffer
		if err := newChart(&panels[i], len(panels), names, values, text).Render(pictures[form], &b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		drawn = append(drawn, b.Bytes())
	}
	all, err := stack(form, drawn)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return safefile.Replace(name, all)
}

// panelsOf returns the parts of a picture with one unit each, in the order of its lines. Only the
// first has the title.
func panelsOf(p *samples.Picture) (panels []samples.Picture) {
	for _, l := range p.Lines {
		i := slices.IndexFunc(panels, func(q samples.Picture) bool { return q.Lines[0].Units == l.Units })
		if i < 0 {
			i = len(panels)
			panels = append(panels, samples.Picture{Times: p.Times})
		}
		panels[i].Lines = append(panels[i].Lines, l)
	}
	panels[0].Title = p.Title
	return panels
}

// longestLabel returns the number of characters of the longest label.
func longestLabel(ticks []chart.Tick) (n int) {
	for _, t := range ticks {
		n = max(n, len(t.Label))
	}
	return n
}

// newChart returns the chart of a panel, with its axis at the left and its legend at the right, and
// room for names and values of some lengths.
func newChart(p *samples.Picture, panels, names, values int, text func(string) string) *chart.Chart {
	height, marks := pictureHeight, valueTicks(p)
	if panels > 1 {
		height = panelHeight
	}
	grid := chart.Style{StrokeColor: drawing.ColorFromHex("dddddd"), StrokeWidth: 1}
	c := &chart.Chart{
		Title: text(p.Title), TitleStyle: chart.Style{FontSize: 11}, Width: pictureWidth, Height: height,
		Background:     chart.Style{Padding: chart.Box{Top: 50, Left: 20 + digitWidth*(values-longestLabel(marks)), Right: 60 + letterWidth*names, Bottom: 10}},
		XAxis:          chart.XAxis{Ticks: ticks(p), GridMajorStyle: grid},
		YAxis:          chart.YAxis{Style: chart.Hidden(), Ticks: marks}, // the library takes the range from here
		YAxisSecondary: chart.YAxis{Ticks: marks, GridMajorStyle: grid},
	}
	for i, l := range p.Lines {
		c.Series = append(c.Series, segments(p.Times, l, lineStyle(i))...)
	}
	c.Elements = []chart.Renderable{func(r chart.Renderer, box chart.Box, defaults chart.Style) { legend(r, box, defaults, p, text) }}
	return c
}

// legend writes the units above the axis, and the names of the lines beside the plot.
func legend(r chart.Renderer, box chart.Box, defaults chart.Style, p *samples.Picture, text func(string) string) {
	const sample, gap, line = 24, 6, 18
	style := chart.Style{FontSize: 8, FontColor: chart.DefaultTextColor}.InheritFrom(defaults)
	style.GetTextOptions().WriteToRenderer(r)
	r.Text(text(p.Lines[0].Units), box.Left, box.Top-gap)
	for i, l := range p.Lines {
		x, y, s := box.Right+2*gap, box.Top+line*i+line/2, lineStyle(i)
		r.SetStrokeColor(s.StrokeColor)
		r.SetStrokeWidth(s.StrokeWidth)
		r.SetStrokeDashArray(s.StrokeDashArray)
		r.MoveTo(x, y)
		r.LineTo(x+sample, y)
		r.Stroke()
		style.GetTextOptions().WriteToRenderer(r)
		r.Text(text(textwidth.Cut(l.Name, longestName)), x+sample+gap, y+4)
	}
}

// lineStyle returns how a line is drawn: colours that differ in grey too, and dashes.
func lineStyle(i int) chart.Style {
	colors := []string{"000000", "d55e00", "0072b2", "009e73", "cc79a7", "56b4e9", "e69f00", "666666"}
	dashes := [][]float64{nil, {8, 4}, {2, 3}, {10, 3, 2, 3}}
	return chart.Style{
		StrokeColor: drawing.ColorFromHex(colors[i%len(colors)]), StrokeWidth: 1.5, StrokeDashArray: dashes[i%len(dashes)],
	}
}

// segments returns the parts of a line between its gaps.
func segments(times []time.Time, l *samples.Line, style chart.Style) (list []chart.Series) {
	part := chart.ContinuousSeries{Style: style, YAxis: chart.YAxisSecondary}
	end := func() {
		if len(part.XValues) == 1 {
			part.Style.DotWidth, part.Style.DotColor = 2, style.StrokeColor
		}
		if len(part.XValues) > 0 {
			list = append(list, part)
			part = chart.ContinuousSeries{Style: style, YAxis: chart.YAxisSecondary}
		}
	}
	for i, f := range l.Points {
		if math.IsNaN(f) {
			end()
			continue
		}
		part.XValues, part.YValues = append(part.XValues, chart.TimeToFloat64(times[i])), append(part.YValues, f)
	}
	end()
	return list
}

// maxValueTicks is how many marks the axis of values has about at most.
const maxValueTicks = 6

// valueTicks returns the marks at the axis of values, at round numbers that enclose all of them.
func valueTicks(p *samples.Picture) (list []chart.Tick) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range p.Lines {
		for _, f := range l.Points {
			if !math.IsNaN(f) {
				low, high = min(low, f), max(high, f)
			}
		}
	}
	if low == high {
		pad := max(1, math.Abs(low)/10)
		low, high = low-pad, high+pad
	}
	step := roundStep(high/maxValueTicks - low/maxValueTicks)
	for n := math.Floor(low / step); ; n++ {
		at := n * step
		list = append(list, chart.Tick{Value: at, Label: number(at)})
		if at >= high || len(list) > 2*maxValueTicks {
			return list
		}
	}
}

// roundStep returns the least of the numbers 1, 2 and 5 times a power of ten that is not less.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= least {
			return f * power
		}
	}
	return 10 * power
}

// number writes a value at the axis: with four digits, and without an exponent in the usual range.
func number(f float64) string {
	if short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 3, 64), 64); err == nil {
		f = short
	}
	return string(format.AppendShort(nil, f, 64))
}

// tickSteps are the distances of marks at the axis of time.
var tickSteps = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

// maxTicks is how many marks the axis of time has about at most.
const maxTicks = 8

// ticks returns the marks at the axis of time, at round times of the picture's zone.
func ticks(p *samples.Picture) (list []chart.Tick) {
	first, last := p.Times[0], p.Times[len(p.Times)-1]
	step := tickSteps[len(tickSteps)-1]
	for _, s := range tickSteps {
		if last.Sub(first) <= maxTicks*s {
			step = s
			break
		}
	}
	step = max(step, last.Sub(first)/maxTicks)
	layout := "15:04:05"
	switch {
	case last.Sub(first) >= 48*time.Hour:
		layout = "Jan _2 15:04"
	case step < time.Second:
		layout = "15:04:05.000"
	}
	_, offset := first.Zone()
	zone := time.Duration(offset) * time.Second
	for at := first.Add(zone).Truncate(step).Add(-zone); !at.After(last); at = at.Add(step) {
		if !at.Before(first) {
			list = append(list, chart.Tick{Value: chart.TimeToFloat64(at), Label: at.Format(layout)})
		}
	}
	if len(list) == 0 {
		list = []chart.Tick{{Value: chart.TimeToFloat64(first), Label: first.Format(layout)}}
	}
	// The axis reaches from the first mark to the last. The library measures an empty label as
	// infinitely wide where conversions saturate (arm64, s390x), and then never ends.
	const end = "."
	if pad := time.Second; first.Equal(last) {
		first, last = first.Add(-pad), last.Add(pad)
	}
	list = append([]chart.Tick{{Value: chart.TimeToFloat64(first), Label: end}}, list...)
	return append(list, chart.Tick{Value: chart.TimeToFloat64(last), Label: end})
}
