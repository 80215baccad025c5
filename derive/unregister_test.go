package derive_test

import (
	"context"
	"errors"
	"testing"

	"pmtools/derive"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// fetchOne fetches one metric.
func fetchOne(t *testing.T, s pmapi.Source, id pcp.ID) *pcp.Values {
	t.Helper()
	var r pcp.Result
	if err := s.Fetch(context.Background(), &pmapi.Request{IDs: []pcp.ID{id}}, &r); err != nil {
		t.Fatal(err)
	}
	return &r.Sets[0]
}

// TestUnregister removes metrics of a Registry that several Sources share.
func TestUnregister(t *testing.T) {
	ctx := context.Background()
	for _, archive := range []bool{false, true} {
		base := func() pmapi.Source {
			if archive {
				return fakeArchive{newFake(small)}
			}
			return newFake(small)
		}
		var w lines
		one, reg := define(t, base(), &w, "g.a=1", "g.b=c", "both=b.one")
		two := derive.NewSource(base(), reg, nil)
		for _, s := range []*derive.Source{one, two} {
			if err := s.Add(ctx, "both", "c + 1"); err != nil {
				t.Fatal(err)
			}
		}
		if err := one.Add(ctx, "own", "c * 2"); err != nil {
			t.Fatal(err)
		}
		before := lookup(t, one, "g.b")
		if v := fetchOne(t, one, before); v.Len() != 1 {
			t.Errorf("%d values", v.Len())
		}
		for _, tt := range []struct {
			name string
			n    int
			err  error
		}{{"nosuch", 0, pmerr.Name}, {"c", 0, pmerr.Name}, {"g.b", 2, nil}, {"g.b", 0, pmerr.Name}, {"both", 4, nil}, {"own", 1, nil}, {"own", 0, pmerr.Name}} {
			if n, err := reg.Unregister(tt.name); n != tt.n || !errors.Is(err, tt.err) {
				t.Errorf("Unregister(%s) is %d, %v; want %d, %v", tt.name, n, err, tt.n, tt.err)
			}
		}
		if v := fetchOne(t, one, before); v.Err != pmerr.PMID {
			t.Errorf("a removed metric has error %v", v.Err)
		}
		if r, err := one.Lookup(ctx, []string{"g.b", "both", "own", "g.a"}); err != nil {
			t.Errorf("%v, %v", r, err)
		} else if r[0].Err == nil || r[1].Err == nil {
			t.Errorf("%v, %v", r, err)
		} else if r[2].Err == nil || r[3].Err != nil {
			t.Errorf("%v, %v", r, err)
		}
		if got := walk(t, two, "g"); got != "g.a" {
			t.Errorf("walk: %s", got)
		}
		if err := reg.Register("g.b", "c + 3"); err != nil {
			t.Fatal(err)
		}
		if err := two.Add(ctx, "own", "1"); err != nil {
			t.Fatal(err)
		}
		if id := lookup(t, two, "g.b"); id.String() != "511.0.6" {
			t.Errorf("defined again, g.b is %v", id)
		}
		if v := fetchOne(t, one, lookup(t, one, "g.b")); v.Len() != 1 || v.Words[0] != 6 {
			t.Errorf("g.b has %v", v.Words)
		}
		if got := walk(t, one, "g"); got != "g.a g.b" {
			t.Errorf("walk: %s", got)
		}
		n := 0
		for range reg.All() {
			n++
		}
		if n != 4 { // event.flags, event.missed, g.a, g.b
			t.Errorf("%d definitions", n)
		}
	}
}

// TestUnregisterClosed counts only Sources that are open.
func TestUnregisterClosed(t *testing.T) {
	ctx := context.Background()
	var w lines
	one, reg := define(t, newFake(small), &w, "g.a=1")
	two := derive.NewSource(newFake(small), reg, nil)
	if err := two.Add(ctx, "own", "1"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := two.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := reg.Unregister("own"); n != 0 || !errors.Is(err, pmerr.Name) {
		t.Errorf("own: %d, %v", n, err)
	}
	if n, err := reg.Unregister("g.a"); n != 1 || err != nil {
		t.Errorf("g.a: %d, %v", n, err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := reg.Unregister("event.missed"); n != 0 || err != nil {
		t.Errorf("event.missed: %d, %v", n, err)
	}
}

// TestUnregisterLimit checks that removed metrics still count.
func TestUnregisterLimit(t *testing.T) {
	reg := derive.NewRegistry(nil)
	if err := reg.SetControl(derive.GlobalLimit, 1); err != nil {
		t.Fatal(err)
	}
	if err := reg.Register("a", "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := reg.Unregister("a"); err != nil {
		t.Fatal(err)
	}
	var bad *syntax.Error
	if err := reg.Register("b", "1"); !errors.As(err, &bad) || bad.Msg != "Too many global derived metrics" {
		t.Errorf("%v", err)
	}
}
