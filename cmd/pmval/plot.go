package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/guptarohit/asciigraph"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/pcp"
)

// The size of a chart, where there is no terminal whose width it has.
const (
	plotWidth  = 72
	plotHeight = 12
	plotMargin = 12 // columns of the axis
	maxSeries  = 8  // lines that can be told apart
)

// A plotReporter draws the values as lines over time: at the end or, where the
// samples come live to a terminal, after each.
type plotReporter struct {
	*textReporter
	width       int
	live        bool // drawn anew after each sample
	heading     *header
	series      []series
	samples     int
	first, last pcp.Timestamp
}

// A series is the line of one instance.
type series struct {
	inst   int32
	name   string
	points []float64 // NaN where there is no value
}

// newPlotReporter returns a reporter that draws; the header is printed by text.
func newPlotReporter(text *textReporter) *plotReporter {
	p := &plotReporter{textReporter: text, width: plotWidth}
	if cli.IsTerminal(text.env.Stdout) {
		if width := cli.TerminalWidth(text.env.Stdout); width > 0 {
			p.width = max(width-plotMargin, 10)
		}
		p.live = text.timeline == nil || text.delay
	}
	return p
}

// begin implements reporter.
func (p *plotReporter) begin(h *header) error {
	p.heading = h
	if p.live {
		return nil
	}
	return p.textReporter.begin(h)
}

// labels implements reporter.
func (p *plotReporter) labels(columns []column) {
	for i := range columns {
		p.line(&columns[i])
	}
}

// line returns the line of a column, which begins late if it is new.
func (p *plotReporter) line(c *column) *series {
	for i := range p.series {
		if p.series[i].inst == c.inst {
			return &p.series[i]
		}
	}
	s := series{inst: c.inst, name: c.name, points: make([]float64, p.samples)}
	for i := range s.points {
		s.points[i] = math.NaN()
	}
	p.series = append(p.series, s)
	return &p.series[len(p.series)-1]
}

// gap implements reporter.
func (p *plotReporter) gap(t pcp.Timestamp, _ string) {
	p.step(t)
	p.draw()
}

// step makes room for a sample.
func (p *plotReporter) step(t pcp.Timestamp) {
	if p.samples == 0 {
		p.first = t
	}
	p.last = t
	p.samples++
	for i := range p.series {
		p.series[i].points = append(p.series[i].points, math.NaN())
	}
	if p.live && p.samples > p.width {
		p.samples--
		for i := range p.series {
			p.series[i].points = p.series[i].points[1:]
		}
	}
}

// sample implements reporter.
func (p *plotReporter) sample(s *sample) error {
	p.step(s.now.Time)
	for i := range p.columns {
		c := &p.columns[i]
		line := p.line(c)
		switch v := s.cell(c); v.kind {
		case isReal:
			line.points[p.samples-1] = v.real
		case isValue:
			if s.column().Type.Arithmetic() {
				line.points[p.samples-1] = number(s.column(), v.at)
			}
		}
	}
	p.draw()
	return nil
}

// draw draws anew where that is seen at once.
func (p *plotReporter) draw() {
	if p.live {
		fmt.Fprintf(p.env.Out, "\x1b[H\x1b[2J%s", p.chart())
	}
}

// end implements reporter.
func (p *plotReporter) end() error {
	if !p.live {
		p.env.Out.WriteString(p.chart())
	}
	return nil
}

// chart returns the chart.
func (p *plotReporter) chart() string {
	var lines [][]float64
	var names []string
	hidden := 0
	for _, s := range p.series {
		switch {
		case !hasPoint(s.points):
		case len(lines) == maxSeries:
			hidden++
		default:
			lines, names = append(lines, s.points), append(names, s.name)
		}
	}
	if len(lines) == 0 {
		return "\n" + unavailable + "\n"
	}
	options := []asciigraph.Option{asciigraph.Height(plotHeight), asciigraph.Width(p.width), asciigraph.Caption(p.caption(hidden))}
	if p.colored {
		options = append(options, asciigraph.SeriesColors(plotColors[:len(lines)]...))
	}
	if !p.singular() && p.colored {
		options = append(options, asciigraph.SeriesLegends(names...))
	} else if !p.singular() {
		options = append(options, asciigraph.SeriesChars(marks(len(lines))...))
	}
	chart := "\n" + asciigraph.PlotMany(lines, options...) + "\n"
	if !p.singular() && !p.colored {
		chart += legend(names)
	}
	return chart
}

// plotColors tell lines apart.
var plotColors = [maxSeries]asciigraph.AnsiColor{
	asciigraph.Red, asciigraph.Green, asciigraph.Blue, asciigraph.Yellow,
	asciigraph.Magenta, asciigraph.Cyan, asciigraph.White, asciigraph.Orange,
}

// markLetters tell lines apart where there are no colours.
const markLetters = "abcdefgh"

// marks returns what n lines are drawn with: the usual line if there is one only,
// else a letter for each.
func marks(n int) []asciigraph.CharSet {
	if n == 1 {
		return []asciigraph.CharSet{asciigraph.DefaultCharSet}
	}
	sets := make([]asciigraph.CharSet, n)
	for i := range sets {
		sets[i] = asciigraph.CreateCharSet(markLetters[i : i+1])
	}
	return sets
}

// legend tells which letter is which instance.
func legend(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if len(names) > 1 {
			fmt.Fprintf(&b, "  %c  ", markLetters[i])
		} else {
			b.WriteString("  ")
		}
		b.WriteString(name + "\n")
	}
	return b.String()
}

// caption returns what stands below the lines.
func (p *plotReporter) caption(hidden int) string {
	units := p.heading.units
	if p.heading.converted != "" {
		units = p.heading.converted
	}
	text := fmt.Sprintf("%s (%s), %s to %s", p.name, units, p.appendStamp(nil, p.first), p.appendStamp(nil, p.last))
	if hidden > 0 {
		text += fmt.Sprintf(", %d instances not shown", hidden)
	}
	return text
}

// hasPoint reports whether any point is a number.
func hasPoint(points []float64) bool {
	for _, f := range points {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			return true
		}
	}
	return false
}
