// Package picture draws charts of samples into files, as SVG or PNG.
package picture

import (
	"errors"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"pmtools/cmd/internal/samples"
	"pmtools/lib/format"
)

// pictures are the forms of files that charts are drawn into.
var pictures = map[string]chart.RendererProvider{".svg": chart.SVG, ".png": chart.PNG}

// Is reports whether the name of a file ends as that of a picture does.
func Is(name string) bool { return pictures[filepath.Ext(name)] != nil }

// The size of a picture.
const (
	pictureWidth, pictureHeight = 1000, 420
	letterWidth                 = 6 // of the legend
	longestName                 = 40
)

// Draw draws a chart into a file.
func Draw(name string, p *samples.Picture) error {
	if len(p.Lines) == 0 {
		return errors.New("there are no values to draw")
	}
	text := func(s string) string { return s }
	if filepath.Ext(name) == ".svg" {
		text = html.EscapeString // the library does not
	}
	c := newChart(p, text)
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = c.Render(pictures[filepath.Ext(name)], f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// newChart returns the chart of a picture.
func newChart(p *samples.Picture, text func(string) string) *chart.Chart {
	left := 0
	for i := range p.Lines {
		left = max(left, len([]rune(p.Lines[i].Name)))
	}
	grid := chart.Style{StrokeColor: drawing.ColorFromHex("dddddd"), StrokeWidth: 1}
	c := &chart.Chart{
		Title: text(p.Title), TitleStyle: chart.Style{FontSize: 11}, Width: pictureWidth, Height: pictureHeight,
		Background: chart.Style{Padding: chart.Box{Top: 40, Left: 60 + letterWidth*min(left, longestName), Right: 20, Bottom: 10}},
		XAxis:      chart.XAxis{Ticks: ticks(p), GridMajorStyle: grid},
		YAxis:      chart.YAxis{Name: text(p.Units), GridMajorStyle: grid, ValueFormatter: number, Range: valueRange(p)},
	}
	for i, l := range p.Lines {
		c.Series = append(c.Series, segments(p.Times, l, lineStyle(i), text)...)
	}
	c.Elements = []chart.Renderable{chart.LegendLeft(c)}
	return c
}

// lineStyle returns how a line is drawn: colours that differ in grey too, and dashes.
func lineStyle(i int) chart.Style {
	colors := []string{"000000", "d55e00", "0072b2", "009e73", "cc79a7", "56b4e9", "e69f00", "666666"}
	dashes := [][]float64{nil, {8, 4}, {2, 3}, {10, 3, 2, 3}}
	return chart.Style{
		StrokeColor: drawing.ColorFromHex(colors[i%len(colors)]), StrokeWidth: 1.5, StrokeDashArray: dashes[i%len(dashes)],
	}
}

// segments returns the parts of a line between its gaps. The first has the name for the legend.
func segments(times []time.Time, l samples.Line, style chart.Style, text func(string) string) (list []chart.Series) {
	name := []rune(l.Name)
	if len(name) > longestName {
		name = slices.Concat(name[:longestName-3], []rune("..."))
	}
	part := chart.ContinuousSeries{Name: text(string(name)), Style: style}
	end := func() {
		if len(part.XValues) == 1 {
			part.Style.DotWidth, part.Style.DotColor = 2, style.StrokeColor
		}
		if len(part.XValues) > 0 {
			list = append(list, part)
			part = chart.ContinuousSeries{Style: style}
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

// valueRange returns the range of the values of a picture if they are all the same, which the
// library has none for.
func valueRange(p *samples.Picture) chart.Range {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range p.Lines {
		for _, f := range l.Points {
			if !math.IsNaN(f) {
				low, high = min(low, f), max(high, f)
			}
		}
	}
	if low < high {
		return nil
	}
	pad := max(1, math.Abs(low)/10)
	return &chart.ContinuousRange{Min: low - pad, Max: high + pad}
}

// number writes a value at the axis: with four digits, and without an exponent in the usual range.
func number(v any) string {
	f, _ := v.(float64)
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
