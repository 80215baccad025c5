package samples

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"pmtools/lib/textwidth"
)

// A rowWriter writes a line for each value, below a line with the time of the sample, or with the
// time in front of each line. On a terminal live samples are drawn over each other, with as many
// lines as the screen has.
type rowWriter struct {
	w      io.Writer
	h      *Header
	opt    Options
	hosts  int // width of the hosts so far
	names  int // width of the names so far
	values int // width of the values so far
	past   map[rowKey][]float64
}

// A rowKey tells instances of metrics apart.
type rowKey struct {
	metric int
	id     int32
	host   string
}

// clearScreen clears a terminal.
const clearScreen = "\x1b[H\x1b[2J"

// NewRows returns a Writer of a line for each value.
func NewRows(w io.Writer, h *Header, opt *Options) (Writer, error) {
	return &rowWriter{w: w, h: h, opt: *opt}, nil
}

// Sample implements Writer.
func (r *rowWriter) Sample(s *Sample) error {
	s.sort()
	lines := r.lines(s)
	at := s.Time.Time().In(r.h.zone())
	var b strings.Builder
	switch {
	case r.opt.Live && r.opt.Width > 0:
		head := []string{at.Format(time.DateOnly + " " + r.h.clock())}
		for i := range r.h.Metrics {
			head = append(head, r.h.Metrics[i].Name+": "+r.h.Metrics[i].summary())
		}
		lines = append(head, lines...)
		if room := r.opt.Height - 2; room > len(head) && len(lines) > room {
			lines = append(lines[:room], fmt.Sprintf("+%d more", len(lines)-room))
		}
		b.WriteString(clearScreen)
	case r.opt.Sparks:
		for i := range lines {
			lines[i] = at.Format(r.h.clock()) + gap + lines[i]
		}
	default:
		lines = append([]string{at.Format(fullTime)}, lines...)
	}
	for _, line := range lines {
		b.WriteString(strings.TrimRight(textwidth.Cut(line, r.opt.Width), " ") + "\n")
	}
	_, err := io.WriteString(r.w, b.String())
	return err
}

// lines returns the lines of a sample, aligned with those of the samples before.
func (r *rowWriter) lines(s *Sample) []string {
	type row struct{ host, name, value, past string }
	var rows []row
	before := r.past
	r.past = make(map[rowKey][]float64) // instances that go do not pile up
	for i := range s.Sets {
		m, set := &r.h.Metrics[i], &s.Sets[i]
		name := func(instance string) string {
			if m.singular() && len(r.h.Metrics) == 1 {
				return ""
			}
			return textwidth.Clean(m.label(instance, len(r.h.Metrics) > 1))
		}
		switch {
		case set.Err != nil:
			rows = append(rows, row{name: m.Name, value: set.Err.Error()})
		case len(set.Values) == 0:
			rows = append(rows, row{name: m.Name, value: "no values"})
		}
		for j := range set.Values {
			v := &set.Values[j]
			x := row{host: textwidth.Clean(v.Host), name: name(v.Instance), value: r.opt.cell(v.Value)}
			if r.opt.Sparks && m.Desc.Type.Arithmetic() {
				key := rowKey{i, v.ID, v.Host}
				past := append(before[key], number(v.Value))
				r.past[key] = past[max(0, len(past)-sparkWidth):]
				x.past = spark(r.past[key])
			}
			r.hosts = max(r.hosts, textwidth.Width(x.host))
			r.names = max(r.names, textwidth.Width(x.name))
			r.values = max(r.values, textwidth.Width(x.value), r.h.least(m, &r.opt))
			rows = append(rows, x)
		}
	}
	names := r.names
	if r.opt.Width > 0 {
		names = min(names, max(r.opt.Width-r.values-len(gap), len("name..."))) // values say more than the ends of long names
	}
	var lines []string
	for _, x := range rows {
		line := textwidth.Pad(x.value, r.values, true) + gap + x.past
		if names > 0 {
			line = textwidth.Pad(textwidth.Cut(x.name, names), names, false) + gap + line
		}
		if r.hosts > 0 {
			line = textwidth.Pad(x.host, r.hosts, false) + gap + line
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// Close implements Writer.
func (r *rowWriter) Close() error { return nil }

// sparks are the heights of a sparkline.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkWidth is how many samples of the past a sparkline shows.
const sparkWidth = 12

// spark draws numbers as bars between the smallest and the largest of them. What is not a number is
// a blank.
func spark(past []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, f := range past {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			low, high = min(low, f), max(high, f)
		}
	}
	var b strings.Builder
	for _, f := range past {
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			b.WriteByte(' ')
		case high == low:
			b.WriteRune(sparks[0])
		default:
			// Halves, because the difference of two numbers may be too large for one.
			part := (f/2 - low/2) / (high/2 - low/2)
			b.WriteRune(sparks[min(int(part*float64(len(sparks))), len(sparks)-1)])
		}
	}
	return b.String()
}
