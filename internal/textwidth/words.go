package textwidth

import (
	"fmt"
	"strings"
)

// Plural returns a number of things.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// OneLine returns an expression without newlines.
func OneLine(expr string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(expr))
}
