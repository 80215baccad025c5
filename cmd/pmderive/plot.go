package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/guptarohit/asciigraph"

	"pmtools/derive/repl"
)

// Bounds of charts.
const (
	plotHeight = 15
	plotMargin = 14 // for the numbers at the side
	plotLeast  = 60 // characters for all samples
	plotWidth  = 80 // where the output has no width of its own
)

// draw draws a chart.
func draw(w io.Writer, p *repl.Plot) error {
	width := p.Width
	if width == 0 {
		width = plotWidth
	}
	series := make([][]float64, len(p.Series))
	var names []string
	for i, s := range p.Series {
		series[i] = s.Values
		names = append(names, s.Name)
	}
	opts := []asciigraph.Option{
		asciigraph.Height(plotHeight), asciigraph.Caption(p.Caption),
	}
	// Few samples are drawn wider than they are, so that the lines of many series keep apart.
	opts = append(opts, asciigraph.Width(min(max(width-plotMargin, 20), max(longest(series), plotLeast))))
	legend := len(series) > 1 || len(names) == 1 && names[0] != ""
	if p.Color {
		colors := []asciigraph.AnsiColor{
			asciigraph.Blue, asciigraph.Red, asciigraph.Green, asciigraph.Yellow,
			asciigraph.Magenta, asciigraph.Cyan, asciigraph.White, asciigraph.Orange,
		}
		opts = append(opts, asciigraph.SeriesColors(colors[:min(len(series), len(colors))]...))
		if len(series) > 1 {
			opts = append(opts, asciigraph.SeriesLegends(names...))
			legend = false
		}
	}
	if _, err := fmt.Fprintln(w, asciigraph.PlotMany(series, opts...)); err != nil {
		return err
	}
	if legend && len(series) > 1 {
		_, err := fmt.Fprintf(w, "series: %s\n", strings.Join(names, ", "))
		return err
	}
	return nil
}

// longest returns the length of the longest series.
func longest(series [][]float64) int {
	n := 0
	for _, s := range series {
		n = max(n, len(s))
	}
	return n
}
