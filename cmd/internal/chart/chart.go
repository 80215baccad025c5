// Package chart has what a chart shows: lines over time in a panel for each unit, with axes and a legend. It draws charts
// in a terminal; pictures are drawn of the same parts.
package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// MaxLines is how many lines a chart has at most.
const MaxLines = 8

// A Chart is lines over time.
type Chart struct {
	Title string
	Times []time.Time // in the zone in which they are shown
	Lines []*Line
	Form  format.NumberForm // of values in the legend
	all   int               // lines with values, of which Choose has left some out
}

// A Line is the values of an instance at the times of a chart; NaN where there is none.
type Line struct {
	Name   string
	Unit   Unit
	Points []float64
	Legend string // the name and the last value with its unit; Panels sets it
}

// A Unit is that of a line: units of PCP or, where it has none, a name.
type Unit struct {
	Units pcp.Units
	Name  string
}

// A Panel is a part of a chart with one unit and an axis of values. Other values are drawn beyond the panel.
type Panel struct {
	Lines   []*Line
	Ticks   []Tick // from below; the first and the last are the ends of the axis
	numbers format.Numbers
	axis    Range
}

// A Tick is a mark on an axis.
type Tick struct {
	At    float64 // where it is on the axis, from 0 to 1
	Label string
}

// Choose returns a chart of the lines that have values, or of too many those with the largest. Units take turns, because
// their numbers cannot be compared.
func (c *Chart) Choose(most int) *Chart {
	peaks, units, ranks := make(map[*Line]float64), make(map[Unit]int), make(map[*Line]int)
	var lines []*Line
	for _, l := range c.Lines {
		if r := rangeOf(l); r.Low <= r.High {
			peaks[l] = r.High
			lines = append(lines, l)
		}
	}
	d := *c
	if d.Lines, d.all = lines, len(lines); len(lines) <= most {
		return &d
	}
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b *Line) int { return cmp.Compare(peaks[b], peaks[a]) })
	for _, l := range sorted {
		ranks[l] = units[l.Unit]
		units[l.Unit]++
	}
	slices.SortStableFunc(sorted, func(a, b *Line) int { return cmp.Compare(ranks[a], ranks[b]) })
	d.Lines = slices.DeleteFunc(lines, func(l *Line) bool { return !slices.Contains(sorted[:most], l) })
	return &d
}

// Window returns from when to when a chart is, and how many lines it leaves out.
func (c *Chart) Window() string {
	first, last := c.Times[0], c.Times[len(c.Times)-1]
	text := format.Span(first, last, first.Location()) + " " + last.Format("MST")
	if n := c.all - len(c.Lines); n > 0 {
		text += fmt.Sprintf(", the largest %d of %d; %d not drawn", len(c.Lines), c.all, n)
	}
	return text
}

// X returns where the time of a sample is on the axis.
func (c *Chart) X(i int) float64 { return c.x(c.Times[i]) }

func (c *Chart) x(t time.Time) float64 {
	if span := c.Times[len(c.Times)-1].Sub(c.Times[0]); span > 0 {
		return float64(t.Sub(c.Times[0])) / float64(span)
	}
	return 0
}

// Panels returns the panels of a chart in the order of its lines, whose axes have about some number of steps: one for each
// unit or, if lines cannot be told apart otherwise, for each line. Lines with the same unit have the same axis.
func (c *Chart) Panels(steps int, apart bool) (panels []*Panel) {
	scales := make(map[Unit]*Panel)
	for _, l := range c.Lines {
		p := scales[l.Unit]
		if p == nil {
			p = &Panel{}
			scales[l.Unit] = p
			panels = append(panels, p)
		}
		p.Lines = append(p.Lines, l)
	}
	for _, p := range panels {
		p.scale(c.Form, steps)
	}
	if !apart {
		return panels
	}
	panels = nil
	for _, l := range c.Lines {
		p := *scales[l.Unit]
		p.Lines = []*Line{l}
		panels = append(panels, &p)
	}
	return panels
}

// scale sets the unit of a panel, its axis of values, and the legends of its lines.
func (p *Panel) scale(form format.NumberForm, steps int) {
	size, raw := format.Magnitude{}, rangeOf(p.Lines...)
	for _, f := range []float64{raw.Low, raw.High} {
		size.Note(pcp.DoubleValue(f))
	}
	unit := p.Lines[0].Unit
	form.Unit = unit.Name
	p.numbers = form.Numbers(&pcp.Desc{Type: pcp.Double, Units: unit.Units}, false, size)
	r := Range{p.numbers.Scaled(raw.Low), p.numbers.Scaled(raw.High)}
	marks, label := r.marks(steps)
	p.axis = Range{marks[0], marks[len(marks)-1]}
	for _, f := range marks {
		p.Ticks = append(p.Ticks, Tick{p.axis.Part(f), label(f)})
	}
	for _, l := range p.Lines {
		last := len(l.Points) - 1
		for math.IsNaN(l.Points[last]) {
			last--
		}
		l.Legend = string(p.numbers.AppendFloat([]byte(l.Name+"  "), l.Points[last]))
		if p.numbers.Unit != "" {
			l.Legend += " " + p.numbers.Unit
		}
	}
}

// Y returns where a value is on the axis, NaN for NaN.
func (p *Panel) Y(f float64) float64 { return p.axis.Part(p.numbers.Scaled(f)) }

// Strokes calls a function with the points of a line between each two of its gaps, as they are on the axes.
func (c *Chart) Strokes(p *Panel, l *Line, draw func(x, y []float64)) {
	var xs, ys []float64
	for i, f := range l.Points {
		if !math.IsNaN(f) {
			xs, ys = append(xs, c.X(i)), append(ys, p.Y(f))
		}
		if len(xs) > 0 && (math.IsNaN(f) || i == len(l.Points)-1) {
			draw(xs, ys)
			xs, ys = nil, nil
		}
	}
}
