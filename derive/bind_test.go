package derive_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// TestMasking covers names that exist twice.
func TestMasking(t *testing.T) {
	ctx, f := context.Background(), newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "sample.byte_ctr=7", "g.both=1", "g.later=2")
	if id := lookup(t, src, "sample.byte_ctr"); id != f.metrics["sample.byte_ctr"].desc.ID {
		t.Errorf("derived metric hides %v", id)
	}
	global := lookup(t, src, "g.both")
	if err := src.Add(ctx, "g.both", "5"); err != nil {
		t.Fatal(err)
	}
	id := lookup(t, src, "g.both")
	if id == global || fetch(t, f, src, id)[0] != "5" {
		t.Errorf("own metric does not hide the global one")
	}
	if _, err := src.Names(ctx, global); !errors.Is(err, pmerr.PMID) {
		t.Errorf("hidden metric has a name: %v", err)
	}
	// Hidden even by a definition that cannot be bound, but not by one that cannot be parsed.
	if err := src.Add(ctx, "g.later", "1 +"); err == nil {
		t.Error("no error")
	}
	if got := fetch(t, f, src, lookup(t, src, "g.later"))[0]; got != "2" {
		t.Errorf("g.later is %s", got)
	}
	if err := src.Add(ctx, "g.later", "no.such"); err == nil {
		t.Error("no error")
	}
	if _, err := describe(t, src, lookup(t, src, "g.later")); !errors.Is(err, pmerr.BadDerive) {
		t.Errorf("g.later: %v", err)
	}
	if err := src.Add(ctx, "sample.kbyte_ctr", "1"); err != nil {
		t.Errorf("own metric below a base metric: %v", err)
	}
	if len(w) > 0 {
		t.Errorf("warned: %q", w)
	}
}

// TestBinding checks when definitions are bound: once, with one warning, and not by looking up
// names.
func TestBinding(t *testing.T) {
	ctx, f := context.Background(), newFake(qa)
	var w lines
	src, reg := define(t, f, &w, "x.a=no.such", "y.b=sample.byte_ctr + 1", "y.c=sample.bad.unknown",
		"y.d=1 ? sample.long.one : defined(sample.bad.unknown)", "z.self=z.self", "z.p=z.q", "z.q=z.p",
		"z.alias=x.ok", "x.ok=1", "z.meta=mkconst(5,meta=x.k)", "x.k=sample.byte_ctr*2", "z.nested=x.ok+1")
	bad := lookup(t, src, "x.a")
	if _, err := src.Names(ctx, bad); err != nil || len(w) > 0 {
		t.Errorf("%v, %q", err, w)
	}
	for range 2 {
		for _, name := range []string{"x.a", "y.b", "y.c", "y.d", "z.self", "z.p", "z.q", "z.nested"} {
			if _, err := describe(t, src, lookup(t, src, name)); !errors.Is(err, pmerr.BadDerive) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	want := []string{
		"Semantic error: derived metric x.a: operand no.such: Unknown operand metric",
		"Semantic error: derived metric y.b: sample.byte_ctr + 1: Illegal operator for counter and non-counter",
		"Semantic error: derived metric y.c: operand sample.bad.unknown: Metadata for operand metric not available",
		"Semantic error: derived metric y.d: operand sample.bad.unknown: Metadata for operand metric not available",
		"Semantic error: derived metric z.self: operand z.self: Illegal nested derived metric",
	}
	if len(w) < 8 || !slices.Equal(w[:5], want) || w[len(w)-1] != "Semantic error: derived metric z.nested: operand x.ok: Illegal nested derived metric" {
		t.Errorf("warned\n%s", strings.Join(w, "\n"))
	}
	if d, err := describe(t, src, lookup(t, src, "z.meta")); err != nil || showDesc(d) != "U32 - counter byte" {
		t.Errorf("z.meta: %s, %v", showDesc(d), err)
	}
	alias := lookup(t, src, "z.alias")
	if d, err := describe(t, src, alias); err != nil || showDesc(d) != "U32 - discrete none" {
		t.Errorf("z.alias: %s, %v", showDesc(d), err)
	}
	if got := fetch(t, f, src, alias)[0]; got != "Error: Unknown or illegal metric identifier" {
		t.Errorf("z.alias: %s", got)
	}
	// A second Source over the same definitions says it again.
	n := len(w)
	if _, err := describe(t, derive.NewSource(newFake(qa), reg.Set(), nil), bad); err == nil || len(w) != n+1 {
		t.Errorf("second source: %v, %d lines", err, len(w)-n)
	}
}

// TestBindingRetries covers a Source below that fails: nothing is kept then.
func TestBindingRetries(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "x.y=sample.long.one + 1")
	id := lookup(t, src, "x.y")
	f.broken = pmerr.IPC
	ctx := context.Background()
	if _, err := src.Describe(ctx, []pcp.ID{id}); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Describe: %v", err)
	}
	var res pcp.Result
	if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &res); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Fetch: %v", err)
	}
	if err := src.Walk(ctx, "", true, func(string, pcp.ID) bool { return true }); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Walk: %v", err)
	}
	if _, err := src.Children(ctx, ""); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Children: %v", err)
	}
	if _, err := src.Lookup(ctx, []string{"x.y"}); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Lookup: %v", err)
	}
	if err := src.Add(ctx, "p.q", "sample.long.one"); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Add: %v", err)
	}
	f.broken = nil
	if got := fetch(t, f, src, id, lookup(t, src, "p.q")); got[0] != "2" || got[1] != "1" || len(w) > 0 {
		t.Errorf("%v, %q", got, w)
	}
}

// TestNoValueOption covers OPTION_NOVALUE.
func TestNoValueOption(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, reg := define(t, f, &w, "a=no.such+1", "b=count(no.such)", "c=sum(no.such)", "d=defined(no.such)", "e=no.such?1:2",
		"f=1-1 ? no.such : sample.long.one", "g=no.such+sample.byte_ctr")
	if err := reg.SetControl(derive.NoValueOption, 1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "none", "b": "0", "c": "0", "d": "0", "e": "none", "f": "1"} {
		if got := fetch(t, f, src, lookup(t, src, name))[0]; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if _, err := describe(t, src, lookup(t, src, "g")); !errors.Is(err, pmerr.BadDerive) {
		t.Errorf("g: %v", err)
	}
}
