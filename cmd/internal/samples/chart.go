package samples

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/guptarohit/asciigraph"

	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// The size of a chart.
const (
	chartWidth  = 80 // where the output has no width of its own
	chartHeight = 12
	chartLeast  = 20 // columns for the lines, however narrow the output is
	maxLines    = 8
	maxPoints   = 10000 // an even number
)

// A chartWriter draws values as lines over time: at the end, or live samples as they come.
type chartWriter struct {
	w      io.Writer
	draw   func(*Picture) error // instead of w, at the end
	h      *sampling.Header
	opt    Options
	seen   int // samples
	stride int // every stride-th sample is kept
	times  []pcp.Timestamp
	lines  []*Line
	places map[chartKey]int // of the lines
}

// A chartKey tells the lines apart.
type chartKey struct {
	metric int
	inst   int32
}

// NewChart returns a Writer that draws a chart. Live samples are drawn as they come, over the chart
// before.
func NewChart(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	c := &chartWriter{w: w, h: h, opt: *opt, stride: 1, places: make(map[chartKey]int)}
	if c.opt.Width <= 0 {
		c.opt.Width = chartWidth
	}
	return c, nil
}

// A Picture is what a chart shows.
type Picture struct {
	Title string
	Times []time.Time
	Lines []*Line
}

// A Line is the values of an instance at the times of a Picture; NaN where there is none.
type Line struct {
	Name   string
	Units  string // "" for none
	Points []float64
}

// NewPicture returns a Writer that collects what a chart shows and draws it at the end with a
// function.
func NewPicture(h *sampling.Header, draw func(*Picture) error) sampling.Writer {
	return &chartWriter{draw: draw, h: h, stride: 1, places: make(map[chartKey]int)}
}

// picture returns what is to be drawn.
func (c *chartWriter) picture() *Picture {
	lines, all := c.shown()
	p := &Picture{Title: c.title(), Lines: lines}
	if all > len(lines) {
		p.Title += fmt.Sprintf(", the largest %d of %d", len(lines), all)
	}
	for _, t := range c.times {
		p.Times = append(p.Times, t.Time().In(c.h.Location()))
	}
	return p
}

// Sample implements Writer.
func (c *chartWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if c.seen++; (c.seen-1)%c.stride != 0 {
		return nil
	}
	if n := len(c.times); c.opt.Live && n >= c.opt.Width {
		c.keep(func(i int) bool { return i > 0 })
	} else if n == maxPoints {
		c.stride *= 2
		c.keep(func(i int) bool { return i%2 == 0 })
	}
	if s.Missing == "" {
		if err := s.Sort(ctx); err != nil {
			return err
		}
		for i := range s.Sets {
			for j := range s.Sets[i].Len() {
				if err := sampling.Ended(ctx, j); err != nil {
					c.align() // the chart of the samples before may still be drawn
					return err
				}
				v := s.Sets[i].At(j)
				c.add(i, &v)
			}
		}
	}
	c.times = append(c.times, s.Time)
	c.align()
	if c.opt.Live {
		_, err := io.WriteString(c.w, clearScreen+c.chart())
		return err
	}
	return nil
}

// add adds a value to its line. There is no point at an infinity.
func (c *chartWriter) add(metric int, v *sampling.Value) {
	key := chartKey{metric, v.ID}
	i, ok := c.places[key]
	if !ok {
		i = len(c.lines)
		c.places[key] = i
		c.lines = append(c.lines, &Line{
			Name: textwidth.Clean(c.h.Metrics[metric].Label(v.Instance, len(c.h.Metrics) > 1)), Units: c.h.Metrics[metric].Desc.Units.String(),
		})
	}
	c.lines[i].pad(len(c.times))
	f := v.Number()
	if math.IsInf(f, 0) {
		f = math.NaN()
	}
	c.lines[i].Points = append(c.lines[i].Points[:len(c.times)], f)
}

// align makes all lines as long as there are times.
func (c *chartWriter) align() {
	for _, l := range c.lines {
		l.Points = l.Points[:min(len(l.Points), len(c.times))]
		l.pad(len(c.times))
	}
}

// pad makes a line n points long.
func (l *Line) pad(n int) {
	for len(l.Points) < n {
		l.Points = append(l.Points, math.NaN())
	}
}

// keep keeps some of the samples.
func (c *chartWriter) keep(wanted func(i int) bool) {
	n := 0
	for i := range c.times {
		if wanted(i) {
			c.times[n] = c.times[i]
			for _, l := range c.lines {
				l.Points[n] = l.Points[i]
			}
			n++
		}
	}
	c.times = c.times[:n]
	for _, l := range c.lines {
		l.Points = l.Points[:n]
	}
}

// Close implements Writer.
func (c *chartWriter) Close() error {
	if c.opt.Live || len(c.times) == 0 {
		return nil
	}
	if c.draw != nil {
		return c.draw(c.picture())
	}
	_, err := io.WriteString(c.w, c.chart())
	return err
}

// shown returns the lines that are drawn, and how many there are with those that are not: of too
// many the largest.
func (c *chartWriter) shown() (lines []*Line, all int) {
	peaks := make(map[*Line]float64, maxLines+1)
	for _, l := range c.lines {
		peak := l.peak()
		if math.IsNaN(peak) {
			continue
		}
		all++
		peaks[l] = peak
		if lines = append(lines, l); len(lines) > maxLines {
			slices.SortStableFunc(lines, func(a, b *Line) int { return cmp.Compare(peaks[b], peaks[a]) })
			delete(peaks, lines[maxLines])
			lines = lines[:maxLines]
		}
	}
	return lines, all
}

// chart returns the chart: what is drawn, the lines over an axis of time, and which line is which.
func (c *chartWriter) chart() string {
	lines, all := c.shown()
	if all == 0 {
		return "No values available\n"
	}
	var b strings.Builder
	fmt.Fprintln(&b, textwidth.Cut(c.title(), c.opt.Width))
	if all > maxLines {
		fmt.Fprintf(&b, "the largest %d of %d\n", maxLines, all)
	}
	c.plot(&b, lines)
	c.legend(&b, lines)
	return b.String()
}

// peak returns the largest value of a line, NaN if it has none.
func (l *Line) peak() float64 {
	high := math.NaN()
	for _, f := range l.Points {
		if math.IsNaN(high) || f > high {
			high = f
		}
	}
	return high
}

// title returns from when to when the chart is, and of what.
func (c *chartWriter) title() string {
	const layout = "2006-01-02 15:04:05"
	text := c.format(0, layout) + " to " + c.format(len(c.times)-1, layout)
	for i, m := range c.h.Metrics {
		text += [...]string{"  ", ", "}[min(i, 1)] + m.Name
		if u := m.Desc.Units.String(); u != "" {
			text += " (" + u + ")"
		}
	}
	return text
}

// format returns the time of a sample.
func (c *chartWriter) format(i int, layout string) string {
	return c.times[i].Time().In(c.h.Location()).Format(layout)
}

// letters tell lines apart; colors help.
const letters = "abcdefgh"

// colors are those of the lines.
func colors() [maxLines]asciigraph.AnsiColor {
	return [...]asciigraph.AnsiColor{
		asciigraph.Red, asciigraph.Green, asciigraph.Blue, asciigraph.Yellow,
		asciigraph.Magenta, asciigraph.Cyan, asciigraph.White, asciigraph.Orange,
	}
}

// plot draws lines within the width, over an axis of time.
func (c *chartWriter) plot(b *strings.Builder, lines []*Line) {
	r := rangeOf(lines)
	clock := c.clock()
	// The label of the last time reaches beyond the lines.
	width := max(c.opt.Width-r.margin()-(len(clock)+1)/2, chartLeast)
	if len(c.times) == 1 {
		width = 3 // there is one time on the axis
	}
	first, last := c.times[0], c.times[len(c.times)-1]
	opts := []asciigraph.Option{
		asciigraph.Height(chartHeight), asciigraph.YAxisValueFormatter(r.label),
		asciigraph.XAxisRange(0, last.Sub(first)), asciigraph.XAxisTickCount(max(2, min(width/(len(clock)+4), 6))),
		asciigraph.XAxisValueFormatter(func(sec float64) string {
			return first.Add(time.Duration(sec * 1e9)).Time().In(c.h.Location()).Format(clock)
		}),
	}
	var data [][]float64
	var marks []asciigraph.CharSet
	for i, l := range lines {
		data = append(data, c.spread(l, r, width))
		marks = append(marks, asciigraph.CreateCharSet(letters[i:i+1]))
	}
	if len(lines) > 1 {
		opts = append(opts, asciigraph.SeriesChars(marks...))
	}
	if c.opt.Color {
		all := colors()
		opts = append(opts, asciigraph.SeriesColors(all[:len(lines)]...))
	}
	b.WriteString("\n" + asciigraph.PlotMany(data, opts...) + "\n")
}

// spread spreads the points of a line over columns by their times, as parts of the range. Between
// two points the line is straight.
func (c *chartWriter) spread(l *Line, r *valueRange, width int) []float64 {
	out := slices.Repeat([]float64{math.NaN()}, width)
	first, last := c.times[0], c.times[len(c.times)-1]
	before, at := math.NaN(), 0
	for i, f := range l.Points {
		column, y := 0, r.part(f)
		if span := last.Sub(first); span > 0 {
			column = int(math.Round(c.times[i].Sub(first) / span * float64(width-1)))
		}
		for x := at + 1; x < column; x++ {
			out[x] = before + (y-before)*float64(x-at)/float64(column-at) // NaN beside a gap
		}
		if !math.IsNaN(y) {
			out[column] = y
		}
		before, at = y, column
	}
	if len(l.Points) == 1 {
		return slices.Repeat(out[:1], width)
	}
	return out
}

// legend writes which line is which, unless there is but one, of a metric without instances.
func (c *chartWriter) legend(b *strings.Builder, lines []*Line) {
	if len(lines) == 1 && len(c.h.Metrics) == 1 && c.h.Metrics[0].Singular() {
		return
	}
	used := 0
	for i, l := range lines {
		mark := "  "
		if len(lines) > 1 {
			mark = letters[i:i+1] + "  "
		}
		text := textwidth.Cut(mark+l.Name, c.opt.Width-2)
		n := 2 + textwidth.Width(text)
		if used > 0 && used+n > c.opt.Width {
			b.WriteByte('\n')
			used = 0
		}
		if used += n; c.opt.Color {
			text = colors()[i].String() + text + asciigraph.Default.String()
		}
		b.WriteString("  " + text)
	}
	b.WriteByte('\n')
}
