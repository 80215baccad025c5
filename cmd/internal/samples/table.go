package samples

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A tableWriter writes a running table: a row for each sample, as it comes, and a column for each
// value. The columns of a metric, their widths and their unit are those of the first sample that has
// values of it; the unit changes when numbers have outgrown it. On a terminal columns are cut to its
// width, and the header is repeated when it has left the screen.
type tableWriter struct {
	text
	h      *sampling.Header
	opt    Options
	chosen []tableColumns // of each metric
	heads  tableHeads
	times  timeForm
	stamp  int    // width of the times so far
	day    string // of the row before, if it stands in the header
	zone   string // of the times, after a blank; it stands in the header
	rows   int    // below the last header
	begun  bool
	noted  []string         // above the header before
	late   []string         // labels of instances that came after the columns had been chosen
	absent map[int32]string // what stands in the place of instances without values
}

// tableColumns are the columns of a metric. If they do not fit the width, only the first have names.
type tableColumns struct {
	all     int      // how many there are; 0 while there are no values
	ids     []int32  // of those that have a width
	widths  []int32  // with those of the names
	cells   []int32  // of values that are not numbers
	names   []string // of the instances; nil for those of the only sample
	known   []int32  // the instances of all columns, ascending
	numbers format.Numbers
	number  int              // width of the numbers
	most    format.Magnitude // of the numbers in the row before
	values  finder           // in the row
}

// NewTable returns a Writer of a running table, of a line for each instance where reports look so, or of several hosts
// side by side. One sample that does not fit the width is written as NewRows does.
func NewTable(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	if h.Hosts != nil {
		return &sideWriter{w: w, h: h, opt: *opt}, nil
	}
	if wantsInstances(h) {
		return newInstances(w, h, opt), nil
	}
	t := &tableWriter{text: text{w: w}, h: h, opt: *opt, chosen: make([]tableColumns, len(h.Metrics)), times: timeForm{h: h}}
	if t.opt.Wide {
		t.opt.Width = 0
	}
	if opt.Timestamp == "" && opt.Width > 0 && h.Samples != 1 && h.Interval < dayRows {
		t.day = strings.Repeat("-", len(time.DateOnly)) // the first header has the day
		t.times.clock = true
	}
	return t, nil
}

// dayRows is the interval from which on each time has its day beside it, not in the header.
const dayRows = 6 * time.Hour

// Sample implements Writer.
func (t *tableWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	stamp := t.opt.stamp(&t.times, s)
	t.stamp = max(t.stamp, textwidth.Width(stamp))
	if t.opt.Timestamp == "" {
		t.zone = t.times.zone(s.Time)
	}
	changed, err := t.choose(ctx, s)
	if err != nil {
		return err
	}
	if changed {
		t.arrange()
	}
	if t.h.Samples == 1 && !t.whole() {
		rows, _ := NewRows(t.w, t.h, &t.opt)
		return rows.Sample(ctx, s)
	}
	if !t.begun {
		t.begin()
	}
	if newDay := t.newDay(s.Time); changed || t.headerDue() || newDay {
		if err := t.header(ctx, s); err != nil {
			return err
		}
		t.rows = 0
	}
	if err := t.row(ctx, stamp, s); err != nil {
		return err
	}
	t.rows++
	return t.flush()
}

// newDay puts the day of a sample into the header, if that has one, and reports whether it is another one.
func (t *tableWriter) newDay(at pcp.Timestamp) bool {
	if t.day == "" {
		return false
	}
	before := t.day
	t.day = at.Time().In(t.h.Location()).Format(time.DateOnly)
	return t.day != before
}

// headerDue reports whether the header is to be repeated.
func (t *tableWriter) headerDue() bool {
	every := t.opt.Header
	if every == 0 {
		every = t.opt.Height - 1 - t.heads.lines()
	}
	return every > 0 && t.rows >= every
}

// choose chooses the columns of metrics that have values for the first time, and another unit for
// numbers that have outgrown theirs. It reports whether the header is another now, and notes instances
// that come later.
func (t *tableWriter) choose(ctx context.Context, s *sampling.Sample) (changed bool, err error) {
	for i := range s.Sets {
		set, c := &s.Sets[i], &t.chosen[i]
		if set.Len() == 0 && t.h.Metrics[i].Singular() {
			none := sampling.SetOf(sampling.Value{ID: -1})
			set = &none
		}
		switch {
		case c.all > 0:
			if t.opt.Header == 0 && c.numbers.Outgrown(c.most) {
				changed = true
				err = t.measure(ctx, i, set)
			}
			if err == nil {
				err = t.noteLate(ctx, i, &s.Sets[i])
			}
		case set.Len() > 0:
			changed = true
			err = t.addColumns(ctx, i, set)
		}
		if err != nil {
			return false, err
		}
	}
	return changed || !t.begun, nil
}

// measure chooses the unit of a metric and the width of its numbers.
func (t *tableWriter) measure(ctx context.Context, metric int, set *sampling.Set) error {
	c := &t.chosen[metric]
	m := &t.h.Metrics[metric]
	if !m.Desc.Type.Arithmetic() {
		return nil
	}
	var err error
	c.numbers, c.number, err = set.Numbers(ctx, t.opt.formOf(t.h, m), m)
	if m.Look != nil {
		c.number = max(c.number, m.Look.Width)
		if !m.Look.Unit {
			c.numbers.Unit = ""
		}
	}
	for i, width := range c.widths {
		c.widths[i] = max(width, int32(min(c.number, widestAligned)))
	}
	return err
}

// addColumns makes a column for each value of a metric.
func (t *tableWriter) addColumns(ctx context.Context, metric int, set *sampling.Set) error {
	m, c, n := &t.h.Metrics[metric], &t.chosen[metric], set.Len()
	if err := t.measure(ctx, metric, set); err != nil {
		return err
	}
	room := n
	if t.opt.Width > 0 {
		room = 0
	}
	c.all, c.ids, c.widths = n, make([]int32, 0, room), make([]int32, 0, room)
	used, noted := 0, 0 // by columns that may be shown, and by the names of others
	for j := range n {
		if err := sampling.Ended(ctx, j); err != nil {
			return err
		}
		if t.h.Samples != 1 {
			c.known = append(c.known, set.ID(j))
		}
		if t.opt.Width > 0 && noted > t.opt.Width {
			continue
		}
		v := set.At(j)
		cell, name := c.number, textwidth.Clean(v.Instance)
		if !m.Desc.Type.Arithmetic() {
			cell = textwidth.Width(t.opt.cell(v.Value))
		}
		if t.opt.Width > 0 && used > t.opt.Width {
			noted += textwidth.Width(name) + len(", ")
		}
		used += cell + 1
		c.ids = append(c.ids, v.ID)
		if t.opt.Width == 0 {
			c.widths = append(c.widths, int32(min(max(cell, textwidth.Width(name)), widestAligned)))
		} else {
			c.widths, c.cells = append(c.widths, int32(cell)), append(c.cells, int32(cell))
		}
		if t.h.Samples != 1 || t.opt.Width > 0 {
			c.names = append(c.names, name)
		}
	}
	slices.Sort(c.known)
	return nil
}

// noteLate notes the instances of a metric that have no column.
func (t *tableWriter) noteLate(ctx context.Context, metric int, set *sampling.Set) error {
	known := t.chosen[metric].known
	for j := 0; j < set.Len() && len(t.late) < maxLate; j++ {
		if err := sampling.Ended(ctx, j); err != nil {
			return err
		}
		id := set.ID(j)
		if j < len(known) && known[j] == id {
			continue
		}
		if _, found := slices.BinarySearch(known, id); found {
			continue
		}
		if label := t.h.Metrics[metric].Label(set.At(j).Instance, true); !slices.Contains(t.late, label) {
			t.late = append(t.late, label)
		}
	}
	return nil
}

// maxLate is how many instances are remembered that have no column.
const maxLate = 100

// columns calls f with each column: the metric, the place among its columns, and the width. A metric
// without values has a place of -1. It ends when f returns false.
func (t *tableWriter) columns(f func(metric, place, width int) bool) {
	for i := range t.chosen {
		c := &t.chosen[i]
		if c.all == 0 && !f(i, -1, textwidth.Width(t.heads.names[i])) {
			return
		}
		for k, width := range c.widths {
			if !f(i, k, int(width)) {
				return
			}
		}
	}
}

// shown returns how many of the columns fit the width, at least one if there is one, and how many
// there are.
func (t *tableWriter) shown() (shown, all int) {
	for i := range t.chosen {
		all += max(t.chosen[i].all, 1)
	}
	used, n := t.timeWidth(), 0
	t.columns(func(_, _, width int) bool {
		if used += width + len(t.heads.gap); t.opt.Width > 0 && used > t.opt.Width && n > 0 {
			return false
		}
		n++
		return true
	})
	return n, all
}

// whole reports whether all columns fit the width.
func (t *tableWriter) whole() bool {
	if t.opt.Width == 0 {
		return true
	}
	shown, all := t.shown()
	return shown >= all
}

// begin writes what the metrics are.
func (t *tableWriter) begin() {
	t.begun = true
	if t.opt.Header == NoHeader {
		return
	}
	for i := range t.h.Metrics {
		if m := &t.h.Metrics[i]; t.opt.Verbose {
			t.b = append(append(t.b, textwidth.Cut(m.Name+": "+m.Summary(), t.opt.Width)...), '\n')
		}
	}
}

// note writes how names are to be read and which columns are left out, unless the header before had the same.
func (t *tableWriter) note() {
	var note []string
	if t.heads.prefix != "" {
		note = append(note, "names below "+t.heads.prefix)
	}
	if n, all := t.shown(); n < all {
		var names []string
		k := 0
		t.columns(func(metric, place, _ int) bool {
			if k++; k > n {
				names = append(names, t.label(metric, place))
			}
			return true
		})
		note = append(note, leftOut(n, all, names, t.opt.Width)...)
	}
	if slices.Equal(note, t.noted) {
		return
	}
	for _, line := range note {
		t.b = append(append(t.b, textwidth.Cut(line, t.opt.Width)...), '\n')
	}
	t.noted = note
}

// noteLines is how many lines a note about columns has at most.
const noteLines = 3

// leftOut returns the lines of a note about columns that do not fit the width. Names may be those of the first of them.
func leftOut(shown, all int, names []string, width int) []string {
	if shown+len(names) < all {
		names = append(names, "...")
	}
	lines := textwidth.Wrap(fmt.Sprintf("%d of %d columns (--wide has all); without %s", shown, all, strings.Join(names, ", ")), width)
	if last := noteLines - 1; len(lines) > noteLines {
		lines = append(lines[:last], textwidth.Cut(strings.Join(lines[last:], " "), width))
	}
	return lines
}

// line writes a line: the text in the column of times, and a cell for each column that is shown.
func (t *tableWriter) line(ctx context.Context, first string, cell func(dst []byte, metric, place, width int) []byte) (err error) {
	start := len(t.b)
	t.b = textwidth.AppendPad(t.b, first, t.timeWidth(), false)
	n := math.MaxInt
	if t.opt.Width > 0 {
		n, _ = t.shown()
	}
	step := 0
	t.columns(func(metric, place, width int) bool {
		if step == n {
			return false
		}
		t.b = cell(append(t.b, t.heads.gap...), metric, place, width)
		if step++; t.opt.Width == 0 {
			err = t.next(ctx, step)
		}
		return err == nil
	})
	t.endLine(start)
	return err
}

// endLine ends a line that has begun at a place, within the width.
func (t *tableWriter) endLine(start int) {
	if t.opt.Width > 0 && len(t.b)-start > t.opt.Width {
		line := string(t.b[start:]) // it is short
		t.b = append(t.b[:start], textwidth.Cut(line, t.opt.Width)...)
	}
	t.b = append(bytes.TrimRight(t.b, " "), '\n')
}

// timeWidth returns the width of the column of times.
func (t *tableWriter) timeWidth() int {
	first, below := t.firstColumn()
	return max(t.stamp, len(first), len(below))
}

// firstColumn returns what stands above the times: "time" or the day, with their zone, which stands below if the header has
// another line and the day is above.
func (t *tableWriter) firstColumn() (first, below string) {
	switch {
	case t.day == "":
		return "time" + t.zone, ""
	case t.heads.lines() > 1:
		return t.day, strings.TrimSpace(t.zone)
	}
	return t.day + t.zone, ""
}

// row writes the row of a sample. A cell that is too wide moves those after it.
func (t *tableWriter) row(ctx context.Context, at string, s *sampling.Sample) error {
	for i := range s.Sets {
		if err := t.chosen[i].values.reset(ctx, &s.Sets[i]); err != nil {
			return err
		}
		t.chosen[i].most = format.Magnitude{}
	}
	return t.line(ctx, at, func(dst []byte, metric, place, width int) []byte {
		c := &t.chosen[metric]
		var v pcp.Value
		absent := ""
		if place >= 0 {
			if i := c.values.find(c.ids[place]); i >= 0 {
				v = s.Sets[metric].Value(i)
			}
			absent = t.absent[c.ids[place]]
		}
		if s.Average && !v.IsSet() {
			return textwidth.AppendPad(dst, "", width, true)
		}
		if absent != "" && !v.IsSet() {
			return textwidth.AppendPad(dst, absent, width, true)
		}
		if !t.h.Metrics[metric].Desc.Type.Arithmetic() {
			return textwidth.AppendPad(dst, t.opt.cell(v), width, t.right(metric, place))
		}
		if c.numbers.Adapts() {
			c.most.Note(v)
		}
		return c.numbers.AppendAligned(dst, v, width)
	})
}

// right reports whether the cells of a column are aligned at their right.
func (t *tableWriter) right(metric, place int) bool {
	return place < 0 || t.h.Metrics[metric].Desc.Type != pcp.String
}

// cell returns the text of a value for people.
func (o *Options) cell(v pcp.Value) string {
	return textwidth.Clean(string(format.AppendPlain(nil, v, o.Precision)))
}

// Close implements Writer: it tells which instances the table lacks.
func (t *tableWriter) Close() error {
	if len(t.late) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(t.w, "%s\n", textwidth.Cut("came later, without a column: "+strings.Join(t.late, ", "), t.opt.Width))
	return err
}
