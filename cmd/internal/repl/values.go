package repl

import "strings"

// CompleteInstances proposes instances of expressions for the end of a list with commas: their names up to
// the first blank.
func (s *Session) CompleteInstances(exprs []string, prefix string) []string {
	texts, _ := s.complete(prefix, func(c *completer, prefix string) int {
		last := strings.LastIndexByte(prefix, ',') + 1
		for _, in := range c.instancesOf(exprs, true) {
			name, _, _ := strings.Cut(in.Name, " ")
			if strings.HasPrefix(name, prefix[last:]) && !strings.Contains(name, ",") {
				c.texts = append(c.texts, prefix[:last]+name)
			}
		}
		return 0
	})
	return texts
}

// CompleteUnits proposes units that expressions can be converted to, counters as rates; without
// expressions the words of units.
func (s *Session) CompleteUnits(exprs []string, prefix string) []string {
	texts, _ := s.complete(prefix, func(c *completer, prefix string) int {
		if len(exprs) == 0 {
			c.offer(prefix, unitNames...)
		} else if c.asks() {
			for _, text := range exprs {
				c.offer(prefix, c.s.binder().UnitNames(c.ctx, text)...)
			}
		}
		return 0
	})
	return texts
}
