package samples

import (
	"context"
	"strings"

	"pmtools/internal/textwidth"
	"pmtools/lib/sampling"
)

// tableHeads are what stands above the columns of a table: groups, which are metrics above their
// instances or the common parent of several names, then the names of the columns, then their units.
type tableHeads struct {
	gap    string      // between columns
	prefix string      // of all names, if it is left out
	groups []headGroup // nil where no group has a name
	names  []string    // of metrics that are one column
	shown  [][]string  // of instances, as they are shown; nil for all as they are
	units  bool        // some metric has a unit
}

// A headGroup is adjacent metrics under a common name, or a single column without one.
type headGroup struct {
	name     string
	from, to int // the metrics
}

// gap stands between columns, if there is room.
const gap = "  "

// lines returns how many lines the header has.
func (h *tableHeads) lines() int {
	n := 1
	if h.groups != nil {
		n++
	}
	if h.units {
		n++
	}
	return n
}

// labelOf returns the name of a value for people: the label of a report stands for the name of the metric.
func labelOf(m *sampling.Metric, instance string, full bool) string {
	if m.Look == nil || !full {
		return m.Label(instance, full)
	}
	titled := sampling.Metric{Name: m.Title(), Desc: m.Desc}
	return titled.Label(instance, full)
}

// label returns the whole name of a column.
func (t *tableWriter) label(metric, place int) string {
	m := &t.h.Metrics[metric]
	if place < 0 || m.Singular() {
		return textwidth.Clean(m.Title())
	}
	return textwidth.Clean(labelOf(m, t.chosen[metric].names[place], len(t.h.Metrics) > 1))
}

// arrange chooses the heads and the widths of the columns: if there is not room for all, a common
// prefix of the names goes first, then blanks between columns, then parts of names. A single sample
// that does not fit then is written in another way.
func (t *tableWriter) arrange() {
	t.plain(false)
	if t.fits() || t.opt.Width == 0 {
		return
	}
	t.plain(true)
	if t.fits() || t.h.Samples == 1 {
		return
	}
	t.heads.gap = " "
	if t.widen(); t.fits() {
		return
	}
	for most := min(t.widestName()-1, t.opt.Width); most >= leastName; most-- {
		if t.cut(most); t.fits() {
			return
		}
	}
}

// leastName is how far names are cut at most.
const leastName = 8

// fits reports whether all columns fit the width.
func (t *tableWriter) fits() bool {
	shown, all := t.shown()
	return shown == all
}

// plain arranges whole names, with or without the prefix that all metrics have.
func (t *tableWriter) plain(short bool) {
	t.heads = tableHeads{gap: gap, names: make([]string, len(t.h.Metrics))}
	var groups []headGroup
	named := false
	for i := 0; i < len(t.h.Metrics); i++ {
		m := &t.h.Metrics[i]
		g := headGroup{from: i, to: i + 1}
		t.heads.names[i] = textwidth.Clean(m.Title())
		switch parent := parentOf(m.Name); {
		case !t.single(i):
			g.name = t.heads.names[i]
		case m.Look != nil:
		case parent != "":
			for ; g.to < len(t.h.Metrics) && t.single(g.to) && parentOf(t.h.Metrics[g.to].Name) == parent; g.to++ {
			}
			if g.to-g.from < 2 {
				break
			}
			for g.name = parent; i < g.to; i++ {
				t.heads.names[i] = t.h.Metrics[i].Name[len(parent)+1:]
			}
			i--
		}
		named = named || g.name != ""
		groups = append(groups, g)
	}
	for i := range t.chosen {
		t.heads.units = t.heads.units || t.chosen[i].numbers.Unit != ""
	}
	if t.heads.groups = groups; short {
		t.dropPrefix()
	}
	if !named {
		t.heads.groups = nil
	}
	t.widen()
}

// single reports whether a metric is one column under its own name.
func (t *tableWriter) single(metric int) bool {
	m, c := &t.h.Metrics[metric], &t.chosen[metric]
	return m.Singular() || c.all == 0 || c.all == 1 && c.names != nil && m.Label(c.names[0], true) == m.Name
}

// parentOf returns the part of a metric name before its last dot; "" for other texts.
func parentOf(name string) string {
	for _, r := range name {
		if r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return ""
		}
	}
	return name[:max(strings.LastIndexByte(name, '.'), 0)]
}

// leastPrefix is the length of the shortest prefix that is left out.
const leastPrefix = 3

// dropPrefix leaves out the prefix that the names in the upper line have in common, if there are
// several.
func (t *tableWriter) dropPrefix() {
	var names []*string
	for i := range t.heads.groups {
		if g := &t.heads.groups[i]; g.name != "" {
			names = append(names, &g.name)
		} else {
			names = append(names, &t.heads.names[g.from])
		}
	}
	if len(names) < 2 {
		return
	}
	prefix := parentOf(*names[0])
	for _, name := range names[1:] {
		for prefix != "" && (parentOf(*name) == "" || !strings.HasPrefix(*name, prefix+".")) {
			prefix = parentOf(prefix)
		}
	}
	if len(prefix) < leastPrefix {
		return
	}
	t.heads.prefix = prefix
	for _, name := range names {
		*name = (*name)[len(prefix)+1:]
	}
}

// widestName returns the width of the widest name.
func (t *tableWriter) widestName() (most int) {
	for _, g := range t.heads.groups {
		most = max(most, textwidth.Width(g.name))
	}
	for i := range t.chosen {
		if most = max(most, textwidth.Width(t.heads.names[i])); t.single(i) {
			continue
		}
		for _, name := range t.chosen[i].names {
			most = max(most, textwidth.Width(name))
		}
	}
	return most
}

// cut cuts names to a width, or to so much more that they differ.
func (t *tableWriter) cut(most int) {
	t.plain(true)
	t.heads.gap = " "
	t.heads.names = textwidth.Distinct(t.heads.names, most)
	t.heads.shown = make([][]string, len(t.chosen))
	for i := range t.chosen {
		t.heads.shown[i] = textwidth.Distinct(t.chosen[i].names, most)
	}
	t.cutGroups(most)
	t.widen()
}

// cutGroups cuts the names of groups to a width, but not to less than their columns have.
func (t *tableWriter) cutGroups(most int) {
	groups := t.heads.groups
	t.heads.groups = nil
	t.widen()
	t.heads.groups = groups
	whole, seen := make([]string, len(groups)), make(map[string]string)
	alike := false
	for i := range groups {
		g := &groups[i]
		whole[i] = g.name
		g.name = textwidth.Middle(g.name, max(most, t.span(g.from, g.to)))
		other, taken := seen[g.name]
		alike = alike || taken && other != whole[i]
		seen[g.name] = whole[i]
	}
	if alike {
		for i, name := range textwidth.Distinct(whole, most) {
			groups[i].name = name
		}
	}
}

// name returns the name of a column as it is shown. That of the only sample is the instance of its value.
func (t *tableWriter) name(metric, place int, s *sampling.Sample) string {
	c := &t.chosen[metric]
	switch {
	case place < 0 || t.single(metric):
		return t.heads.names[metric]
	case t.heads.shown != nil:
		return t.heads.shown[metric][place]
	case c.names != nil:
		return c.names[place]
	}
	return textwidth.Clean(s.Sets[metric].At(place).Instance)
}

// widen makes columns as wide as their values, their names and their units, and the last of a group so
// wide that its name fits.
func (t *tableWriter) widen() {
	for i := range t.chosen {
		c := &t.chosen[i]
		if t.opt.Width > 0 {
			for k := range c.widths {
				c.widths[k] = int32(max(c.number, int(c.cells[k]), textwidth.Width(t.name(i, k, nil))))
			}
		} else if t.single(i) && len(c.widths) > 0 {
			c.widths[0] = max(c.widths[0], int32(textwidth.Width(t.heads.names[i])))
		}
		unit := textwidth.Width(c.numbers.Unit)
		if t.opt.Width == 0 {
			for k := range c.widths {
				c.widths[k] = max(c.widths[k], int32(unit))
			}
		}
		t.stretch(i, i+1, unit)
	}
	for _, g := range t.heads.groups {
		t.stretch(g.from, g.to, textwidth.Width(g.name))
	}
}

// stretch makes the last column of metrics so wide that a text fits above them.
func (t *tableWriter) stretch(from, to, width int) {
	if c := &t.chosen[to-1]; len(c.widths) > 0 {
		c.widths[len(c.widths)-1] += int32(max(width-t.span(from, to), 0))
	}
}

// span returns the width of the columns of metrics, with separators.
func (t *tableWriter) span(from, to int) int {
	width := -len(t.heads.gap)
	for i := from; i < to; i++ {
		for _, w := range t.chosen[i].widths {
			width += int(w) + len(t.heads.gap)
		}
		if t.chosen[i].all == 0 {
			width += textwidth.Width(t.heads.names[i]) + len(t.heads.gap)
		}
	}
	return width
}

// header writes the header.
func (t *tableWriter) header(ctx context.Context, s *sampling.Sample) error {
	if t.opt.Header == NoHeader {
		return nil
	}
	t.note()
	if t.opt.Color && t.opt.Width > 0 { // then no piece of it is handed on before its end
		defer t.dim(len(t.b))
	}
	first, below := t.firstColumn()
	if t.heads.groups != nil {
		t.spans(first, t.heads.groups, func(g headGroup) string { return g.name })
		first, below = below, ""
	}
	err := t.line(ctx, first, func(dst []byte, metric, place, width int) []byte {
		return textwidth.AppendPad(dst, t.name(metric, place, s), width, t.right(metric, place))
	})
	if err != nil || !t.heads.units {
		return err
	}
	return t.unitLine(ctx, below)
}

// unitLine writes the line of units: above each column or, where they are wider than that, once above
// all columns of a metric.
func (t *tableWriter) unitLine(ctx context.Context, first string) error {
	fit := true
	var metrics []headGroup
	for i := range t.chosen {
		metrics = append(metrics, headGroup{from: i, to: i + 1})
		for _, w := range t.chosen[i].widths {
			fit = fit && textwidth.Width(t.chosen[i].numbers.Unit) <= int(w)
		}
	}
	if !fit {
		t.spans(first, metrics, func(g headGroup) string { return t.chosen[g.from].numbers.Unit })
		return nil
	}
	return t.line(ctx, first, func(dst []byte, metric, place, width int) []byte {
		return textwidth.AppendPad(dst, t.chosen[metric].numbers.Unit, width, true)
	})
}

// longestRule is how long the line after a name above several columns is at most.
const longestRule = 200

// spans writes a line of texts above groups of columns, with a rule as far as a group goes.
func (t *tableWriter) spans(first string, groups []headGroup, text func(headGroup) string) {
	start := len(t.b)
	t.b = textwidth.AppendPad(t.b, first, t.timeWidth(), false)
	shown, _ := t.shown()
	columns, widths := make([]int, len(t.chosen)), make([]int, len(t.chosen))
	step := 0
	t.columns(func(metric, _, width int) bool {
		if step++; step <= shown {
			columns[metric]++
			widths[metric] += width + len(t.heads.gap)
		}
		return step < shown
	})
	for _, g := range groups {
		count, width := 0, -len(t.heads.gap)
		for i := g.from; i < g.to; i++ {
			count += columns[i]
			width += widths[i]
		}
		if count == 0 {
			break
		}
		name := textwidth.Middle(text(g), max(width, 1))
		if rule := width - textwidth.Width(name) - 1; count > 1 && rule > 0 && name != "" {
			name += " " + strings.Repeat("-", min(rule, longestRule))
		}
		t.b = textwidth.AppendPad(append(t.b, t.heads.gap...), name, width, count == 1 && t.right(g.from, 0))
	}
	t.endLine(start)
}
