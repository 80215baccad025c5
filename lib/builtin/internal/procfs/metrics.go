package procfs

import (
	"cmp"
	"encoding/json"
	"fmt"
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
// "-" is a metric that is known, but has no values. A metric without a help text gets one generated
// from its value. The value of an instance domain is the table whose rows are its instances, and
// their labels (see instLabels): "partition:device_name". With "-" the instances are those in
// Fixed.

// Options configure a collector of the kernel's files. The zero value is the default.
type Options struct {
	// Domain is the collector's domain; 0 means the domain of the reference's agent.
	Domain uint32
	// Root is the directory below which proc, sys, etc and var are; "" means "/".
	Root string
	// Getenv returns the variables that the reference's tests set for its agents; nil means no variables.
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
		d.InstLabels = instLabels(t, strings.Split(keys, ","))
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
