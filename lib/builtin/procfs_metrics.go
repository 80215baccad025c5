package builtin

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Lists of metrics are texts, one metric a line:
//
//	name  cluster.item  type  indom  semantics  units  value  help
//
// with "-" for no instance domain. Units are written as pminfo shows them, without
// blanks. The value says which cells it comes from (see procfsTerms); "-" is a
// metric that is known, but has no values. The help is a sentence up to the end of
// the line; if it is missing, one is made from the value.

// A procfsCatalog is what the lists of metrics of a collector refer to.
type procfsCatalog struct {
	tables map[string]*procfsTable
	files  map[string]string // what a table is read from, for help texts
	indoms map[string]*pmda.InDom
	units  map[string]pcp.Units // that were read before
}

// procfsType returns the type that has a name in lists of metrics.
func procfsType(name string) (pcp.Type, bool) {
	for t := pcp.Int32; t <= pcp.String; t++ {
		if t.String() == name {
			return t, true
		}
	}
	return pcp.Unknown, false
}

// metrics reads a list of metrics.
func (c *procfsCatalog) metrics(text string) ([]pmda.Metric, error) {
	var metrics []pmda.Metric
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m, err := c.metric(line)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

// metric reads a line of a list of metrics.
func (c *procfsCatalog) metric(line string) (pmda.Metric, error) {
	var f [7]string
	for i := range f {
		var ok bool
		f[i], line, ok = strings.Cut(strings.TrimLeft(line, " \t"), " ")
		if f[i] == "" || !ok && i < len(f)-1 {
			return pmda.Metric{}, fmt.Errorf("%d fields", i)
		}
	}
	m := pmda.Metric{Name: f[0], OneLine: strings.TrimSpace(line)}
	cluster, item, _ := strings.Cut(f[1], ".")
	c1, err1 := strconv.ParseUint(cluster, 10, 12)
	i1, err2 := strconv.ParseUint(item, 10, 10)
	if err1 != nil || err2 != nil {
		return m, fmt.Errorf("bad identifier %s", f[1])
	}
	m.Cluster, m.Item = uint32(c1), uint32(i1)
	var ok bool
	if m.Type, ok = procfsType(f[2]); !ok {
		return m, fmt.Errorf("unknown type %s", f[2])
	}
	if f[3] != "-" {
		if m.InDom = c.indoms[f[3]]; m.InDom == nil {
			return m, fmt.Errorf("unknown instance domain %s", f[3])
		}
	}
	switch f[4] {
	case "counter":
		m.Sem = pcp.Counter
	case "instant":
		m.Sem = pcp.Instant
	case "discrete":
		m.Sem = pcp.Discrete
	default:
		return m, fmt.Errorf("unknown semantics %s", f[4])
	}
	var err error
	if m.Units, err = c.unit(f[5]); err != nil {
		return m, err
	}
	return m, c.bind(&m, f[6])
}

// unit reads units. There are few different ones.
func (c *procfsCatalog) unit(text string) (pcp.Units, error) {
	if text == "none" {
		return pcp.Units{}, nil
	}
	u, ok := c.units[text]
	if !ok {
		var err error
		if u, _, err = pcp.ParseUnits(strings.ReplaceAll(text, "/", " / ")); err != nil {
			return u, err
		}
		if c.units == nil {
			c.units = map[string]pcp.Units{}
		}
		c.units[text] = u
	}
	return u, nil
}

// bind gives a metric its values.
func (c *procfsCatalog) bind(m *pmda.Metric, value string) error {
	if value == "-" {
		if m.OneLine == "" {
			m.OneLine = "Not told by this system"
		}
		m.Help = m.OneLine
		m.Fetch = func(*pmda.Column) error { return pmerr.AppVersion }
		return nil
	}
	if before, terms, ok := strings.Cut(value, "sum:"); ok && before == "" {
		t, name, err := c.parse(terms)
		if err != nil {
			return err
		}
		t.help(m, c.files[name], "sum of ")
		m.Needs, m.Fetch = t.table.reading, t.sum
		return nil
	}
	t, name, err := c.parse(value)
	if err != nil {
		return err
	}
	t.help(m, c.files[name], "")
	m.Needs, m.Fetch = t.table.reading, t.fetch
	return nil
}

// A procfsTerms is how a value is made from cells of a row: their sum, multiplied
// and divided.
//
//	table:key+key-key*2/3
//
// A "?" after a key says that the cell counts as zero if it is empty, otherwise there is no
// value then. A "!" at the end makes negative results zero. Sum: before it says that
// the value is the sum over all rows. Calculations are those of 64-bit unsigned
// numbers, unless a cell is not an integer.
type procfsTerms struct {
	table *procfsTable
	terms []procfsTerm
	text  string
	mul   uint64
	div   uint64
	floor bool
}

// A procfsTerm is one cell.
type procfsTerm struct {
	slot     int
	minus    bool
	optional bool
}

// parse reads the text of terms, and returns the name of the table.
func (c *procfsCatalog) parse(text string) (*procfsTerms, string, error) {
	name, keys, ok := strings.Cut(text, ":")
	if c.tables[name] == nil || !ok {
		return nil, "", fmt.Errorf("unknown table %q", name)
	}
	t := &procfsTerms{table: c.tables[name], text: keys, mul: 1, div: 1}
	keys, t.floor = strings.CutSuffix(keys, "!")
	var err error
	if before, n, ok := strings.Cut(keys, "/"); ok && err == nil {
		keys = before
		t.div, err = strconv.ParseUint(n, 10, 32)
	}
	if before, n, ok := strings.Cut(keys, "*"); ok && err == nil {
		keys = before
		t.mul, err = strconv.ParseUint(n, 10, 32)
	}
	if err != nil || t.div == 0 {
		return nil, "", fmt.Errorf("bad number in %q", text)
	}
	for keys != "" {
		var term procfsTerm
		if term.minus = keys[0] == '-'; term.minus || keys[0] == '+' {
			keys = keys[1:]
		}
		end := strings.IndexAny(keys, "+-")
		if end < 0 {
			end = len(keys)
		}
		key, optional := strings.CutSuffix(keys[:end], "?")
		if key == "" {
			return nil, "", fmt.Errorf("empty key in %q", text)
		}
		term.slot, term.optional = t.table.slot(key), optional
		t.terms = append(t.terms, term)
		keys = keys[end:]
	}
	return t, name, nil
}

// help gives a metric without help the text that says where its value comes from.
func (t *procfsTerms) help(m *pmda.Metric, file, how string) {
	where := how + strings.ReplaceAll(strings.TrimSuffix(t.text, "!"), "?", "") + " in " + file
	if m.OneLine == "" {
		m.OneLine, m.Help = where, "Value: "+where
		return
	}
	m.Help = m.OneLine + "\nValue: " + where
}

// value calculates the value for a row.
func (t *procfsTerms) value(r *procfsRow) (v procfsCell, ok bool) {
	if len(t.terms) == 1 {
		v = r.cells[t.terms[0].slot]
	} else if v.kind, v.num, ok = procfsNumber, t.total(r), t.complete(r); !ok {
		return v, false
	}
	switch v.kind {
	case procfsNone:
		return v, len(t.terms) == 1 && t.terms[0].optional
	case procfsNumber:
		v.num = v.num * t.mul / t.div
		if t.floor && int64(v.num) < 0 {
			v.num = 0
		}
	case procfsFloat:
		v.num = math.Float64bits(v.real() * float64(t.mul) / float64(t.div))
	}
	return v, true
}

// total adds the integer cells of a row.
func (t *procfsTerms) total(r *procfsRow) uint64 {
	var sum uint64
	for _, term := range t.terms {
		switch c := &r.cells[term.slot]; {
		case c.kind != procfsNumber:
		case term.minus:
			sum -= c.num
		default:
			sum += c.num
		}
	}
	return sum
}

// complete reports whether no cell of a row is empty that must not be.
func (t *procfsTerms) complete(r *procfsRow) bool {
	for _, term := range t.terms {
		if !term.optional && r.cells[term.slot].kind != procfsNumber {
			return false
		}
	}
	return true
}

// fetch puts the values of all rows into a column.
func (t *procfsTerms) fetch(col *pmda.Column) error {
	for i := range t.table.rows {
		r := &t.table.rows[i]
		if !col.Selects(r.inst) {
			continue
		}
		v, ok := t.value(r)
		if !ok {
			continue
		}
		switch v.kind {
		case procfsText:
			col.Bytes(r.inst, v.text)
		case procfsFloat:
			col.Float(r.inst, v.real())
		default:
			col.Uint(r.inst, v.num)
		}
	}
	return nil
}

// sum puts the sum over all rows into a column.
func (t *procfsTerms) sum(col *pmda.Column) error {
	var sum uint64
	for i := range t.table.rows {
		if v, ok := t.value(&t.table.rows[i]); ok {
			sum += v.num
		}
	}
	col.Uint(pcp.NullInst, sum)
	return nil
}
