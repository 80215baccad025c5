package repl

import (
	"slices"
	"strings"

	"pmtools/cmd/internal/item"
)

// Incomplete returns what an item waits for another line with: a backslash at its end, an operator there, or a
// parenthesis, a bracket or a string that is open; or "". An item that is wrong already does not wait.
func (s *Session) Incomplete(text string) string {
	if strings.HasSuffix(text, `\`) {
		return `\`
	}
	switch it := item.Parse(text); it.Kind {
	case item.Expression, item.Definition:
		return item.Open(it.Text)
	case item.Command:
		if v, _ := findVerb(it.Name, s.verbs); v != nil && v.expr() {
			return item.Open(it.Text)
		}
	case item.Attribute:
		if _, closed := item.Unquote(it.Text); !closed {
			return it.Text[:1]
		}
	}
	return ""
}

// Leaves reports whether a further line of an item is one of its own instead, such as :quit, in the place of the item.
func Leaves(line string) bool {
	it := item.Parse(line)
	return it.Kind == item.Command && strings.HasPrefix(strings.TrimSpace(line), ":") && slices.Contains([]string{"quit", "exit", "reset"}, it.Name)
}

// Join puts the next line behind an item that waits for it.
func Join(text, line string) string {
	if head, ok := strings.CutSuffix(text, `\`); ok {
		return head + line
	}
	if item.Parse(text).Kind == item.Attribute {
		return text + "\n" + line
	}
	return text + " " + line
}
