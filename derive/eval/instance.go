package eval

import (
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// A cache is what a selection of instances remembers.
type cache struct {
	found bool // x[name]: inst is the instance
	inst  int32

	// For matchinst: the list of the last evaluation, the instances of it that pass, and verdicts
	// by instance.
	insts    []int32
	pass     []bool
	again    bool // verdicts were forgotten, so the list must be gone through again
	verdicts map[int32]verdict
	evals    int // since verdicts were last cleared out
	repeats  int // evaluations of insts that verdicts do not count yet
}

// A verdict is whether an instance passes, which one whose name is not known does not, and in how
// many evaluations it was there.
type verdict struct {
	pass bool
	seen int
}

// Instances that were there in fewer than half of the evaluations are forgotten (derived.md D8.6).
const (
	clearEvery = 100
	clearBelow = 50
)

// instance evaluates x[name]. The name is looked up until it is found, and never again.
func (s *State) instance(n *node, x *pcp.Values) *pcp.Values {
	out, c := s.empty(n), &s.caches[n.arg]
	if len(x.Insts) == 0 || n.singular() || s.in.Instances == nil {
		return out
	}
	if !c.found {
		inst, err := s.in.Instances.LookupInst(n.indom, n.filter.name)
		if err != nil {
			return out
		}
		c.found, c.inst = true, inst
	}
	if i := x.Find(c.inst); i >= 0 {
		take(out, x, i, c.inst)
	}
	return out
}

// matching evaluates matchinst. Evaluations without values count as well.
func (s *State) matching(n *node, x *pcp.Values) *pcp.Values {
	out, c := s.empty(n), &s.caches[n.arg]
	if n.singular() || n.filter.match == nil || s.in.Instances == nil {
		return out
	}
	if c.again || !slices.Equal(c.insts, x.Insts) {
		c.count()
		s.judge(n, c, x.Insts)
	}
	c.repeats++
	for i, ok := range c.pass {
		if ok {
			take(out, x, i, x.Insts[i])
		}
	}
	if c.evals++; c.evals == clearEvery {
		c.clear()
	}
	return out
}

func (s *State) judge(n *node, c *cache, insts []int32) {
	c.insts, c.pass, c.again = append(c.insts[:0], insts...), c.pass[:0], false
	if c.verdicts == nil {
		c.verdicts = make(map[int32]verdict)
	}
	for _, inst := range insts {
		v, ok := c.verdicts[inst]
		if !ok {
			if name, err := s.in.Instances.InstName(n.indom, inst); err == nil {
				first, _, _ := strings.Cut(name, " ")
				v.pass = n.filter.match(first) != n.filter.invert
			}
			c.verdicts[inst] = v
		}
		c.pass = append(c.pass, v.pass)
	}
}

func (c *cache) count() {
	for _, inst := range c.insts {
		if v, ok := c.verdicts[inst]; ok && c.repeats > 0 {
			v.seen += c.repeats
			c.verdicts[inst] = v
		}
	}
	c.repeats = 0
}

// clear forgets the instances that were seldom there.
func (c *cache) clear() {
	c.count()
	for inst, v := range c.verdicts {
		if v.seen < clearBelow {
			delete(c.verdicts, inst)
			c.again = true
			continue
		}
		v.seen = 0
		c.verdicts[inst] = v
	}
	c.evals = 0
}
