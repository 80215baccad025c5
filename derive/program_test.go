package derive_test

import (
	"errors"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestProgram compiles without a Source.
func TestProgram(t *testing.T) {
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
	if _, _, err := p.Bind(noMetrics{}, nil); !errors.Is(err, pmerr.BadDerive) {
		t.Errorf("%v", err)
	}
	one, err := derive.Compile("one", "1")
	if err != nil {
		t.Fatal(err)
	}
	if plan, info, err := one.Bind(noMetrics{}, nil); plan == nil || info == nil || err != nil {
		t.Errorf("%v, %v, %v", plan, info, err)
	}
}

// noMetrics is a world without metrics.
type noMetrics struct{}

func (noMetrics) Lookup(string) (pcp.ID, bool, error) { return pcp.NullID, false, pmerr.Name }

func (noMetrics) Describe(pcp.ID) (pcp.Desc, error) { return pcp.Desc{}, pmerr.PMID }
