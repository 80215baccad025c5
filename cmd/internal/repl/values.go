package repl

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Completes reports whether CompleteOption proposes values of an option.
func Completes(flag *pflag.Flag) bool {
	return slices.Contains([]string{"where", "instances", "units"}, flag.Name) && flag.Value.Type() != "bool"
}

// CompleteOption proposes values of an option, for the expressions beside it.
func (s *Session) CompleteOption(name string, exprs []string, prefix string) (texts []string, start int) {
	return s.complete(prefix, func(c *completer, prefix string) int { return c.value(name, exprs, prefix) })
}

// value completes the value of an option: an expression; names of instances up to the first blank, in a list with commas;
// units that the expressions can be converted to, counters as rates, or without expressions the words of units.
func (c *completer) value(option string, exprs []string, word string) (start int) {
	switch {
	case option == "where":
		return c.expr(word)
	case option == "instances":
		last := strings.LastIndexByte(word, ',') + 1
		for _, in := range c.instancesOf(exprs, true) {
			name, _, _ := strings.Cut(in.Name, " ")
			if strings.HasPrefix(name, word[last:]) && !strings.Contains(name, ",") {
				c.texts = append(c.texts, word[:last]+name)
			}
		}
	case len(exprs) == 0:
		c.offer(word, unitNames...)
	case c.asks():
		for _, text := range exprs {
			c.offer(word, unitsOf(c.ctx, c.s.binder(), text)...)
		}
	}
	return 0
}
