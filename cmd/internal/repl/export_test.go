package repl

import (
	"pmtools/cmd/internal/item"
	"pmtools/derive"
	"pmtools/derive/syntax"
)

// Unexported functions that the tests in repl_test call.
var (
	Unquote     = item.Unquote
	FindingText = findingText
)

// Definitions returns the definitions of a session in their order.
func (s *Session) Definitions() []*derive.Definition { return s.defs.Own() }

// Expand returns an expression with definitions in the places of their names.
func Expand(s *Session, text string) (string, error) {
	c, err := s.binder().Compile(s.background, text)
	if err != nil {
		return "", err
	}
	return syntax.Print(c.Tree), nil
}

// ParsedItem returns how an item is understood: its kind, name, attribute, text, and where the text
// begins.
func ParsedItem(src string) (kind, name, attr, text string, start int) {
	it := item.Parse(src)
	kinds := [...]string{"blank", "command", "expression", "definition", "attribute"}
	return kinds[it.Kind], it.Name, it.Attr, it.Text, it.Start
}

// Spot returns where a text ends: the calls that are open, and what it is inside of.
func Spot(text string) (calls []string, open string, from int) {
	sp := item.SpotOf(text)
	if sp.Open != 0 {
		open = string(sp.Open)
	}
	return sp.Calls, open, sp.From
}

// Depth returns how many earlier samples an expression needs.
func Depth(s *Session, text string) int {
	c, err := s.binder().Compile(s.background, text)
	if err != nil {
		return -1
	}
	return c.Depth
}

// CutInterval and CutCount take numbers from the front of an argument.
var (
	CutInterval = item.Interval
	CutCount    = item.Count
)
