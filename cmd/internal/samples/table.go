package samples

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/textwidth"
)

// A tableWriter writes a running table below a line for each metric: a row for each sample, as it
// comes, and a column for each value. The columns of a metric and their widths are those of the
// first sample that has values of it. On a terminal they are cut to its width, and the header is
// repeated when it has left the screen.
type tableWriter struct {
	w       io.Writer
	h       *Header
	opt     Options
	chosen  [][]tableColumn // the columns of each metric; nil until there is a value
	columns []tableColumn   // those that are shown
	layout  string          // of the times; "" for Options.Timestamp
	stamp   int             // width of the times so far
	day     string          // of the row before, if it stands in the header
	rows    int             // below the last header
	begun   bool
	late    []string // labels of instances that came after the columns had been chosen
}

// A tableColumn is a column of values.
type tableColumn struct {
	metric int
	id     int32
	head   string
	width  int
	text   bool // values are aligned at their left
	empty  bool // it stands for a metric without values so far
}

// NewTable returns a Writer of a running table, or of a line for each value of several hosts. One sample that does not fit the width is written as
// NewRows does.
func NewTable(w io.Writer, h *Header, opt *Options) (Writer, error) {
	if h.Hosts {
		return NewRows(w, h, opt)
	}
	t := &tableWriter{w: w, h: h, opt: *opt, chosen: make([][]tableColumn, len(h.Metrics)), layout: fullTime}
	if t.opt.Wide {
		t.opt.Width = 0
	}
	if opt.Timestamp != "" {
		t.layout = ""
	} else if opt.Width > 0 && h.Samples != 1 && h.Interval < dayRows {
		t.layout = h.clock()
		t.day = "-" // the first header has the day
	}
	return t, nil
}

// fullTime is the layout of times with their day.
const fullTime = "2006-01-02 15:04:05.000000"

// dayRows is the interval from which on each time has its day beside it, not in the header.
const dayRows = 6 * time.Hour

// clock returns the layout of times without a day, with as much of the second as the samples need.
func (h *Header) clock() string {
	if h.Interval%time.Second == 0 && h.Start.Nsec == 0 {
		return "15:04:05"
	}
	return "15:04:05.000"
}

// Sample implements Writer.
func (t *tableWriter) Sample(s *Sample) error {
	s.sort()
	changed := t.choose(s)
	if t.h.Samples == 1 && t.shown() < len(t.columns) {
		rows, _ := NewRows(t.w, t.h, &t.opt)
		return rows.Sample(s)
	}
	at := s.Time.Time().In(t.h.zone())
	stamp := at.Format(t.layout)
	if t.layout == "" {
		stamp = string(t.opt.appendTime(nil, t.h, s.Time))
	}
	t.stamp = max(t.stamp, textwidth.Width(stamp))
	var b strings.Builder
	if !t.begun {
		t.begin(&b)
	}
	day := at.Format(time.DateOnly)
	if changed || t.headerDue() || t.day != "" && t.day != day {
		if t.day != "" {
			t.day = day
		}
		t.header(&b)
		t.rows = 0
	}
	t.row(&b, stamp, s)
	t.rows++
	_, err := io.WriteString(t.w, b.String())
	return err
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
// there are any. It notes instances that come later.
func (t *tableWriter) choose(s *Sample) (changed bool) {
	for i := range s.Sets {
		m := &t.h.Metrics[i]
		values := s.Sets[i].Values
		if t.chosen[i] != nil {
			t.noteLate(i, values)
			continue
		}
		if m.singular() && len(values) == 0 {
			values = []Value{{ID: -1}}
		}
		for j := range values {
			v := &values[j]
			c := tableColumn{metric: i, id: v.ID, head: textwidth.Clean(m.label(v.Instance, len(t.h.Metrics) > 1)), text: m.Desc.Type == pcp.String}
			c.width = max(textwidth.Width(c.head), t.h.least(m, &t.opt))
			if typ := m.Desc.Type; typ != pcp.Float && typ != pcp.Double || t.h.Samples == 1 {
				c.width = max(c.width, textwidth.Width(t.opt.cell(v.Value)))
			}
			t.chosen[i] = append(t.chosen[i], c)
		}
		changed = changed || t.chosen[i] != nil
	}
	if !changed && t.columns != nil {
		return false
	}
	t.columns = t.columns[:0]
	for i, list := range t.chosen {
		if list == nil {
			head := t.h.Metrics[i].Name
			list = []tableColumn{{metric: i, head: head, width: textwidth.Width(head), empty: true}}
		}
		t.columns = append(t.columns, list...)
	}
	return true
}

// noteLate notes the instances of a metric that have no column.
func (t *tableWriter) noteLate(metric int, values []Value) {
	for j := range values {
		label := func() string { return t.h.Metrics[metric].label(values[j].Instance, true) }
		if find(t.chosen[metric], values[j].ID) < 0 && len(t.late) < maxLate && !slices.Contains(t.late, label()) {
			t.late = append(t.late, label())
		}
	}
}

// maxLate is how many instances are remembered that have no column.
const maxLate = 100

// find returns the index of the column of an instance, -1 if there is none.
func find(list []tableColumn, id int32) int {
	return slices.IndexFunc(list, func(c tableColumn) bool { return c.id == id })
}

// least returns the width that values of a metric have at least, so that numbers may grow.
func (h *Header) least(m *Metric, o *Options) int {
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

// shown returns how many of the columns fit the width, at least one if there is one.
func (t *tableWriter) shown() int {
	used := t.timeWidth()
	for i := range t.columns {
		if used += t.columns[i].width + len(gap); t.opt.Width > 0 && used > t.opt.Width && i > 0 {
			return i
		}
	}
	return len(t.columns)
}

// gap stands between columns.
const gap = "  "

// begin writes the line of each metric, and which columns are left out.
func (t *tableWriter) begin(b *strings.Builder) {
	t.begun = true
	if t.opt.Header == NoHeader {
		return
	}
	for i := range t.h.Metrics {
		m := &t.h.Metrics[i]
		b.WriteString(textwidth.Cut(m.Name+": "+m.summary(), t.opt.Width) + "\n")
	}
	if n := t.shown(); n < len(t.columns) {
		var names []string
		for _, c := range t.columns[n:] {
			names = append(names, c.head)
		}
		note := fmt.Sprintf("%d of %d columns (--wide has all); without ", n, len(t.columns))
		b.WriteString(textwidth.Cut(note+strings.Join(names, ", "), t.opt.Width) + "\n")
	}
}

// header writes the header.
func (t *tableWriter) header(b *strings.Builder) {
	if t.opt.Header == NoHeader {
		return
	}
	head := "time"
	if t.day != "" {
		head = t.day
	}
	line := textwidth.Pad(head, t.timeWidth(), false)
	for _, c := range t.columns[:t.shown()] {
		line += gap + textwidth.Pad(c.head, c.width, !c.text)
	}
	t.line(b, line)
}

// timeWidth returns the width of the column of times.
func (t *tableWriter) timeWidth() int { return max(t.stamp, len("time"), len(t.day)) }

// row writes the row of a sample. A cell that is too wide moves those behind it.
func (t *tableWriter) row(b *strings.Builder, at string, s *Sample) {
	line := textwidth.Pad(at, t.timeWidth(), false)
	for _, c := range t.columns[:t.shown()] {
		cell := "-"
		if set := &s.Sets[c.metric]; !c.empty {
			if i := slices.IndexFunc(set.Values, func(v Value) bool { return v.ID == c.id }); i >= 0 {
				cell = t.cell(set.Values[i].Value, c.width)
			}
		}
		line += gap + textwidth.Pad(cell, c.width, !c.text)
	}
	t.line(b, line)
}

// line writes a line, cut to the width.
func (t *tableWriter) line(b *strings.Builder, line string) {
	b.WriteString(strings.TrimRight(textwidth.Cut(line, t.opt.Width), " ") + "\n")
}

// cell returns the text of a value. Digits behind the point that do not fit a column are rounded
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
	whole := len(strconv.FormatFloat(f, 'f', 0, 64))
	return strconv.FormatFloat(f, 'f', max(width-whole-1, 0), 64)
}

// cell returns the text of a value for people.
func (o *Options) cell(v pcp.Value) string {
	return textwidth.Clean(string(format.AppendPlain(nil, v, o.Precision)))
}

// label returns what a column or a line of a metric is called; full has the metric in front of an
// instance.
func (m *Metric) label(instance string, full bool) string {
	switch {
	case m.singular(), full && strings.HasSuffix(m.Name, "["+instance+"]"):
		return m.Name
	case full:
		return m.Name + "[" + instance + "]"
	}
	return instance
}

// summary describes a metric, and the rate that its values are.
func (m *Metric) summary() string {
	if m.Counter == nil {
		return string(format.AppendSummary(nil, &m.Desc))
	}
	text := string(format.AppendSummary(nil, m.Counter))
	if m.Desc.Units.Dimensionless() {
		return text + "; rate without units"
	}
	return text + "; rate in " + string(format.AppendUnits(nil, m.Desc.Units))
}

// Close implements Writer: it tells which instances the table lacks.
func (t *tableWriter) Close() error {
	if len(t.late) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(t.w, "%s\n", textwidth.Cut("came later, without a column: "+strings.Join(t.late, ", "), t.opt.Width))
	return err
}
