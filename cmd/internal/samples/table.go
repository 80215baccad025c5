package samples

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

// maxRows is how many samples a table has at most. More of them become several tables.
const maxRows = 1000

// A tableWriter draws tables below a line for each metric: a row for each sample and a column for
// each value, in as many tables as the width needs.
type tableWriter struct {
	w       io.Writer
	h       *Header
	opt     Options
	paint   Draw
	times   []string // of the rows that are not drawn yet
	columns [][]tableColumn
	begun   bool
}

// A tableColumn is the values of one instance of a metric.
type tableColumn struct {
	id    int32
	head  string
	cells []string // of the rows up to the last that has a value
	width int
	right bool
}

// Draw draws rows of text in columns below a header. Columns are aligned at their right where right
// says so.
type Draw func(w io.Writer, header []string, rows [][]string, right []bool) error

// NewTable returns a Writer of tables. Live samples are drawn as they come.
func NewTable(w io.Writer, h *Header, opt *Options, draw Draw) (Writer, error) {
	return &tableWriter{w: w, h: h, opt: *opt, paint: draw, columns: make([][]tableColumn, len(h.Metrics))}, nil
}

// Sample implements Writer.
func (t *tableWriter) Sample(s *Sample) error {
	s.sort()
	row := len(t.times)
	t.times = append(t.times, s.Time.Time().In(t.h.zone()).Format("2006-01-02 15:04:05.000000"))
	for i := range s.Sets {
		for _, v := range s.Sets[i].Values {
			c := t.column(i, &v)
			for len(c.cells) < row {
				c.cells = append(c.cells, "-")
			}
			c.cells = append(c.cells[:row], t.cell(v.Value))
			c.width = max(c.width, utf8.RuneCountInString(c.cells[row]))
		}
	}
	if t.opt.Live || len(t.times) >= maxRows {
		return t.Close()
	}
	return nil
}

// cell returns the text of a value for people.
func (t *tableWriter) cell(v pcp.Value) string {
	switch typ := v.Type(); {
	case !v.IsSet():
		return "-"
	case t.opt.Precision >= 0 && (typ == pcp.Float || typ == pcp.Double):
		return string(format.AppendFixed(nil, number(v), 1, t.opt.Precision))
	}
	return string((*format.Options)(nil).AppendOne(nil, v, 1))
}

// column returns the column of a value. Columns are in the order of their identifiers.
func (t *tableWriter) column(metric int, v *Value) *tableColumn {
	list := t.columns[metric]
	at, found := slices.BinarySearchFunc(list, v.ID, func(c tableColumn, id int32) int { return cmp.Compare(c.id, id) })
	if !found {
		m := &t.h.Metrics[metric]
		c := tableColumn{id: v.ID, head: m.label(v.Instance, len(t.h.Metrics) > 1), right: m.Desc.Type != pcp.String}
		c.width = utf8.RuneCountInString(c.head)
		list = slices.Insert(list, at, c)
		t.columns[metric] = list
	}
	return &list[at]
}

// label returns what a column or a line of a metric is called; full has the metric in front of an
// instance.
func (m *Metric) label(instance string, full bool) string {
	switch {
	case m.singular():
		return m.Name
	case full:
		return m.Name + "[" + instance + "]"
	}
	return instance
}

// Close implements Writer: it draws the rows that wait.
func (t *tableWriter) Close() error {
	if len(t.times) == 0 {
		return nil
	}
	if !t.begun {
		t.begun = true
		for i := range t.h.Metrics {
			fmt.Fprintf(t.w, "%s: %s\n", t.h.Metrics[i].Name, t.h.Metrics[i].summary())
		}
	}
	var all []tableColumn
	for i := range t.columns {
		all = append(all, t.columns[i]...)
		t.columns[i] = nil
	}
	for first := true; first || len(all) > 0; first = false {
		if !first {
			fmt.Fprintln(t.w)
		}
		n := t.fitting(all)
		if err := t.draw(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	t.times = t.times[:0]
	return nil
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

// timeWidth is the width of the column of times with the gap after it.
const timeWidth = 28

// fitting returns how many columns fit beside each other, at least one if there is one.
func (t *tableWriter) fitting(columns []tableColumn) int {
	used := timeWidth
	for i := range columns {
		if used += columns[i].width + 2; t.opt.Width > 0 && used > t.opt.Width && i > 0 {
			return i
		}
	}
	return len(columns)
}

// draw draws a table of some columns.
func (t *tableWriter) draw(columns []tableColumn) error {
	header, right := []string{"time"}, []bool{false}
	rows := make([][]string, len(t.times))
	for j, at := range t.times {
		rows[j] = []string{at}
	}
	for _, c := range columns {
		header, right = append(header, c.head), append(right, c.right)
		for j := range rows {
			cell := "-"
			if j < len(c.cells) {
				cell = c.cells[j]
			}
			rows[j] = append(rows[j], cell)
		}
	}
	return t.paint(t.w, header, rows, right)
}
