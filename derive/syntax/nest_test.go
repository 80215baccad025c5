package syntax

import (
	"strings"
	"testing"
)

// TestNestShape covers the largest trees of each form that the parser accepts: their shapes are within
// its limits too, so that a definition is not refused before another one stands in it.
func TestNestShape(t *testing.T) {
	config := *testConfig
	config.Extended = true
	for _, tt := range []struct{ name, before, inner, after string }{
		{"choices to the left", "1?2:", "a", ""},
		{"choices of choices", "1?2:(", "a", ")"},
		{"choices in the middle", "1?", "a", ":2"},
		{"guards", "(", "a", ")?1:2"},
		{"parentheses", "(", "a", ")"},
		{"negations", "-", "a", ""},
		{"nots", "!", "a", ""},
		{"sums", "1+", "a", ""},
		{"sums to the right", "1+(", "a", ")"},
		{"instances", "(", "a[i]", ")[i]"},
		{"calls", "rate(", "count(a)", ")"},
		{"aggregates", "sum(", "a", ")"},
		{"groups", "sum(", "a", ")by(x)"},
		{"parameters", "topn(1,", "a", ")"},
		{"functions over time", "avg_over(", "a", ",5min)"},
		{"conversions", "rescale(", "a", `,"s")`},
		{"patterns", "matchinst(/x/,", "a", ")"},
		{"pairs to the left", "max(", "a", ",1)"},
		{"pairs to the right", "max(1,", "a", ")"},
		{"clamps", "clamp(", "a", ",1,2)"},
		{"clamps in the middle", "clamp(1,", "a", ",2)"},
		{"clamps to the right", "clamp(1,2,", "a", ")"},
	} {
		accepted := 0
		for _, n := range []int{MaxDepth/2 - 1, MaxDepth - 2, MaxHeight - 2} {
			x, err := config.Parse(strings.Repeat(tt.before, n) + tt.inner + strings.Repeat(tt.after, n))
			if err != nil {
				continue
			}
			accepted++
			_, shape := Nest(x, func(*MetricRef) (Expr, Shape) { return nil, Shape{} })
			if shape.Depth > MaxDepth || shape.Height > MaxHeight {
				t.Errorf("%s: %d levels have the shape %v", tt.name, n, shape)
			}
		}
		if accepted == 0 {
			t.Errorf("%s: no depth is accepted", tt.name)
		}
	}
}
