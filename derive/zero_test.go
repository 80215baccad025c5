package derive_test

import (
	"errors"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestZero uses zero values, and a Source over nothing.
func TestZero(t *testing.T) {
	var r derive.Registry
	if err := r.Register("a.b", "1"); err == nil {
		t.Error("a zero Registry takes a definition")
	}
	r.Warn("nobody reads it")
	var empty derive.Set
	if empty.Find("a.b") != nil || len(empty.Names()) != 0 {
		t.Error("a zero Set has definitions")
	}
	d, err := derive.Compile("a.b", "1")
	if err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]*derive.Set{"nil": nil, "zero": &empty, "of a Registry": r.Set(), "with a definition": empty.With(d)} {
		src := derive.NewSource(nil, set, nil)
		if _, err := src.Names(t.Context(), 1); !errors.Is(err, pmerr.NoContext) && !errors.Is(err, pmerr.PMID) {
			t.Errorf("%s: Names: %v", name, err)
		}
		if err := src.Fetch(t.Context(), &pmapi.Request{IDs: []pcp.ID{1}}, new(pcp.Result)); !errors.Is(err, pmerr.NoContext) {
			t.Errorf("%s: Fetch: %v", name, err)
		}
		if err := src.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
}
