package sample

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// dynamicState is what may be changed about instances and descriptions.
type dynamicState struct {
	metaInDom  pcp.InDom // that sample.dynamic.meta.metric pretends to have
	dynamics   []pcp.Instance
	dynamicAt  time.Time       // of the file that they are from
	dynamicSum map[int32]int32 // how often each was fetched
}

// addDynamic adds metrics whose instances are in a file, and one whose description
// can be changed.
func (s *collector) addDynamic() {
	d := &pmda.InDom{
		Serial: 7, InstLabels: pmda.NoLabels,
		List:    func() ([]pcp.Instance, error) { s.readDynamic(); return s.dynamics, nil },
		OneLine: "Instances from a file", Help: "The file dynamic.indom has a line with a number and a name for each.",
	}
	counted := &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
		s.readDynamic()
		for _, i := range s.dynamics {
			s.dynamicSum[i.ID]++
		}
		return nil
	}}
	for i, sem := range []pcp.Sem{pcp.Counter, pcp.Discrete, pcp.Instant} {
		m := s.define(uint32(76+i), pcp.Int32, sem, "How often a configured instance was fetched",
			"Each fetch adds one. It begins anew when the file with the instances changes.",
			pmda.Each(func(inst int32) (int32, error) { return s.dynamicSum[inst], nil }))
		m.InDom, m.Units, m.Needs = d, pcp.Units{DimCount: 1}, counted
	}
	s.metaInDom = pcp.NullInDom
	m := s.define(86, pcp.Int32, pcp.Discrete, "A metric whose description can be changed",
		"Its value is 42, whatever its type. See sample.dynamic.meta.pmdesc.", fetchMeta)
	m.Units = pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Sec}
	meta := func(item uint32, what string, get func(*pmda.Metric) uint32, set func(m *pmda.Metric, v uint32) error) {
		row := s.define(item, pcp.Uint32, pcp.Discrete, "The "+what+" of sample.dynamic.meta.metric",
			"As a number. It can be set with pmstore(1).", pmda.One(func() uint32 { return get(s.items[86]) }))
		row.Units = pcp.Units{DimCount: 1}
		row.Store = func(_ *pmda.Client, v *pcp.Values) error {
			n, err := storedInt(v)
			if err != nil {
				return err
			}
			if err := set(s.items[86], uint32(n)); err != nil {
				return err
			}
			*s.Metric(pcp.NewID(s.opts.Domain, 0, 86)) = *s.items[86]
			return nil
		}
	}
	meta(87, "type", func(m *pmda.Metric) uint32 { return uint32(m.Type) }, func(m *pmda.Metric, v uint32) error {
		m.Type = pcp.Type(int32(v))
		return nil
	})
	meta(88, "instance domain", func(*pmda.Metric) uint32 { return uint32(s.metaInDom) }, func(m *pmda.Metric, v uint32) error {
		s.metaInDom = pcp.InDom(v)
		m.InDom = s.domain(s.metaInDom)
		return nil
	})
	meta(89, "semantics", func(m *pmda.Metric) uint32 { return uint32(m.Sem) }, func(m *pmda.Metric, v uint32) error {
		m.Sem = pcp.Sem(int32(v))
		return nil
	})
	meta(90, "units", func(m *pmda.Metric) uint32 { return m.Units.Word() }, func(m *pmda.Metric, v uint32) error {
		m.Units = pcp.UnitsOf(v)
		return nil
	})
}

// fetchMeta delivers 42 in the type that the metric has at present.
func fetchMeta(c *pmda.Column) error {
	t := c.Metric().Type
	if t < pcp.Int32 || t > pcp.Aggregate {
		return pmerr.Type
	}
	for _, i := range c.Instances() {
		if t.Arithmetic() {
			c.Int(i.ID, 42)
		} else {
			c.Text(i.ID, "42")
		}
	}
	return nil
}

// domain returns the instance domain with an identifier, or nil.
func (s *collector) domain(d pcp.InDom) *pmda.InDom {
	for _, m := range s.items {
		if m.InDom != nil && pcp.NewInDom(s.opts.Domain, m.InDom.Serial) == d {
			return m.InDom
		}
	}
	return nil
}

// readDynamic reads the file with the instances if it has changed.
func (s *collector) readDynamic() {
	text, modified := readFile(s.opts.Dir, "dynamic.indom")
	if modified.Equal(s.dynamicAt) && s.dynamicSum != nil {
		return
	}
	s.dynamicAt, s.dynamics, s.dynamicSum = modified, nil, map[int32]int32{}
	words := strings.Fields(text)
	for ; len(words) > 1; words = words[2:] {
		n, err := strconv.ParseInt(words[0], 10, 32)
		if err != nil {
			break
		}
		if !slices.ContainsFunc(s.dynamics, func(i pcp.Instance) bool { return i.ID == int32(n) }) {
			s.dynamics = append(s.dynamics, pcp.Instance{ID: int32(n), Name: words[1]})
		}
	}
	if len(words) > 0 {
		s.dynamics = nil // as with the reference, all of the file has to be right
	}
}

// daemonDomain is the domain of the metrics about the daemon.
const daemonDomain = 2

// addDynamicNames adds the names in one of the dynamic subtrees.
func (s *collector) addDynamicNames(root string, rows *[]pmda.Metric, row func(name string, item uint32)) {
	if root == "ghosts" {
		for i, name := range []string{"visible", "origin", "karma", "state"} {
			if i == 0 || s.visible >= 0 {
				row(root+"."+name, uint32(1008+i))
			}
		}
		return
	}
	// This one leads to a metric of the daemon.
	*rows = append(*rows, pmda.Metric{Name: s.opts.Name + "." + root + ".foo.bar.max.redirect", Domain: daemonDomain, Cluster: 4, Item: 1})
	for _, n := range []struct {
		name string
		item uint32
	}{
		{"bin", 6}, {"bar", 1000}, {"family", 1012}, {"foo.one", 1001}, {"foo.two", 1002}, {"foo.bar.three", 1003}, {"foo.bar.four", 1004},
		{"foo.bar.grunt.five", 1005}, {"foo.bar.grunt.snort.six", 1006}, {"foo.bar.grunt.snort.huff.puff.seven", 1007},
		{"en.one", 1001}, {"en.two", 1002}, {"en.three", 1003}, {"fr.un", 1001}, {"fr.deux", 1002}, {"fr.trois", 1003},
		{"dk.et", 1001}, {"dk.to", 1002}, {"dk.tre", 1003}, {"es.unos", 1001}, {"es.dos", 1002}, {"es.tres", 1003},
	} {
		row(root+"."+n.name, n.item)
	}
}
