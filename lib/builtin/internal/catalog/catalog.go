// Package catalog reads lists of metrics: texts with the names, descriptions and help of a
// collector's metrics, so that its code has only the origins of values.
//
// A line is a metric or an instance domain:
//
//	name  cluster.item  type  indom  semantics  units  [value]  one-line help text
//	indom  serial  [value]  one-line help text
//
// with "-" for no instance domain and "???" for no semantics. Units are written as pminfo shows
// them, without the blanks around "/", and with "_" for others. Some lists have a value: the origin
// of a metric's values or of a domain's instances. Lines after it that begin with a tab are its
// help text, or, if they begin with a brace, its labels. A line with only a name and an identifier
// is another name for a metric; "name *" is the root of a dynamic subtree. Lines that begin with
// "#" are comments.
package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// A Catalog is a list of metrics. Parse adds to it.
type Catalog struct {
	Metrics []pmda.Metric
	InDoms  map[string]*pmda.InDom // domains by their serial numbers
	// Bind gives a metric its values, in lists that have them; else it is nil.
	Bind func(m *pmda.Metric, value string) error
	// BindInDom gives an instance domain its instances.
	BindInDom func(d *pmda.InDom, value string) error

	units map[string]pcp.Units // units that were parsed before, by their texts
}

// New returns the catalog of a list without values. The list is part of the program, so that an
// error in it is the program's.
func New(text string) *Catalog {
	c := &Catalog{}
	if err := c.Parse(text); err != nil {
		panic(err)
	}
	return c
}

// Metric returns a metric of the list by its name. It panics on an unknown name.
func (c *Catalog) Metric(name string) *pmda.Metric {
	return &c.Metrics[slices.IndexFunc(c.Metrics, func(m pmda.Metric) bool { return m.Name == name })]
}

// Parse reads a list. Metrics are bound when all their lines have been read.
func (c *Catalog) Parse(text string) error {
	if c.InDoms == nil {
		c.InDoms = map[string]*pmda.InDom{}
	}
	c.Metrics = slices.Grow(c.Metrics, strings.Count(text, "\n"))
	for text != "" {
		var line, more string
		line, text, _ = strings.Cut(text, "\n")
		if line = strings.TrimRight(line, " \r"); line == "" || line[0] == '#' {
			continue
		}
		for strings.HasPrefix(text, "\t") {
			var l string
			l, text, _ = strings.Cut(text[1:], "\n")
			more += l + "\n"
		}
		if err := c.entry(line, more); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

func (c *Catalog) entry(line, more string) error {
	var labels string
	if strings.HasPrefix(more, "{") {
		labels, more, _ = strings.Cut(more, "\n")
	}
	help := strings.TrimSuffix(more, "\n")
	name, rest, _ := strings.Cut(line, " ")
	var value string
	if name == "indom" {
		serial, rest, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(serial, 10, 22)
		d := &pmda.InDom{Serial: uint32(n), Labels: labels, Help: help}
		if c.InDoms[serial] = d; err == nil && c.BindInDom != nil {
			value, rest, _ = strings.Cut(rest, " ")
			err = c.BindInDom(d, value)
		}
		d.OneLine = rest
		return err
	}
	m := pmda.Metric{Name: name, Labels: labels, Help: help}
	if err := c.metric(&m, rest); err != nil {
		return err
	}
	c.Metrics = append(c.Metrics, m)
	return nil
}

func (c *Catalog) metric(m *pmda.Metric, line string) error {
	if m.Dynamic = line == "*"; m.Dynamic {
		return nil
	}
	n := 5 // identifier, type, instance domain, semantics, units
	if c.Bind != nil {
		n++
	}
	f := strings.SplitN(line, " ", n+1)
	if err := identify(m, f[0]); err != nil || len(f) == 1 && c.Bind == nil {
		return err
	}
	if len(f) < n {
		return fmt.Errorf("%d fields", 1+len(f))
	}
	if len(f) > n {
		m.OneLine = strings.TrimSpace(f[n])
	}
	var ok bool
	if m.Type, ok = named(f[1], pcp.NoSupport, pcp.HighResEvent); !ok {
		return fmt.Errorf("unknown type %s", f[1])
	}
	if f[2] != "-" {
		if m.InDom = c.InDoms[f[2]]; m.InDom == nil {
			return fmt.Errorf("unknown instance domain %s", f[2])
		}
	}
	if m.Sem, ok = named(f[3], 0, pcp.Discrete); !ok {
		return fmt.Errorf("unknown semantics %s", f[3])
	}
	var err error
	if m.Units, err = c.unit(f[4]); err != nil || c.Bind == nil {
		return err
	}
	return c.Bind(m, f[5])
}

func identify(m *pmda.Metric, text string) error {
	cluster, item, _ := strings.Cut(text, ".")
	c, err1 := strconv.ParseUint(cluster, 10, 12)
	i, err2 := strconv.ParseUint(item, 10, 10)
	if err1 != nil || err2 != nil {
		return fmt.Errorf("fields without an identifier: %q", text)
	}
	m.Cluster, m.Item = uint32(c), uint32(i)
	return nil
}

// named returns the value between first and last with a name.
func named[T interface {
	~int32
	String() string
}](name string, first, last T) (T, bool) {
	for v := first; v <= last; v++ {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

func (c *Catalog) unit(text string) (pcp.Units, error) {
	if text == "none" {
		return pcp.Units{}, nil
	}
	u, ok := c.units[text]
	if !ok {
		var err error
		if u, _, err = pcp.ParseUnits(strings.NewReplacer("_", " ", "/", " / ").Replace(text)); err != nil {
			return u, err
		}
		if c.units == nil {
			c.units = map[string]pcp.Units{}
		}
		c.units[text] = u
	}
	return u, nil
}
