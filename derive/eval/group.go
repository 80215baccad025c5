package eval

import (
	"math"
	"slices"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Functions of the instances of groups: sum(x) by (device).

// A Grouper knows the groups that instances belong to at the time of a fetch.
type Grouper interface {
	// Groups sets the group of each instance, unless the groups have the version that the caller knows for the
	// same instances; 0 is none. It returns the version.
	Groups(by pcp.InDom, known int, insts, groups []int32) (version int, err error)
}

// A grouping is a function and the groups for each of which it has a value.
type grouping struct {
	fun kind
	by  check.Grouping
}

// members remembers the groups of the instances of the last evaluation.
type members struct {
	version int
	insts   []int32
	groups  []int32 // of each instance
	ids     []int32 // of the groups, in the order of their first instances
	places  []int32 // for each instance, where its group is in ids
	sizes   []int   // how many instances each group has
	index   map[int32]int32
}

// groups completes a node for a function with by.
func (p *planner) groups(n *node, e *syntax.CallExpr) {
	if e.Fun == "median" {
		n.word = word64(0.5)
	}
	n.arg, p.plan.groups = len(p.plan.groups), append(p.plan.groups, grouping{n.kind, p.info.Groups[n.indom]})
	n.kind = kGroup
}

// group evaluates a function of the instances of each group.
func (s *State) group(n *node, x *pcp.Values) *pcp.Values {
	if len(x.Insts) == 0 || s.in.Groups == nil {
		return s.empty(n)
	}
	m := &s.groups[n.arg]
	if err := m.find(s.in.Groups, n.indom, x.Insts); err != nil {
		return s.fail(n, pmerr.Of(err).Err())
	}
	out := s.empty(n)
	out.Insts = append(out.Insts, m.ids...)
	out.Words = slices.Grow(out.Words, len(m.ids))[:len(m.ids)]
	by, from := s.plan.groups[n.arg], s.plan.nodes[n.x].typ
	if by.fun == kCount {
		for g, size := range m.sizes {
			out.Words[g] = uint64(size)
		}
		return out
	}
	s.order = slices.Grow(s.order[:0], len(m.ids))[:len(m.ids)] // where the values of a group go
	end := 0
	for g, size := range m.sizes {
		s.order[g] = end
		end += size
	}
	s.wide = slices.Grow(s.wide[:0], end)[:end]
	for i, g := range m.places {
		s.wide[s.order[g]] = x.Words[i]
		s.order[g]++
	}
	begin := 0
	for g, end := range s.order {
		out.Words[g] = by.reduce(from, f64(n.word), s.wide[begin:end])
		begin = end
	}
	return out
}

// reduce returns the value of a function of words of type t, which are at least one. It may change them.
func (g *grouping) reduce(t pcp.Type, share float64, list []uint64) uint64 {
	switch g.fun {
	case kSum:
		return sum(t, list)
	case kAvg:
		return avg(t, list)
	case kMin, kMax:
		return extreme(g.fun == kMax, t, list)
	}
	convert(list, list, t, pcp.Double)
	if g.fun == kStddev {
		return word64(deviation(list))
	}
	return word64(quantile(share, list))
}

// find brings the groups up to date for a list of instances.
func (m *members) find(from Grouper, by pcp.InDom, insts []int32) error {
	known := m.version
	if !slices.Equal(m.insts, insts) {
		known = 0
		m.insts = append(m.insts[:0], insts...)
		m.groups = slices.Grow(m.groups[:0], len(insts))[:len(insts)]
	}
	version, err := from.Groups(by, known, m.insts, m.groups)
	if err != nil || version == known {
		m.version = version
		return err
	}
	m.version = version
	m.ids, m.sizes, m.places = m.ids[:0], m.sizes[:0], m.places[:0]
	if m.index == nil {
		m.index = make(map[int32]int32)
	}
	clear(m.index)
	for _, id := range m.groups {
		g, ok := m.index[id]
		if !ok {
			g = int32(len(m.ids))
			m.index[id] = g
			m.ids, m.sizes = append(m.ids, id), append(m.sizes, 0)
		}
		m.sizes[g]++
		m.places = append(m.places, g)
	}
	return nil
}

// deviation returns the standard deviation of a list, which is not empty, in two passes: the mean first.
func deviation(list []uint64) float64 {
	size, mean, squares := float64(len(list)), 0.0, 0.0
	for _, w := range list {
		mean += f64(w)
	}
	mean /= size
	for _, w := range list {
		d := f64(w) - mean
		squares += float64(d * d)
	}
	return math.Sqrt(squares / size)
}
