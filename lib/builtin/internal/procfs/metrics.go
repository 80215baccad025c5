package procfs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pmtools/lib/builtin/internal/catalog"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// The value of a metric in a list (see package catalog) names the cells of its values (see terms);
// "-" is a metric that is known, but has no values. A metric without a help text gets one that is
// made from its value. The value of an instance domain is the table whose rows are its instances,
// and their labels (see instLabels): "partition:device_name". With "-" the instances are those in
// Fixed.

// Options configure a collector of the kernel's files. The zero value is the default.
type Options struct {
	// Domain is the collector's domain; 0 means that of the reference's agent.
	Domain uint32
	// Root is the directory below which proc, sys, etc and var are; "" means "/".
	Root string
	// Getenv returns the variables that tests of the reference set for its agents (collector.md
	// C12.2); nil means that there are none.
	Getenv func(name string) string
	// CacheDir is the directory for the numbers of instances, which then survive the end of the
	// program; "" keeps them in memory.
	CacheDir string
}

// A Catalog is the list of a collector's metrics, with the tables that it refers to.
type Catalog struct {
	Domain   uint32
	Root     *Root
	System   *Root  // the files of this system, where Root has files recorded on another
	Hertz    uint64 // ticks in a second: the kernel's unit of time, fixed in its interface to programs
	PageSize uint64 // in bytes
	prefix   string // prefix of the names of variables
	getenv   func(name string) string
	ids      map[string]*IDs // numberings by kind of instances
	cacheDir string
	kept     []*IDs

	Tables map[string]*Table
	Files  map[string]string         // the file of each table, for help texts
	Fixed  map[string][]pcp.Instance // instances that do not change, by serial numbers
	// Label returns the InDom.InstLabels for the rows of a table; keys are those of the list.
	Label func(t *Table, keys []string) func(inst int32) string
}

// NewCatalog returns the empty catalog of a collector with its usual domain, whose variables begin
// with prefix.
func NewCatalog(prefix string, domain uint32, o *Options) Catalog {
	c := Catalog{
		Domain: cmp.Or(o.Domain, domain),
		System: &Root{Dir: o.Root}, prefix: prefix, getenv: o.Getenv, cacheDir: o.CacheDir,
		ids: map[string]*IDs{}, Tables: map[string]*Table{}, Files: map[string]string{}, Fixed: map[string][]pcp.Instance{},
	}
	if c.Root = c.System; c.variable("STATSPATH") != "" {
		c.Root = &Root{Dir: c.variable("STATSPATH")}
	}
	hertz, _ := c.Setting("HERTZ")
	pageSize, _ := c.Setting("PAGESIZE")
	c.Hertz, c.PageSize = cmp.Or(hertz, 100), cmp.Or(pageSize, uint64(os.Getpagesize()))
	return c
}

// variable returns a variable of the collector: HERTZ stands for LINUX_HERTZ.
func (c *Catalog) variable(name string) string {
	return c.Environment(c.prefix + "_" + name)
}

// Environment returns a variable of the environment that is not the collector's own.
func (c *Catalog) Environment(name string) string {
	if c.getenv == nil {
		return ""
	}
	return c.getenv(name)
}

// Setting returns a variable of the collector that is a number, and whether it is set.
func (c *Catalog) Setting(name string) (n uint64, set bool) {
	text := c.variable(name)
	n, _ = Uint([]byte(text))
	return n, text != ""
}

// Recorded reports whether the files were recorded on another system.
func (c *Catalog) Recorded() bool { return c.Root != c.System }

func (c *Catalog) bindInDom(d *pmda.InDom, value string) error {
	name, keys, labelled := strings.Cut(value, ":")
	if name == "-" {
		d.Instances = c.Fixed[strconv.Itoa(int(d.Serial))]
		return nil
	}
	t := c.Tables[name]
	if t == nil {
		return fmt.Errorf("unknown table %q", name)
	}
	d.Needs, d.List = t.Reading, t.instances
	if labelled {
		d.InstLabels = c.Label(t, strings.Split(keys, ","))
	}
	return nil
}

// Metrics reads a list of metrics.
func (c *Catalog) Metrics(text string) ([]pmda.Metric, error) {
	list := catalog.Catalog{Bind: c.bind, BindInDom: c.bindInDom}
	err := list.Parse(text)
	return list.Metrics, err
}

func (c *Catalog) bind(m *pmda.Metric, value string) error {
	if value == "-" {
		m.OneLine = cmp.Or(m.OneLine, "Not told by this system")
		m.Help = m.OneLine
		m.Fetch = func(*pmda.Column) error { return pmerr.AppVersion }
		return nil
	}
	value, need := strings.CutPrefix(value, "need:")
	text, isSum := strings.CutPrefix(value, "sum:")
	t, name, err := c.parse(text)
	switch {
	case err != nil:
		return err
	case isSum:
		t.help(m, c.Files[name], "sum of ")
		m.Fetch = t.sum
	default:
		t.help(m, c.Files[name], "")
		m.Fetch = t.fetch
	}
	m.Needs, t.need = t.table.Reading, need
	return nil
}

// A terms computes a value from cells of a row: their sum, multiplied and divided.
//
//	table:key+key-key*2/3
//
// A "?" after a key makes an empty cell count as zero, or as the number after it; without it an
// empty cell means that there is no value. A "!" at the end makes negative results zero, a "~"
// makes the value wrap in 32 bits, a "^" each cell. "sum:" before the terms makes the value
// the sum over all rows. "need:" before all makes it an error to have no value: this version of the
// kernel does not have the metric. Calculations have 64-bit unsigned numbers, unless a cell is not an
// integer. Beside numbers there are "hz", the ticks in a second, "hertz", by which
// the division is in floating point, and "page", the size of a page in KiB. Products wrap in 64 bits.
type terms struct {
	table     *Table
	terms     []term
	text      string
	mul       uint64
	div       uint64
	floor     bool
	wraps     bool
	wrapsEach bool
	real      bool // divided in floating point
	need      bool
}

type term struct {
	slot     int
	minus    bool
	optional bool
	other    uint64 // the value of an empty cell, if optional
}

func (c *Catalog) parse(text string) (*terms, string, error) {
	name, keys, ok := strings.Cut(text, ":")
	if c.Tables[name] == nil || !ok {
		return nil, "", fmt.Errorf("unknown table %q", name)
	}
	t := &terms{table: c.Tables[name], text: keys, mul: 1, div: 1}
	keys, t.floor = strings.CutSuffix(keys, "!")
	keys, t.wraps = strings.CutSuffix(keys, "~")
	keys, t.wrapsEach = strings.CutSuffix(keys, "^")
	var err error
	if before, n, ok := strings.Cut(keys, "/"); ok {
		keys, t.real = before, n == "hertz"
		t.div, err = c.constant(n)
	}
	if before, n, ok := strings.Cut(keys, "*"); ok && err == nil {
		keys = before
		t.mul, err = c.constant(n)
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
		key, other, optional := strings.Cut(keys[:end], "?")
		if key == "" {
			return nil, "", fmt.Errorf("empty key in %q", text)
		}
		term.slot, term.optional = t.table.Slot(key), optional
		term.other, _ = Uint([]byte(other))
		t.terms = append(t.terms, term)
		keys = keys[end:]
	}
	return t, name, nil
}

func (c *Catalog) constant(text string) (uint64, error) {
	switch text {
	case "hz", "hertz":
		return c.Hertz, nil
	case "page":
		return c.PageSize >> 10, nil
	}
	return strconv.ParseUint(text, 10, 32)
}

func (t *terms) help(m *pmda.Metric, file, how string) {
	where := how + strings.ReplaceAll(strings.TrimRight(t.text, "!~^"), "?", "") + " in " + file
	if m.OneLine == "" {
		m.OneLine, m.Help = where, "Value: "+where
		return
	}
	m.Help = m.OneLine + "\nValue: " + where
}

func (t *terms) value(r *Row) (v Cell, ok bool) {
	if len(t.terms) == 1 {
		v = r.Cells[t.terms[0].slot]
	} else if v.Kind, v.Num, ok = Number, t.total(r), t.complete(r); !ok {
		return v, false
	}
	switch v.Kind {
	case None:
		v.Num, v.Text = t.terms[0].other, nil
		return v, t.terms[0].optional
	case Number:
		if v.Num = v.Num * t.mul / t.div; t.real {
			v.Num = t.quotient(r)
		}
		if t.floor && int64(v.Num) < 0 {
			v.Num = 0
		}
		if t.wraps {
			v.Num = uint64(uint32(v.Num))
		}
	case Float:
		v.Num = math.Float64bits(v.Real() * float64(t.mul) / float64(t.div))
	}
	return v, true
}

// quotient returns the value of a calculation in floating point, 0 where that is not a number of 64
// bits.
func (t *terms) quotient(r *Row) uint64 {
	x := float64(t.total(r)) * float64(t.mul) / float64(t.div)
	if x >= 1<<64 {
		return 0
	}
	return uint64(x)
}

func (t *terms) total(r *Row) uint64 {
	var sum uint64
	for _, term := range t.terms {
		n := term.other
		if c := &r.Cells[term.slot]; c.Kind == Number {
			n = c.Num
		}
		if t.wrapsEach {
			n = uint64(uint32(n))
		}
		if term.minus {
			n = -n
		}
		sum += n
	}
	return sum
}

func (t *terms) complete(r *Row) bool {
	for _, term := range t.terms {
		if !term.optional && r.Cells[term.slot].Kind != Number {
			return false
		}
	}
	return true
}

func (t *terms) fetch(col *pmda.Column) error {
	any := false
	for i := range t.table.Rows {
		r := &t.table.Rows[i]
		if !col.Selects(r.Inst) {
			continue
		}
		v, ok := t.value(r)
		if any = any || ok; !ok {
			continue
		}
		switch {
		case v.Kind == Text || v.Kind == None && col.Metric().Type == pcp.String:
			col.Bytes(r.Inst, v.Text)
		case v.Kind == Float:
			col.Float(r.Inst, v.Real())
		default:
			col.Uint(r.Inst, v.Num)
		}
	}
	if !any && t.table.Refused != nil {
		return Error(t.table.Refused)
	}
	return t.missing(any || t.table.Tried == 0)
}

// missing returns the error of a metric that needs a value, unless there is any.
func (t *terms) missing(any bool) error {
	if t.need && !any {
		return pmerr.AppVersion
	}
	return nil
}

func (t *terms) sum(col *pmda.Column) error {
	var sum uint64
	any := false
	for i := range t.table.Rows {
		if v, ok := t.value(&t.table.Rows[i]); ok {
			sum, any = sum+v.Num, true
		}
	}
	if err := t.missing(any); err != nil {
		return err
	}
	col.Uint(pcp.NullInst, sum)
	return nil
}

// MustMetrics reads a list of metrics that is part of the program, so that an error in it is the
// program's.
func (c *Catalog) MustMetrics(text string) []pmda.Metric {
	metrics, err := c.Metrics(text)
	if err != nil {
		panic(err)
	}
	return metrics
}

// NewAgent returns the agent of metrics.
func NewAgent(c *Catalog, metrics []pmda.Metric, labels string) *pmda.Agent {
	agent, err := pmda.New(pmda.Table{Domain: c.Domain, Metrics: metrics, Labels: labels})
	if err != nil {
		panic(err)
	}
	return agent
}

// Table adds a table that load fills from a file, or from files with that pattern.
func (c *Catalog) Table(name, file string, load func(t *Table, req *pmda.Request) error, needs ...*Table) *Table {
	t := NewTable(func(t *Table, req *pmda.Request) error {
		c.Root.failed, c.System.failed = nil, nil
		err := load(t, req)
		c.saveNumbers()
		return cmp.Or(err, Error(c.Root.failed), Error(c.System.failed))
	}, needs...)
	c.Tables[name], c.Files[name] = t, file
	return t
}

// Fill is Table for a load that needs no request and cannot fail.
func (c *Catalog) Fill(name, file string, load func(t *Table), needs ...*Table) *Table {
	return c.Table(name, file, func(t *Table, _ *pmda.Request) error {
		load(t)
		return nil
	}, needs...)
}

// Alias adds a table that is filled together with another.
func (c *Catalog) Alias(name, of string) *Table {
	c.Tables[name], c.Files[name] = c.Tables[of].Beside(), c.Files[of]
	return c.Tables[name]
}

// Text adds a table that is filled from the text of a file. Without the file there are no values.
func (c *Catalog) Text(name, file string, parse func(t *Table, text []byte), needs ...*Table) *Table {
	return c.Table(name, "/"+file, func(t *Table, _ *pmda.Request) error {
		text, err := c.Root.Read(file)
		if err == nil {
			parse(t, text)
		}
		return Missing(err)
	}, needs...)
}

// Private is Text for a file that only the superuser may read: other clients see no values, unless
// the variable ACCESS of the collector is set.
func (c *Catalog) Private(name, file string, parse func(t *Table, text []byte)) *Table {
	access, _ := c.Setting("ACCESS")
	return c.Table(name, "/"+file, func(t *Table, req *pmda.Request) error {
		if req.Client != nil && req.Client.Attrs[pmda.UserID] != "0" && access == 0 {
			return nil
		}
		text, err := c.Root.Read(file)
		if err == nil {
			parse(t, text)
		}
		return Missing(err)
	})
}

// File adds a table for a file that is about the whole system, which is one row, empty without the
// file.
func (c *Catalog) File(name, file string, parse func(t *Table, r *Row, text []byte)) *Table {
	return c.Table(name, "/"+file, func(t *Table, _ *pmda.Request) error {
		r := t.Row(pcp.NullInst)
		text, err := c.Root.Read(file)
		if err == nil {
			parse(t, r, text)
		}
		return Missing(err)
	})
}

// Numbers adds a table for a file with nothing but a line of numbers.
func (c *Catalog) Numbers(name, file string) {
	c.File(name, file, func(t *Table, r *Row, text []byte) {
		line, _ := Line(text)
		Fields(t, r, line)
	})
}

// Each adds a table that fill fills from each row of another, after needs were read.
func (c *Catalog) Each(name, file string, of *Table, fill func(t *Table, of *Row), needs ...*Table) *Table {
	return c.Fill(name, file, func(t *Table) {
		for i := range of.Rows {
			fill(t, &of.Rows[i])
		}
	}, append(needs, of)...)
}

// FileOf returns the file of an instance: its name replaces the word in capitals of a pattern like
// "/sys/block/DEV/size". A slash in the name of a device stands as '!' in /sys.
func FileOf(pattern, instance string) string {
	i := strings.IndexFunc(pattern, unicode.IsUpper)
	return pattern[1:i] + strings.ReplaceAll(instance, "/", "!") + strings.TrimLeftFunc(pattern[i:], unicode.IsUpper)
}

// PerRow adds a table for a small file that each instance of another table has (see FileOf). set is
// given the row and the text of its file.
func (c *Catalog) PerRow(name, pattern string, of *Table, set func(t *Table, r *Row, text []byte)) *Table {
	return c.Each(name, pattern, of, func(t *Table, from *Row) {
		if text, err := c.Root.Read(FileOf(pattern, from.Name)); err == nil {
			set(t, t.Row(from.Inst), text)
		}
	})
}

// Count adds a table whose key n is the number of rows of other tables.
func (c *Catalog) Count(name, what string, of *Table) {
	c.Fill(name, "the list of "+what, func(t *Table) {
		t.Cell(t.Row(pcp.NullInst), []byte("n")).SetUint(uint64(len(of.Rows)))
	}, of)
}

// Quote returns s as a string of JSON.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// Roots returns the first components of the names in a list of metrics. Names with the same one
// stand together.
func Roots(text string) []string {
	var roots []string
	last := "\t"
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, last) || line[0] == '#' || line[0] == '\t' || strings.HasPrefix(line, "indom ") {
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
