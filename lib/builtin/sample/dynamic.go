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

type dynamic struct {
	metaInDom pcp.InDom // instance domain in the description of sample.dynamic.meta.metric
	list      []pcp.Instance
	at        time.Time       // time of the file of the instances
	sum       map[int32]int32 // number of fetches of each instance
}

func (s *collector) addDynamic() {
	s.indom("7").List = func() ([]pcp.Instance, error) { s.readDynamic(); return s.dynamic.list, nil }
	counted := &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
		s.readDynamic()
		for _, i := range s.dynamic.list {
			s.dynamic.sum[i.ID]++
		}
		return nil
	}}
	for item := uint32(76); item <= 78; item++ {
		s.define(item, pmda.Each(func(inst int32) (int32, error) { return s.dynamic.sum[inst], nil })).Needs = counted
	}
	s.dynamic.metaInDom = pcp.NullInDom
	m := s.define(86, fetchMeta)
	meta := func(item uint32, get func() uint32, set func(v uint32)) {
		s.define(item, pmda.One(get)).Store = setting(func(w uint64) {
			set(uint32(w))
			*s.Metric(pcp.NewID(s.opts.Domain, 0, 86)) = *m
		})
	}
	meta(87, func() uint32 { return uint32(m.Type) }, func(v uint32) { m.Type = pcp.Type(int32(v)) })
	meta(88, func() uint32 { return uint32(s.dynamic.metaInDom) }, func(v uint32) { s.dynamic.metaInDom, m.InDom = pcp.InDom(v), s.domain(pcp.InDom(v)) })
	meta(89, func() uint32 { return uint32(m.Sem) }, func(v uint32) { m.Sem = pcp.Sem(int32(v)) })
	meta(90, func() uint32 { return m.Units.Word() }, func(v uint32) { m.Units = pcp.UnitsOf(v) })
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

// domain returns the instance domain with an identifier, else nil.
func (s *collector) domain(d pcp.InDom) *pmda.InDom {
	for _, m := range s.items {
		if m.InDom != nil && pcp.NewInDom(s.opts.Domain, m.InDom.Serial) == d {
			return m.InDom
		}
	}
	return nil
}

func (s *collector) readDynamic() {
	text, modified := readFile(s.opts.Dir, "dynamic.indom")
	if modified.Equal(s.dynamic.at) && s.dynamic.sum != nil {
		return
	}
	s.dynamic.at, s.dynamic.list, s.dynamic.sum = modified, nil, map[int32]int32{}
	words := strings.Fields(text)
	for ; len(words) > 1; words = words[2:] {
		n, err := strconv.ParseInt(words[0], 10, 32)
		if err != nil {
			break
		}
		if !slices.ContainsFunc(s.dynamic.list, func(i pcp.Instance) bool { return i.ID == int32(n) }) {
			s.dynamic.list = append(s.dynamic.list, pcp.Instance{ID: int32(n), Name: words[1]})
		}
	}
	if len(words) > 0 {
		s.dynamic.list = nil // as in the reference, a mistake invalidates the complete file
	}
}
