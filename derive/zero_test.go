package derive_test

import (
	"errors"
	"testing"

	"pmtools/derive"
	"pmtools/lib/archive/archivetest"
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

// TestZeroDefinition has metrics that were made of nothing.
func TestZeroDefinition(t *testing.T) {
	var d derive.Definition
	if d.Name() != "" || d.String() != "" || len(d.With(derive.Notes{}).Anonymous().Rate().Metrics()) != 1 {
		t.Errorf("%q is %q", d.Name(), &d)
	}
	for _, nested := range []bool{false, true} {
		src := derive.NewSource(nil, derive.NewSet().With(&d), &derive.Options{Nested: nested})
		ids := src.Define(&d, nil, d.Rate())
		found, err := src.Check(t.Context(), ids...)
		if err == nil || len(found) != 0 {
			t.Errorf("checked %v over nothing: %v", found, err)
		}
		base, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "demo"), nil)
		if err != nil {
			t.Fatal(err)
		}
		src = derive.NewSource(base, nil, &derive.Options{Nested: nested})
		defer src.Close()
		ids = src.Define(&d, nil)
		if found, err = src.Check(t.Context(), ids...); err != nil || found[0].Err != nil || found[1].Err != nil {
			t.Errorf("%+v, %v", found, err)
		}
		var res pcp.Result
		if err := src.Fetch(t.Context(), &pmapi.Request{IDs: ids}, &res); err != nil || res.Sets[0].Len() != 0 || res.Sets[1].Len() != 0 {
			t.Errorf("values %+v, %v", res.Sets, err)
		}
	}
}

// TestZeroSource calls each method of a Source that NewSource has not made.
func TestZeroSource(t *testing.T) {
	var s derive.Source
	ctx := t.Context()
	derived := pcp.NewID(pcp.DynamicDomain, 0, 1)
	for name, f := range map[string]func() error{
		"Lookup":     func() error { _, err := s.Lookup(ctx, []string{"a"}); return err },
		"Names":      func() error { _, err := s.Names(ctx, derived); return err },
		"Children":   func() error { _, err := s.Children(ctx, "a"); return err },
		"Walk":       func() error { return s.Walk(ctx, "a", true, func(string, pcp.ID) bool { return true }) },
		"Describe":   func() error { _, err := s.Describe(ctx, []pcp.ID{derived}); return err },
		"Text":       func() error { _, err := s.Text(ctx, pcp.OneLine, []uint32{1}); return err },
		"Labels":     func() error { _, err := s.Labels(ctx, pcp.ItemLabels, []uint32{1}, pmapi.Now()); return err },
		"Instances":  func() error { _, err := s.Instances(ctx, []pcp.InDom{1}, pmapi.Now()); return err },
		"LookupInst": func() error { _, err := s.LookupInst(ctx, 1, "a"); return err },
		"InstName":   func() error { _, err := s.InstName(ctx, 1, 1); return err },
		"Fetch":      func() error { return s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{derived}}, new(pcp.Result)) },
		"Add":        func() error { return s.Add(ctx, "a", "1") },
		"Store":      func() error { return s.Store(ctx, nil) },
		"Reconnect":  func() error { return s.Reconnect(ctx) },
		"Check":      func() error { _, err := s.Check(ctx, s.Define(new(derive.Definition))...); return err },
	} {
		if err := f(); !errors.Is(err, pmerr.NoContext) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if host, zone := s.Host(); host != "" || zone != "" {
		t.Errorf("host %q, zone %q", host, zone)
	}
	if base, err := s.Unwrap(), s.Close(); base != nil || err != nil {
		t.Errorf("over %v, closed with %v", base, err)
	}
}
