package samples

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	"pmtools/lib/textwidth"
)

// A tableWriter writes a running table below a line for each metric: a row for each sample, as it
// comes, and a column for each value. The columns of a metric and their widths are those of the
// first sample that has values of it. On a terminal they are cut to its width, and the header is
// repeated when it has left the screen.
type tableWriter struct {
	text
	h      *sampling.Header
	opt    Options
	chosen []tableColumns // of each metric
	layout string         // of the times; "" for Options.Timestamp
	stamp  int            // width of the times so far
	day    string         // of the row before, if it stands in the header
	rows   int            // below the last header
	begun  bool
	late   []string // labels of instances that came after the columns had been chosen
}

// tableColumns are the columns of a metric. If they do not fit the width, only the first have a
// head.
type tableColumns struct {
	all    int     // how many there are; 0 while there are no values
	ids    []int32 // of those that have a width
	widths []int32
	heads  []string // nil for the labels of the only sample
	known  []int32  // the instances of all columns, ascending
}

// NewTable returns a Writer of a running table, or of a line for each value of several hosts. One
// sample that does not fit the width is written as NewRows does.
func NewTable(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	if h.Hosts {
		return NewRows(w, h, opt)
	}
	t := &tableWriter{text: text{w: w}, h: h, opt: *opt, chosen: make([]tableColumns, len(h.Metrics)), layout: fullTime}
	if t.opt.Wide {
		t.opt.Width = 0
	}
	if opt.Timestamp != "" {
		t.layout = ""
	} else if opt.Width > 0 && h.Samples != 1 && h.Interval < dayRows {
		t.layout = clock(h)
		t.day = "-" // the first header has the day
	}
	return t, nil
}

// fullTime is the layout of times with their day.
const fullTime = "2006-01-02 15:04:05.000000"

// dayRows is the interval from which on each time has its day beside it, not in the header.
const dayRows = 6 * time.Hour

// clock returns the layout of times without a day, with as much of the second as the samples need.
func clock(h *sampling.Header) string {
	if h.Interval%time.Second == 0 && h.Start.Nsec == 0 {
		return "15:04:05"
	}
	return "15:04:05.000"
}

// Sample implements Writer.
func (t *tableWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	changed, err := t.choose(ctx, s)
	if err != nil {
		return err
	}
	shown, all := t.shown()
	if t.h.Samples == 1 && shown < all {
		rows, _ := NewRows(t.w, t.h, &t.opt)
		return rows.Sample(ctx, s)
	}
	at := s.Time.Time().In(t.h.Location())
	stamp := at.Format(t.layout)
	if t.layout == "" {
		stamp = string(t.opt.appendTime(nil, t.h, s.Time))
	}
	t.stamp = max(t.stamp, textwidth.Width(stamp))
	if !t.begun {
		t.begin()
	}
	day := at.Format(time.DateOnly)
	if changed || t.headerDue() || t.day != "" && t.day != day {
		if t.day != "" {
			t.day = day
		}
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

// headerDue reports whether the header is to be repeated.
func (t *tableWriter) headerDue() bool {
	every := t.opt.Header
	if every == 0 {
		every = t.opt.Height - 2
	}
	return every > 0 && t.rows >= every
}

// choose chooses the columns of metrics that have values for the first time, and reports whether
// the header is another now. It notes instances that come later.
func (t *tableWriter) choose(ctx context.Context, s *sampling.Sample) (changed bool, err error) {
	for i := range s.Sets {
		set := &s.Sets[i]
		if set.Len() == 0 && t.h.Metrics[i].Singular() {
			none := sampling.SetOf(sampling.Value{ID: -1})
			set = &none
		}
		switch {
		case t.chosen[i].all > 0:
			err = t.noteLate(ctx, i, &s.Sets[i])
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

// addColumns makes a column for each value of a metric.
func (t *tableWriter) addColumns(ctx context.Context, metric int, set *sampling.Set) error {
	m, n := &t.h.Metrics[metric], set.Len()
	float, least := m.Desc.Type == pcp.Float || m.Desc.Type == pcp.Double, least(t.h, m, &t.opt)
	c := tableColumns{all: n}
	room := n
	if t.opt.Width > 0 {
		room = 0
	}
	c.ids, c.widths = make([]int32, 0, room), make([]int32, 0, room)
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
		head := textwidth.Clean(m.Label(v.Instance, len(t.h.Metrics) > 1))
		headWidth := textwidth.Width(head)
		width := max(headWidth, least)
		if !float || t.h.Samples == 1 {
			width = max(width, textwidth.Width(t.opt.cell(v.Value)))
		}
		if t.opt.Width > 0 && used > t.opt.Width {
			noted += headWidth + len(", ")
		}
		used += width + len(gap)
		if t.opt.Width == 0 {
			width = min(width, widestAligned)
		}
		c.ids, c.widths = append(c.ids, v.ID), append(c.widths, int32(width))
		if t.h.Samples != 1 {
			c.heads = append(c.heads, head)
		}
	}
	slices.Sort(c.known)
	t.chosen[metric] = c
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

// least returns the width that values of a metric have at least, so that numbers may grow.
func least(h *sampling.Header, m *sampling.Metric, o *Options) int {
	switch typ := m.Desc.Type; {
	case h.Samples == 1:
	case typ == pcp.Float || typ == pcp.Double:
		return 8 + max(o.Precision, 0)
	case typ == pcp.Int64 || typ == pcp.Uint64:
		return 8
	case typ == pcp.Int32 || typ == pcp.Uint32:
		return 6
	}
	return 0
}

// columns calls f with each column: the metric, the place among its columns, and the width. A metric
// without values has a place of -1. It ends when f returns false.
func (t *tableWriter) columns(f func(metric, place, width int) bool) {
	for i := range t.chosen {
		c := &t.chosen[i]
		if c.all == 0 && !f(i, -1, textwidth.Width(t.h.Metrics[i].Name)) {
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
		if used += width + len(gap); t.opt.Width > 0 && used > t.opt.Width && n > 0 {
			return false
		}
		n++
		return true
	})
	return n, all
}

// gap stands between columns.
const gap = "  "

// begin writes the line of each metric, and which columns are left out.
func (t *tableWriter) begin() {
	t.begun = true
	if t.opt.Header == NoHeader {
		return
	}
	for i := range t.h.Metrics {
		m := &t.h.Metrics[i]
		t.b = append(append(t.b, textwidth.Cut(m.Name+": "+m.Summary(), t.opt.Width)...), '\n')
	}
	if n, all := t.shown(); n < all {
		var names []string
		k := 0
		t.columns(func(metric, place, _ int) bool {
			if k++; k > n {
				names = append(names, t.head(metric, place, nil))
			}
			return true
		})
		note := fmt.Sprintf("%d of %d columns (--wide has all); without ", n, all)
		t.b = append(append(t.b, textwidth.Cut(note+strings.Join(names, ", "), t.opt.Width)...), '\n')
	}
}

// head returns the head of a column. That of the only sample is the label of its value.
func (t *tableWriter) head(metric, place int, s *sampling.Sample) string {
	m, c := &t.h.Metrics[metric], &t.chosen[metric]
	switch {
	case place < 0 || m.Singular():
		return m.Name
	case c.heads != nil:
		return c.heads[place]
	}
	return textwidth.Clean(m.Label(s.Sets[metric].At(place).Instance, len(t.h.Metrics) > 1))
}

// header writes the header.
func (t *tableWriter) header(ctx context.Context, s *sampling.Sample) error {
	if t.opt.Header == NoHeader {
		return nil
	}
	first := "time"
	if t.day != "" {
		first = t.day
	}
	return t.line(ctx, first, func(metric, place, _ int) string { return t.head(metric, place, s) })
}

// line writes a line: the text in the column of times, and a cell for each column that is shown.
func (t *tableWriter) line(ctx context.Context, first string, cell func(metric, place, width int) string) (err error) {
	start := len(t.b)
	t.b = append(t.b, textwidth.Pad(first, t.timeWidth(), false)...)
	n, _ := t.shown()
	step := 0
	t.columns(func(metric, place, width int) bool {
		if step == n {
			return false
		}
		left := place >= 0 && t.h.Metrics[metric].Desc.Type == pcp.String
		t.b = append(append(t.b, gap...), textwidth.Pad(cell(metric, place, width), width, !left)...)
		if step++; t.opt.Width == 0 {
			err = t.next(ctx, step)
		}
		return err == nil
	})
	if t.opt.Width > 0 {
		line := string(t.b[start:]) // it is short
		t.b = append(t.b[:start], textwidth.Cut(line, t.opt.Width)...)
	}
	t.b = append(bytes.TrimRight(t.b, " "), '\n')
	return err
}

// timeWidth returns the width of the column of times.
func (t *tableWriter) timeWidth() int { return max(t.stamp, len("time"), len(t.day)) }

// row writes the row of a sample. A cell that is too wide moves those after it.
func (t *tableWriter) row(ctx context.Context, at string, s *sampling.Sample) error {
	finders := make([]*finder, len(s.Sets))
	for i := range s.Sets {
		var err error
		if finders[i], err = newFinder(ctx, &s.Sets[i]); err != nil {
			return err
		}
	}
	return t.line(ctx, at, func(metric, place, width int) string {
		if place < 0 {
			return "-"
		}
		if i := finders[metric].find(t.chosen[metric].ids[place]); i >= 0 {
			return t.cell(s.Sets[metric].At(i).Value, width)
		}
		return "-"
	})
}

// cell returns the text of a value. Digits after the point that do not fit a column are rounded
// off, unless their number is asked for.
func (t *tableWriter) cell(v pcp.Value, width int) string {
	text := t.opt.cell(v)
	if typ := v.Type(); len(text) <= width || t.opt.Precision >= 0 || typ != pcp.Float && typ != pcp.Double {
		return text
	}
	f := number(v)
	if small := math.Abs(f) < 1e-4; small || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'g', max(width-7, 1), 64)
	}
	integer := len(strconv.FormatFloat(f, 'f', 0, 64))
	return strconv.FormatFloat(f, 'f', max(width-integer-1, 0), 64)
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
