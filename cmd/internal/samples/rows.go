package samples

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"strings"
	"time"

	"pmtools/lib/sampling"
	"pmtools/lib/textwidth"
)

// A rowWriter writes a line for each value, below a line with the time of the sample, or with the
// time in front of each line. On a terminal live samples are drawn over each other, with as many
// lines as the screen has.
type rowWriter struct {
	text
	h      *sampling.Header
	opt    Options
	hosts  int // width of the hosts so far
	names  int // width of the names so far
	values int // width of the values so far
	past   map[rowKey]*rowPast
	round  int // number of the sample
}

// A rowKey tells instances of metrics apart.
type rowKey struct {
	metric int
	id     int32
	host   string
}

// A rowPast is the latest numbers of an instance, and of which sample the last one is.
type rowPast struct {
	round, n int
	numbers  [sparkWidth]float64
}

// A row is a line for a value.
type row struct{ host, name, value, past string }

// clearScreen clears a terminal.
const clearScreen = "\x1b[H\x1b[2J"

// widestAligned is how wide a column is made for the sake of the widest of its cells where the
// output has no width. Beyond that each line would grow with the longest name there is.
const widestAligned = 1000

// NewRows returns a Writer of a line for each value.
func NewRows(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	return &rowWriter{text: text{w: w}, h: h, opt: *opt, past: make(map[rowKey]*rowPast)}, nil
}

// Sample implements Writer. It goes through the values twice, for the widths and for the lines,
// because all lines at once are many times as large as the values.
func (r *rowWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	all, err := r.measure(ctx, s)
	if err != nil {
		return err
	}
	at := s.Time.Time().In(r.h.Location())
	first, left := "", all
	switch {
	case r.opt.Live && r.opt.Width > 0:
		r.b = append(r.b, clearScreen...)
		r.line(at.Format(time.DateOnly + " " + clock(r.h)))
		for i := range r.h.Metrics {
			r.line(r.h.Metrics[i].Name + ": " + r.h.Metrics[i].Summary())
		}
		if head, room := 1+len(r.h.Metrics), r.opt.Height-2; room > head && head+all > room {
			left = room - head
		}
	case r.opt.Sparks:
		first = at.Format(clock(r.h)) + gap
	default:
		r.line(at.Format(fullTime))
	}
	step := 0
	for i := range s.Sets {
		for x := range r.rows(i, &s.Sets[i]) {
			if left--; left < 0 {
				break
			}
			r.line(first + r.aligned(&x))
			if err := r.next(ctx, step); err != nil {
				return err
			}
			step++
		}
	}
	if step < all {
		r.line(fmt.Sprintf("+%d more", all-step))
	}
	return r.flush()
}

// line adds a line, cut to the width.
func (r *rowWriter) line(text string) {
	r.b = append(append(r.b, strings.TrimRight(textwidth.Cut(text, r.opt.Width), " ")...), '\n')
}

// measure notes the widths and the numbers of a sample, and returns how many rows it has.
func (r *rowWriter) measure(ctx context.Context, s *sampling.Sample) (all int, err error) {
	r.round++
	for i := range s.Sets {
		m, set := &r.h.Metrics[i], &s.Sets[i]
		if all += set.Len(); set.Err != nil || set.Len() == 0 {
			all++
		}
		for j := range set.Len() {
			if err := sampling.Ended(ctx, j); err != nil {
				return 0, err
			}
			v := set.At(j)
			if r.opt.Sparks && m.Desc.Type.Arithmetic() {
				r.note(rowKey{i, v.ID, v.Host}, number(v.Value))
			}
			x := r.row(i, &v)
			r.hosts = max(r.hosts, textwidth.Width(x.host))
			r.names = max(r.names, textwidth.Width(x.name))
			r.values = max(r.values, textwidth.Width(x.value), least(r.h, m, &r.opt))
		}
	}
	maps.DeleteFunc(r.past, func(_ rowKey, p *rowPast) bool { return p.round != r.round }) // instances that go do not pile up
	return all, nil
}

// note adds a number to the past of an instance.
func (r *rowWriter) note(key rowKey, f float64) {
	p := r.past[key]
	if p == nil {
		p = &rowPast{}
		r.past[key] = p
	}
	if p.n == sparkWidth {
		p.n = copy(p.numbers[:], p.numbers[1:])
	}
	p.numbers[p.n] = f
	p.n++
	p.round = r.round
}

// rows returns the rows of a set.
func (r *rowWriter) rows(metric int, set *sampling.Set) iter.Seq[row] {
	return func(yield func(row) bool) {
		name := r.h.Metrics[metric].Name
		switch {
		case set.Err != nil && !yield(row{name: name, value: set.Err.Error()}):
			return
		case set.Err == nil && set.Len() == 0:
			yield(row{name: name, value: "no values"})
			return
		}
		for j := range set.Len() {
			v := set.At(j)
			x := r.row(metric, &v)
			if p := r.past[rowKey{metric, v.ID, v.Host}]; p != nil {
				x.past = spark(p.numbers[:p.n])
			}
			if !yield(x) {
				return
			}
		}
	}
}

// row returns the row of a value, without its past.
func (r *rowWriter) row(metric int, v *sampling.Value) row {
	m, several := &r.h.Metrics[metric], len(r.h.Metrics) > 1
	x := row{host: textwidth.Clean(v.Host), value: r.opt.cell(v.Value)}
	if several || !m.Singular() {
		x.name = textwidth.Clean(m.Label(v.Instance, several))
	}
	return x
}

// aligned returns the line of a row, aligned with those before.
func (r *rowWriter) aligned(x *row) string {
	names := min(r.names, widestAligned)
	if r.opt.Width > 0 {
		names = min(r.names, max(r.opt.Width-r.values-len(gap), len("name..."))) // values say more than the ends of long names
		x.name = textwidth.Cut(x.name, names)
	}
	line := textwidth.Pad(x.value, min(r.values, widestAligned), true) + gap + x.past
	if names > 0 {
		line = textwidth.Pad(x.name, names, false) + gap + line
	}
	if r.hosts > 0 {
		line = textwidth.Pad(x.host, r.hosts, false) + gap + line
	}
	return strings.TrimRight(line, " ")
}

// Close implements Writer.
func (r *rowWriter) Close() error { return nil }

// sparks are the heights of a sparkline.
var sparks = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// sparkWidth is how many samples of the past a sparkline shows.
const sparkWidth = 12

// spark draws numbers as bars between the smallest and the largest of them. A value that is not a
// number is a blank.
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
