package derive_test

import (
	"errors"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
)

// TestDefinition compiles without a Source.
func TestDefinition(t *testing.T) {
	p, err := derive.Compile("x.y", "rate(a.b) + defined(c.d) * a.b")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Name() + ": " + p.String() + ": " + strings.Join(p.Metrics(), " "); got != "x.y: rate(a.b) + defined(c.d) * a.b: a.b c.d" {
		t.Error(got)
	}
	if _, err := derive.Compile("x.y", "1 +"); !errors.Is(err, pmerr.BadDerive) {
		t.Errorf("%v", err)
	}
	one, err := derive.Compile("one", "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := one.Expr().(*syntax.IntLit); !ok {
		t.Errorf("got %T", one.Expr())
	}
}
