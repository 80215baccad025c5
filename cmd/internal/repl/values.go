package repl

import (
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// CompleteInstances proposes instances of expressions for the end of a list with commas: their names up to
// the first blank.
func (s *Session) CompleteInstances(exprs []string, prefix string) []string {
	texts, _ := s.complete(prefix, func(c *completer, prefix string) int {
		last := strings.LastIndexByte(prefix, ',') + 1
		for _, in := range c.instancesOf(exprs) {
			name, _, _ := strings.Cut(in.Name, " ")
			if strings.HasPrefix(name, prefix[last:]) && !strings.Contains(name, ",") {
				c.texts = append(c.texts, prefix[:last]+name)
			}
		}
		return 0
	})
	return texts
}

// instancesOf returns the instances of expressions, in an archive all that there ever were.
func (c *completer) instancesOf(exprs []string) (insts []pcp.Instance) {
	if c.s.lost || c.s.connect(c.ctx) != nil {
		return nil
	}
	for _, text := range exprs {
		x, err := c.s.binder().Compile(c.ctx, text)
		if err != nil || x.Info.Root.InDom == pcp.NullInDom {
			continue
		}
		list, err := pmapi.InstancesOf(c.ctx, c.s.src, x.Info.Root.InDom, pmapi.Ever())
		if c.s.noteLost(err) != nil {
			return insts
		}
		insts = append(insts, list...)
	}
	return insts
}

// CompleteUnits proposes units that expressions can be converted to, counters as rates; without
// expressions the words of units.
func (s *Session) CompleteUnits(exprs []string, prefix string) []string {
	texts, _ := s.complete(prefix, func(c *completer, prefix string) int {
		if len(exprs) == 0 {
			c.offer(prefix, unitNames...)
		} else if !c.s.lost && c.s.connect(c.ctx) == nil {
			for _, text := range exprs {
				c.offer(prefix, c.s.binder().UnitNames(c.ctx, text)...)
			}
		}
		return 0
	})
	return texts
}
