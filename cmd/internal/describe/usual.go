package describe

import (
	_ "embed"
	"slices"
	"strings"
)

// usualQuestions has the usual questions about metrics, and expressions that answer them.
//
//go:embed usual.txt
var usualQuestions string

// usual returns the expressions that answer the usual questions about a metric, if there are some.
func usual(name string) (list []Trial) {
	for line := range strings.Lines(usualQuestions) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for part := range strings.SplitSeq(name, ".") {
			cells := strings.Split(strings.TrimSpace(fill(line, part)), " | ")
			if slices.Contains(strings.Fields(cells[0]), name) {
				list = append(list, Trial{Name: cells[1], Why: cells[2], Expr: cells[3]})
				break
			}
		}
	}
	return list
}

// fill puts part in the place of the stars within names; a star between blanks multiplies.
func fill(text, part string) string {
	return strings.NewReplacer(" * ", " * ", "*", part).Replace(text)
}
