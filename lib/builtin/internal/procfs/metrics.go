package procfs

import (
	"fmt"
	"math"
	"slices"
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
// blanks. The value says which cells it comes from (see terms); "-" is a
// metric that is known, but has no values. The help is a sentence up to the end of
// the line; if it is missing, one is made from the value.

// A Catalog is what the lists of metrics of a collector refer to.
type Catalog struct {
	Tables map[string]*Table
	Files  map[string]string // what a table is read from, for help texts
	InDoms map[string]*pmda.InDom
	units  map[string]pcp.Units // that were read before
}

// typeOf returns the type that has a name in lists of metrics.
func typeOf(name string) (pcp.Type, bool) {
	for t := pcp.Int32; t <= pcp.String; t++ {
		if t.String() == name {
			return t, true
		}
	}
	return pcp.Unknown, false
}

// Metrics reads a list of metrics.
func (c *Catalog) Metrics(text string) ([]pmda.Metric, error) {
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
func (c *Catalog) metric(line string) (pmda.Metric, error) {
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
	if m.Type, ok = typeOf(f[2]); !ok {
		return m, fmt.Errorf("unknown type %s", f[2])
	}
	if f[3] != "-" {
		if m.InDom = c.InDoms[f[3]]; m.InDom == nil {
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
func (c *Catalog) unit(text string) (pcp.Units, error) {
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
func (c *Catalog) bind(m *pmda.Metric, value string) error {
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
		t.help(m, c.Files[name], "sum of ")
		m.Needs, m.Fetch = t.table.Reading, t.sum
		return nil
	}
	t, name, err := c.parse(value)
	if err != nil {
		return err
	}
	t.help(m, c.Files[name], "")
	m.Needs, m.Fetch = t.table.Reading, t.fetch
	return nil
}

// A terms is how a value is made from cells of a row: their sum, multiplied
// and divided.
//
//	table:key+key-key*2/3
//
// A "?" after a key says that the cell counts as zero if it is empty, otherwise there is no
// value then. A "!" at the end makes negative results zero. Sum: before it says that
// the value is the sum over all rows. Calculations are those of 64-bit unsigned
// numbers, unless a cell is not an integer.
type terms struct {
	table *Table
	terms []term
	text  string
	mul   uint64
	div   uint64
	floor bool
}

// A term is one cell.
type term struct {
	slot     int
	minus    bool
	optional bool
}

// parse reads the text of terms, and returns the name of the table.
func (c *Catalog) parse(text string) (*terms, string, error) {
	name, keys, ok := strings.Cut(text, ":")
	if c.Tables[name] == nil || !ok {
		return nil, "", fmt.Errorf("unknown table %q", name)
	}
	t := &terms{table: c.Tables[name], text: keys, mul: 1, div: 1}
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
		var term term
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
		term.slot, term.optional = t.table.Slot(key), optional
		t.terms = append(t.terms, term)
		keys = keys[end:]
	}
	return t, name, nil
}

// help gives a metric without help the text that says where its value comes from.
func (t *terms) help(m *pmda.Metric, file, how string) {
	where := how + strings.ReplaceAll(strings.TrimSuffix(t.text, "!"), "?", "") + " in " + file
	if m.OneLine == "" {
		m.OneLine, m.Help = where, "Value: "+where
		return
	}
	m.Help = m.OneLine + "\nValue: " + where
}

// value calculates the value for a row.
func (t *terms) value(r *Row) (v Cell, ok bool) {
	if len(t.terms) == 1 {
		v = r.Cells[t.terms[0].slot]
	} else if v.Kind, v.Num, ok = Number, t.total(r), t.complete(r); !ok {
		return v, false
	}
	switch v.Kind {
	case None:
		return v, len(t.terms) == 1 && t.terms[0].optional
	case Number:
		v.Num = v.Num * t.mul / t.div
		if t.floor && int64(v.Num) < 0 {
			v.Num = 0
		}
	case Float:
		v.Num = math.Float64bits(v.Real() * float64(t.mul) / float64(t.div))
	}
	return v, true
}

// total adds the integer cells of a row.
func (t *terms) total(r *Row) uint64 {
	var sum uint64
	for _, term := range t.terms {
		switch c := &r.Cells[term.slot]; {
		case c.Kind != Number:
		case term.minus:
			sum -= c.Num
		default:
			sum += c.Num
		}
	}
	return sum
}

// complete reports whether no cell of a row is empty that must not be.
func (t *terms) complete(r *Row) bool {
	for _, term := range t.terms {
		if !term.optional && r.Cells[term.slot].Kind != Number {
			return false
		}
	}
	return true
}

// fetch puts the values of all rows into a column.
func (t *terms) fetch(col *pmda.Column) error {
	for i := range t.table.Rows {
		r := &t.table.Rows[i]
		if !col.Selects(r.Inst) {
			continue
		}
		v, ok := t.value(r)
		if !ok {
			continue
		}
		switch v.Kind {
		case Text:
			col.Bytes(r.Inst, v.Text)
		case Float:
			col.Float(r.Inst, v.Real())
		default:
			col.Uint(r.Inst, v.Num)
		}
	}
	return nil
}

// sum puts the sum over all rows into a column.
func (t *terms) sum(col *pmda.Column) error {
	var sum uint64
	for i := range t.table.Rows {
		if v, ok := t.value(&t.table.Rows[i]); ok {
			sum += v.Num
		}
	}
	col.Uint(pcp.NullInst, sum)
	return nil
}

// NewAgent returns the agent of a list of metrics. The list is part of the
// program, so that an error in it is the program's.
func NewAgent(domain uint32, c *Catalog, text, labels string, adjust func(*pmda.Metric)) *pmda.Agent {
	metrics, err := c.Metrics(text)
	if err != nil {
		panic(err)
	}
	for i := range metrics {
		if adjust != nil {
			adjust(&metrics[i])
		}
	}
	agent, err := pmda.New(pmda.Table{Domain: domain, Metrics: metrics, Labels: labels})
	if err != nil {
		panic(err)
	}
	return agent
}

// Table adds a table that load fills from what file names.
func (c *Catalog) Table(name, file string, load func(t *Table, req *pmda.Request) error, needs ...*Table) *Table {
	t := NewTable(load, needs...)
	c.Tables[name], c.Files[name] = t, file
	return t
}

// Alias adds a table that is filled together with another.
func (c *Catalog) Alias(name, file string, t *Table) *Table {
	b := t.Beside()
	c.Tables[name], c.Files[name] = b, file
	return b
}

// Roots returns the first components of the names in a list of metrics, which
// begins each line with a name. Names with the same one stand together.
func Roots(text string) []string {
	var roots []string
	last := ""
	for line := range strings.Lines(text) {
		if last != "" && strings.HasPrefix(line, last) || line[0] == '#' {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		root, _, _ := strings.Cut(name, ".")
		if last = root + "."; root != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}
