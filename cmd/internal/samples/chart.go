package samples

import (
	"context"
	"io"
	"math"
	"strings"

	"pmtools/cmd/internal/chart"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

const (
	chartWidth = 80    // where the output has no width of its own
	maxPoints  = 10000 // an even number
)

// A chartWriter draws values as lines over time: at the end, or live samples as they come.
type chartWriter struct {
	w      io.Writer
	draw   func(*chart.Chart) error // instead of w, at the end
	h      *sampling.Header
	opt    Options
	seen   int // samples
	stride int // every stride-th sample is kept
	times  []pcp.Timestamp
	lines  []*chart.Line
	places map[chartKey]int // of the lines
}

// A chartKey tells the lines apart.
type chartKey struct {
	metric int
	inst   int32
	host   string
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

// NewPicture returns a Writer that collects what a chart shows and draws it at the end with a
// function.
func NewPicture(h *sampling.Header, opt *Options, draw func(*chart.Chart) error) sampling.Writer {
	return &chartWriter{draw: draw, h: h, opt: *opt, stride: 1, places: make(map[chartKey]int)}
}

// chart returns the chart of the collected values.
func (c *chartWriter) chart() *chart.Chart {
	all := &chart.Chart{Title: textwidth.Clean(c.opt.Title), Lines: c.lines, Form: c.opt.form(c.h)}
	all.Form.Running = false
	if all.Title == "" {
		var names []string
		for _, m := range c.h.Metrics {
			names = append(names, m.Name)
		}
		all.Title = strings.Join(names, ", ")
	}
	for _, t := range c.times {
		all.Times = append(all.Times, t.Time().In(c.h.Location()))
	}
	return all
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
		_, err := io.WriteString(c.w, clearScreen+c.text())
		return err
	}
	return nil
}

// add adds a value to its line. There is no point at an infinity.
func (c *chartWriter) add(metric int, v *sampling.Value) {
	key := chartKey{metric, v.ID, v.Host}
	i, ok := c.places[key]
	if !ok {
		i = len(c.lines)
		c.places[key] = i
		m := &c.h.Metrics[metric]
		name := m.Label(v.Instance, len(c.h.Metrics) > 1)
		if c.h.Hosts != nil && len(c.h.Metrics) == 1 && m.Singular() {
			name = v.Host
		} else if c.h.Hosts != nil {
			name = v.Host + " " + name
		}
		c.lines = append(c.lines, &chart.Line{Name: textwidth.Clean(name), Unit: chart.Unit{Units: m.Desc.Units, Name: m.Unit}})
	}
	pad(c.lines[i], len(c.times))
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
		pad(l, len(c.times))
	}
}

// pad makes a line n points long.
func pad(l *chart.Line, n int) {
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
		return c.draw(c.chart())
	}
	_, err := io.WriteString(c.w, c.text())
	return err
}

// text returns the chart as text.
func (c *chartWriter) text() string {
	return c.chart().Text(&chart.Terminal{Width: c.opt.Width, Height: c.opt.Height, Color: c.opt.Color, ASCII: c.opt.ASCII}, c.opt.Live)
}
