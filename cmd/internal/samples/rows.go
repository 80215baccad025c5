package samples

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"strings"

	"pmtools/cmd/internal/chart"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A rowWriter writes a line for each value, below a line with the time of the sample, or with the
// time in front of each line. On a terminal live samples are drawn over each other, with as many
// lines as the screen has.
type rowWriter struct {
	text
	h       *sampling.Header
	opt     Options
	times   timeForm
	numbers []format.Numbers // of each metric
	known   []bool           // which metrics have them
	widths  rowWidths
	past    map[rowKey]*rowPast
	round   int               // number of the sample
	cut     map[string]string // names that have been cut in this sample, by what is left of them
	average bool              // the sample is of averages
	absent  map[string]sampling.HostState
}

// rowWidths are the widths of the columns so far.
type rowWidths struct{ hosts, names, values, units int }

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

// A row is a line for a value, or for what there is instead.
type row struct {
	metric           int
	v                sampling.Value
	host, name, note string
	past             string
}

// clearScreen clears a terminal.
const clearScreen = "\x1b[H\x1b[2J"

// widestAligned is how wide a column is made for the sake of the widest of its cells where the
// output has no width. Beyond that each line would grow with the longest name there is.
const widestAligned = 1000

// NewRows returns a Writer of a line for each value.
func NewRows(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	n := len(h.Metrics)
	return &rowWriter{
		text: text{w: w}, h: h, opt: *opt, times: timeForm{h: h}, numbers: make([]format.Numbers, n), known: make([]bool, n), past: make(map[rowKey]*rowPast),
	}, nil
}

// Sample implements Writer. It goes through the values several times, for the units, the widths and
// the lines, because all lines at once are many times as large as the values.
func (r *rowWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	all, err := r.measure(ctx, s)
	if err != nil {
		return err
	}
	left := all
	r.times.clock = r.opt.Sparks && !r.redraws()
	first, at := "", r.times.text(s.Time)
	if s.Average {
		at = averageTime
	}
	switch {
	case r.redraws() && !s.Average:
		r.b = append(r.b, clearScreen...)
		head := r.heads(at)
		if room := r.opt.Height - 2; room > head && head+all > room {
			left = room - head
		}
	case r.opt.Sparks:
		first = at + gap
	default:
		if !s.Average {
			at += r.times.zone(s.Time)
		}
		r.heads(at)
	}
	step := 0
	for i := range s.Sets {
		for x := range r.rows(i, &s.Sets[i]) {
			if left--; left < 0 {
				break
			}
			r.line(first + r.aligned(&x, r.opt.Width-textwidth.Width(first)))
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

// redraws reports whether samples are drawn over each other.
func (r *rowWriter) redraws() bool { return r.opt.Live && r.opt.Width > 0 && r.h.Samples != 1 }

// heads writes the time of a sample and, if requested, the headings of the metrics. It returns the
// number of lines.
func (r *rowWriter) heads(at string) int {
	if r.opt.Color && r.opt.Width > 0 {
		defer r.dim(len(r.b))
	}
	if len(r.h.Metrics) == 1 {
		at += gap + textwidth.Clean(r.h.Metrics[0].Name)
	}
	r.line(at)
	if !r.opt.Verbose {
		return 1
	}
	for i := range r.h.Metrics {
		r.line(r.h.Metrics[i].Name + ": " + r.h.Metrics[i].Summary())
	}
	return 1 + len(r.h.Metrics)
}

// line adds a line, cut to the width.
func (r *rowWriter) line(text string) {
	r.b = append(append(r.b, strings.TrimRight(textwidth.Cut(text, r.opt.Width), " ")...), '\n')
}

// measure notes the units, the widths and the numbers of a sample, and returns how many rows it has.
func (r *rowWriter) measure(ctx context.Context, s *sampling.Sample) (all int, err error) {
	r.round++
	r.cut, r.average, r.absent, all = nil, s.Average, s.Absent, len(s.Absent)
	for host := range s.Absent {
		r.widths.hosts = max(r.widths.hosts, textwidth.Width(textwidth.Clean(host)))
	}
	for i := range s.Sets {
		m, set := &r.h.Metrics[i], &s.Sets[i]
		if all += set.Len(); !r.average && (set.Err != nil || set.Len() == 0) {
			all++
			r.widths.names = max(r.widths.names, textwidth.Width(m.Title()))
		}
		if err := r.choose(ctx, i, set); err != nil {
			return 0, err
		}
		for j := range set.Len() {
			if err := sampling.Ended(ctx, j); err != nil {
				return 0, err
			}
			v := set.At(j)
			if r.opt.Sparks && m.Desc.Type.Arithmetic() {
				r.note(rowKey{i, v.ID, v.Host}, v.Number())
			}
			x := r.row(i, &v)
			r.widths.hosts = max(r.widths.hosts, textwidth.Width(x.host))
			r.widths.names = max(r.widths.names, textwidth.Width(x.name))
			if !m.Desc.Type.Arithmetic() {
				r.widths.values = max(r.widths.values, textwidth.Width(r.opt.cell(v.Value)))
			}
		}
	}
	r.widths.values = max(r.widths.values, format.Align(r.numbers))
	maps.DeleteFunc(r.past, func(_ rowKey, p *rowPast) bool { return p.round != r.round }) // instances that go do not pile up
	return all, nil
}

// choose chooses the unit of a metric, at its first values and when they have outgrown it.
func (r *rowWriter) choose(ctx context.Context, metric int, set *sampling.Set) error {
	m, n := &r.h.Metrics[metric], &r.numbers[metric]
	if set.Len() == 0 || !m.Desc.Type.Arithmetic() {
		return nil
	}
	most, err := set.Magnitude(ctx)
	if err != nil {
		return err
	}
	if !r.known[metric] || n.Outgrown(most) || r.average {
		desc := m.Desc
		if r.average { // those of whole numbers have fractions
			desc.Type = pcp.Double
		}
		*n, r.known[metric] = r.opt.formOf(r.h, m).Numbers(&desc, m.Fixed, most), true
	}
	_, err = set.Fit(ctx, n)
	r.widths.units = max(r.widths.units, textwidth.Width(n.Unit))
	return err
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
		x := row{metric: metric, name: textwidth.Clean(r.h.Metrics[metric].Title())}
		switch {
		case r.average:
		case set.Err != nil:
			x.note = set.Err.Error()
		case set.Len() == 0:
			x.note = "no values"
		}
		if x.note != "" && !yield(x) {
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
		for _, host := range r.h.Hosts {
			if state, absent := r.absent[host]; absent && metric == len(r.h.Metrics)-1 && !yield(row{metric: metric, host: textwidth.Clean(host), note: absentText(state)}) {
				return
			}
		}
	}
}

// row returns the row of a value, without its past.
func (r *rowWriter) row(metric int, v *sampling.Value) row {
	m, several := &r.h.Metrics[metric], len(r.h.Metrics) > 1
	x := row{metric: metric, v: *v, host: textwidth.Clean(v.Host)}
	if several || !m.Singular() {
		x.name = textwidth.Clean(labelOf(m, v.Instance, several))
	}
	return x
}

// aligned returns the line of a row, aligned with those before: the host, the name, the value and its
// unit. Names are cut as far as the output has a width and not the room for all of that.
func (r *rowWriter) aligned(x *row, room int) string {
	w := &r.widths
	values, names := min(w.values, widestAligned), min(w.names, widestAligned)
	if r.opt.Width > 0 {
		room -= values + len(gap)
		if w.hosts > 0 {
			room -= w.hosts + len(gap)
		}
		if w.units > 0 {
			room -= w.units + 1
		}
		if r.opt.Sparks {
			room -= len(gap) + min(r.round, sparkWidth)
		}
		names = min(names, max(room, leastName)) // values say more than the middles of long names
		x.name = r.distinct(x, names)
	}
	var b []byte
	column := func(text string, width int) {
		if width > 0 {
			b = append(textwidth.AppendPad(b, text, width, false), gap...)
		}
	}
	column(x.host, w.hosts)
	column(x.name, names)
	switch {
	case x.note != "":
		b = append(b, x.note...)
	case !r.h.Metrics[x.metric].Desc.Type.Arithmetic():
		b = textwidth.AppendPad(b, r.opt.cell(x.v.Value), values, x.past != "")
	default:
		b = r.numbers[x.metric].AppendAligned(b, x.v.Value, values)
		if w.units > 0 {
			b = textwidth.AppendPad(append(b, ' '), r.numbers[x.metric].Unit, w.units, false)
		}
	}
	return strings.TrimRight(string(b)+gap+x.past, " ")
}

// distinct cuts the name of a row. Those that would look alike end in the number of the instance.
func (r *rowWriter) distinct(x *row, width int) string {
	cut := textwidth.Middle(x.name, width)
	if cut == x.name {
		return cut
	}
	if r.cut == nil {
		r.cut = make(map[string]string)
	}
	whole := x.name + x.host
	if other, taken := r.cut[cut+x.host]; taken && other != whole {
		id := fmt.Sprintf("#%d", x.v.ID)
		return textwidth.Middle(x.name, max(width-len(id), 1)) + id
	}
	r.cut[cut+x.host] = whole
	return cut
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
	r := chart.NewRange()
	for _, f := range past {
		if !math.IsInf(f, 0) {
			r.Note(f)
		}
	}
	var b strings.Builder
	for _, f := range past {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteByte(' ')
		} else {
			b.WriteRune(sparks[min(int(r.Part(f)*float64(len(sparks))), len(sparks)-1)])
		}
	}
	return b.String()
}
