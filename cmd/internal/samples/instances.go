package samples

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// An instanceWriter writes a line for each instance below a header with the time of the sample, and a
// column for each label. Metrics without instances have a line of their own. The instances of several hosts are lines of
// their own too; those of one metric share a line, with a column for each host, if these fit the width.
type instanceWriter struct {
	text
	h       *sampling.Header
	opt     Options
	times   timeForm
	columns []labelColumn
	names   int // width of the names of instances
	rows    []instanceRow
	at      map[instanceKey]int // into rows
	room    int                 // for them
	noted   int                 // how many columns were shown when a line said so
	begun   bool                // a recording has had values
	none    string              // in the place of a value that there is not
	sides   bool                // columns are of hosts
	hosts   int                 // width of the names of hosts; 0 for one source
}

// A labelColumn is the metrics of a label, which have different instances.
type labelColumn struct {
	label   string
	host    string // whose values the column has; "" for all
	metrics []int
	width   int
	number  int // width of the numbers
	numbers format.Numbers
	chosen  bool   // numbers are
	left    bool   // cells are aligned at their left
	none    string // in the place of values of a host that has not answered
}

// An instanceKey tells the lines of a sample apart.
type instanceKey struct {
	indom pcp.InDom
	inst  int32
	host  string
}

// An instanceRow is the values of an instance, by column, or what there is instead.
type instanceRow struct {
	name  string
	host  int // its place
	depth int // 1 for an instance of the host
	cells []pcp.Value
	note  string
}

// allName is the name of the line of metrics without instances.
const allName = "all"

// wantsInstances reports whether a table has a line for each instance: that is how reports look.
func wantsInstances(h *sampling.Header) bool {
	several := false
	for i := range h.Metrics {
		if look := h.Metrics[i].Look; look == nil || !look.Rows {
			return false
		}
		several = several || !h.Metrics[i].Singular()
	}
	return several
}

// usualLook is that of what is no column of a report.
var usualLook = &sampling.Look{Unit: true}

// lookOf returns the Look of a metric.
func lookOf(m *sampling.Metric) *sampling.Look { return cmp.Or(m.Look, usualLook) }

// newInstances returns a Writer of a line for each instance.
func newInstances(w io.Writer, h *sampling.Header, opt *Options) *instanceWriter {
	t := &instanceWriter{text: text{w: w}, h: h, opt: *opt, times: timeForm{h: h}}
	if t.sides = h.Hosts != nil && len(h.Metrics) == 1 && h.Metrics[0].Look == nil && !h.Metrics[0].Singular(); !t.sides {
		t.byLabel()
		return t
	}
	for _, host := range h.Hosts {
		t.columns = append(t.columns, labelColumn{label: textwidth.Clean(host), host: host, metrics: []int{0}, left: h.Metrics[0].Desc.Type == pcp.String})
	}
	return t
}

// byLabel makes a column for each label.
func (t *instanceWriter) byLabel() {
	t.columns, t.sides = nil, false
	for _, host := range t.h.Hosts {
		t.hosts = max(t.hosts, textwidth.Width(textwidth.Clean(host)))
	}
	byLabel := make(map[string]int)
	for i := range t.h.Metrics {
		m := &t.h.Metrics[i]
		label := textwidth.Clean(m.Title())
		k, known := byLabel[label]
		if !known || t.taken(k, m) {
			k = len(t.columns)
			byLabel[label] = k
			t.columns = append(t.columns, labelColumn{label: label, left: m.Desc.Type == pcp.String})
		}
		t.columns[k].metrics = append(t.columns[k].metrics, i)
	}
}

// taken reports whether a column has a metric with the instances of m.
func (t *instanceWriter) taken(column int, m *sampling.Metric) bool {
	for _, i := range t.columns[column].metrics {
		if t.h.Metrics[i].Desc.InDom == m.Desc.InDom {
			return true
		}
	}
	return false
}

// Sample implements Writer.
func (t *instanceWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	if err := t.gather(ctx, s); err != nil {
		return err
	}
	if t.begun = t.begun || t.h.Live || len(t.rows) > 0; !t.begun {
		return nil
	}
	stamp := t.opt.zoned(&t.times, s)
	t.none = "-"
	if s.Average {
		t.none = ""
	}
	shown, gap, own := t.fit(textwidth.Width(stamp))
	if t.sides && shown < len(t.columns) {
		t.byLabel()
		return t.Sample(ctx, s)
	}
	if t.opt.Header != NoHeader {
		t.header(stamp, shown, gap, own)
	}
	for i, row := range t.rows {
		if row.note != "" {
			t.b = append(append(t.b, textwidth.Cut(row.name+gap+row.note, t.opt.Width)...), '\n')
			continue
		}
		t.line(shortened(row.name, t.room), shown, gap, func(b []byte, k int) []byte { return t.cell(b, k, row.cells[k]) })
		if err := t.next(ctx, i); err != nil {
			return err
		}
	}
	return t.flush()
}

// gather collects the values of a sample by instances, in the order of the sets, and makes room for them.
func (t *instanceWriter) gather(ctx context.Context, s *sampling.Sample) error {
	t.rows, t.at = t.rows[:0], make(map[instanceKey]int)
	for k := range t.columns {
		c := &t.columns[k]
		for _, i := range c.metrics {
			m, set := &t.h.Metrics[i], &s.Sets[i]
			if err := t.measure(ctx, c, m, set); err != nil {
				return err
			}
			for j := range set.Len() {
				if err := sampling.Ended(ctx, j); err != nil {
					return err
				}
				v := set.At(j)
				if c.host == "" || c.host == v.Host {
					t.row(m, &v).cells[k] = v.Value
				}
				if !m.Desc.Type.Arithmetic() {
					c.width = max(c.width, min(textwidth.Width(t.label(v.Value)), widestCell))
				}
			}
		}
	}
	t.absent(s)
	return nil
}

// absent tells which hosts have not answered, in their columns or lines, which it puts into the order of the hosts.
func (t *instanceWriter) absent(s *sampling.Sample) {
	for k := range t.columns {
		c := &t.columns[k]
		c.none = absentText(s.Absent[c.host])
		c.width = max(c.width, len(c.none))
	}
	if t.sides || t.h.Hosts == nil {
		return
	}
	for i, host := range t.h.Hosts {
		if text := absentText(s.Absent[host]); text != "" {
			t.names = max(t.names, min(textwidth.Width(host), widestCell))
			t.rows = append(t.rows, instanceRow{name: textwidth.Clean(host), host: i, note: text})
		}
	}
	slices.SortStableFunc(t.rows, func(a, b instanceRow) int { return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.depth, b.depth)) })
}

// widestCell is how wide a column is made for the sake of text that is not a number, or of a name.
const widestCell = 40

// measure makes room in a column for numbers.
func (t *instanceWriter) measure(ctx context.Context, c *labelColumn, m *sampling.Metric, set *sampling.Set) (err error) {
	c.width = max(c.width, textwidth.Width(c.label), lookOf(m).Width)
	if !m.Desc.Type.Arithmetic() || set.Len() == 0 {
		return nil
	}
	if !c.chosen {
		c.numbers, c.number, err = set.Numbers(ctx, t.opt.formOf(t.h, m), m)
		c.chosen = true
	} else {
		var width int
		width, err = set.Fit(ctx, &c.numbers)
		c.number = max(c.number, width)
	}
	if !lookOf(m).Unit {
		c.numbers.Unit = ""
	}
	c.width = max(c.width, c.number, textwidth.Width(c.numbers.Unit))
	return err
}

// row returns the row of an instance.
func (t *instanceWriter) row(m *sampling.Metric, v *sampling.Value) *instanceRow {
	key, name, depth := instanceKey{m.Desc.InDom, v.ID, v.Host}, textwidth.Clean(v.Instance), 0
	switch {
	case t.sides: // the identifiers of each host are its own
		key = instanceKey{host: v.Instance}
	case m.Singular() && v.Host == "":
		key, name = instanceKey{indom: pcp.NullInDom}, allName
	case m.Singular():
		key.inst, name = pcp.NullInst, textwidth.Clean(v.Host)
	case v.Host != "":
		name, depth = string(textwidth.AppendPad(nil, textwidth.Clean(v.Host), t.hosts, false))+gap+name, 1
	}
	i, known := t.at[key]
	if !known {
		i = len(t.rows)
		t.at[key] = i
		t.names = max(t.names, min(textwidth.Width(name), widestCell))
		t.rows = append(t.rows, instanceRow{name: name, host: slices.Index(t.h.Hosts, v.Host), depth: depth, cells: make([]pcp.Value, len(t.columns))})
	}
	return &t.rows[i]
}

// leastRow is how far the names of instances are cut for the sake of columns.
const leastRow = 16

// fit returns the number of columns that fit the width, their separator, and whether the time, whose width is stamp,
// needs a line of its own. It sets the width of names.
func (t *instanceWriter) fit(stamp int) (shown int, between string, own bool) {
	least := min(t.names, leastRow)
	if t.sides { // the metric stands beside the time
		stamp = 0
	}
	for _, x := range []struct {
		names   int
		between string
	}{{max(t.names, stamp), gap}, {max(t.names, stamp), " "}, {max(least, stamp), " "}, {least, " "}} {
		used := x.names
		for shown = 0; shown < len(t.columns); shown++ {
			if used += len(x.between) + t.columns[shown].width; t.opt.Width > 0 && !t.opt.Wide && used > t.opt.Width && shown > 0 {
				used -= len(x.between) + t.columns[shown].width
				break
			}
		}
		if t.room, between = x.names, x.between; t.opt.Width > used && x.names < t.names {
			t.room = min(t.names, x.names+t.opt.Width-used)
		}
		if shown == len(t.columns) && (t.opt.Width == 0 || t.opt.Wide || used <= t.opt.Width) {
			break
		}
	}
	return shown, between, t.room < stamp || t.sides
}

// shortened cuts a name to a width. A process loses its arguments and the directory of its program first.
func shortened(name string, width int) string {
	pid, path, ok := strings.Cut(name, " /")
	if ok && textwidth.Width(name) > width {
		program, _, _ := strings.Cut(path, " ")
		name = pid + " " + program[strings.LastIndexByte(program, '/')+1:]
	}
	return textwidth.Middle(name, width)
}

// header writes the time, in a line of its own if it needs one, the labels and the units.
func (t *instanceWriter) header(stamp string, shown int, between string, own bool) {
	start := len(t.b)
	if shown < len(t.columns) && shown != t.noted {
		t.noted = shown
		var names []string
		for _, c := range t.columns[shown:] {
			names = append(names, c.label)
		}
		for _, line := range leftOut(shown, len(t.columns), names, t.opt.Width) {
			t.b = append(append(t.b, textwidth.Cut(line, t.opt.Width)...), '\n')
		}
	}
	if t.sides {
		stamp += gap + textwidth.Clean(t.h.Metrics[0].Name)
	}
	if own {
		t.b = append(append(t.b, textwidth.Cut(stamp, t.opt.Width)...), '\n')
		stamp = ""
	}
	units := false
	t.line(stamp, shown, between, func(b []byte, k int) []byte {
		c := &t.columns[k]
		units = units || c.numbers.Unit != ""
		return textwidth.AppendPad(b, c.label, c.width, !c.left)
	})
	if units {
		t.line("", shown, between, func(b []byte, k int) []byte {
			return textwidth.AppendPad(b, t.columns[k].numbers.Unit, t.columns[k].width, true)
		})
	}
	if t.opt.Color && t.opt.Width > 0 {
		t.dim(start)
	}
}

// line writes a line: a name, and a cell for each column that is shown.
func (t *instanceWriter) line(name string, shown int, between string, cell func(b []byte, column int) []byte) {
	b := textwidth.AppendPad([]byte(nil), name, t.room, false)
	for k := range shown {
		b = cell(append(b, between...), k)
	}
	text := strings.TrimRight(string(b), " ")
	if t.opt.Width > 0 && !t.opt.Wide {
		text = textwidth.Cut(text, t.opt.Width)
	}
	t.b = append(append(t.b, text...), '\n')
}

// cell appends a value.
func (t *instanceWriter) cell(b []byte, column int, v pcp.Value) []byte {
	c := &t.columns[column]
	switch {
	case !v.IsSet():
		return textwidth.AppendPad(b, cmp.Or(c.none, t.none), c.width, !c.left)
	case !v.Type().Arithmetic():
		return textwidth.AppendPad(b, textwidth.Middle(t.label(v), c.width), c.width, !c.left)
	}
	return textwidth.AppendPad(b, string(c.numbers.AppendAligned(nil, v, c.number)), c.width, true)
}

// label returns the text of a value that is not a number; a string has no quotes.
func (t *instanceWriter) label(v pcp.Value) string {
	if v.Type() == pcp.String {
		return textwidth.Clean(string(v.Bytes()))
	}
	return t.opt.cell(v)
}

// Close implements Writer.
func (t *instanceWriter) Close() error { return nil }
