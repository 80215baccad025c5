package derive_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestMaskingTable is the table of pmRegisterDerived(3): which of several metrics a name means.
func TestMaskingTable(t *testing.T) {
	const name = "m.x"
	recorded := pcp.NewID(pcp.DynamicDomain, 2048, 3)
	tests := []struct {
		base, remapped, local, global bool
		want                          string // the value
	}{
		{false, false, false, false, ""},
		{false, false, false, true, "4"},
		{false, false, true, false, "3"},
		{false, false, true, true, "3"},
		{false, true, false, false, "2"},
		{false, true, false, true, "2"},
		{false, true, true, false, "2"},
		{false, true, true, true, "2"},
		{true, false, false, false, "1"},
		{true, false, false, true, "1"},
		{true, false, true, false, "1"},
		{true, false, true, true, "1"},
	}
	for _, tt := range tests {
		for _, archive := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.base, tt.remapped, tt.local, tt.global, archive), func(t *testing.T) {
				lines := "m.y|32|-|instant||9\n"
				switch {
				case tt.base:
					lines += name + "|32|-|instant||1\n"
				case tt.remapped:
					lines += name + "|32|-|instant||2\n"
				}
				f := newFake(lines)
				if tt.remapped {
					f.metrics[name].desc.ID = recorded
				}
				src := maskSource(t, f, archive, name, tt.local, tt.global)
				checkMask(t, f, src, name, tt.want)
			})
		}
	}
}

// maskSource returns a Source with metrics of its own and of a Registry, both of one name.
func maskSource(t *testing.T, f *fake, archive bool, name string, local, global bool) *derive.Source {
	t.Helper()
	var base pmapi.Source = f
	if archive {
		base = fakeArchive{f}
	}
	var w lines
	var globals []string
	if global {
		globals = append(globals, name+"=mkconst(4,type=32)")
	}
	src, _ := define(t, base, &w, globals...)
	if local {
		if err := src.Add(context.Background(), name, "mkconst(3,type=32)"); err != nil {
			t.Fatal(err)
		}
	}
	return src
}

// checkMask checks that all operations on a name mean the metric with the value wanted, and that
// the metric is there once.
func checkMask(t *testing.T, f *fake, src *derive.Source, name, want string) {
	t.Helper()
	ctx := context.Background()
	found, err := src.Lookup(ctx, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	listed := walk(t, src, "m")
	if want == "" {
		if found[0].Err == nil || listed != "m.y" {
			t.Errorf("found %v, listed %s", found[0].Value, listed)
		}
		return
	}
	if listed != "m.y m.x" || found[0].Err != nil {
		t.Errorf("listed %s, %v", listed, found[0].Err)
	}
	id := found[0].Value
	if names, err := src.Names(ctx, id); err != nil || len(names) != 1 || names[0] != name {
		t.Errorf("%v is called %v, %v", id, names, err)
	}
	d, err := describe(t, src, id)
	if err != nil || d.ID != id || d.Type != pcp.Int32 {
		t.Errorf("description %v, %v", d, err)
	}
	if got := show(f, d, fetchOne(t, src, id)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
}

// TestFreshHistory opens a second Source over the same base, as reopening or duplicating a context
// does: it has all metrics of the Registry, none of its own, and no history.
func TestFreshHistory(t *testing.T) {
	ctx := context.Background()
	f := newFake("c|U32|-|counter|count|100;110;130;160\n")
	var w lines
	first, reg := define(t, f, &w, "d=delta(c)")
	if err := first.Add(ctx, "own", "delta(c)"); err != nil {
		t.Fatal(err)
	}
	id, own := lookup(t, first, "d"), lookup(t, first, "own")
	next := func(s *derive.Source, id pcp.ID, want string) {
		t.Helper()
		if got := show(f, pcp.Desc{}, fetchOne(t, s, id)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	next(first, id, "none")
	next(first, id, "10")
	if err := reg.Register("late", "c * 2"); err != nil {
		t.Fatal(err)
	}
	second := derive.NewSource(f, reg.Set(), nil)
	next(second, lookup(t, second, "d"), "none")
	next(second, id, "30")
	if r, err := second.Lookup(ctx, []string{"own"}); err != nil || !errors.Is(r[0].Err, pmerr.Name) {
		t.Errorf("own: %v, %v", r, err)
	}
	if err := second.Add(ctx, "other", "1"); err != nil {
		t.Fatal(err)
	}
	if got := lookup(t, second, "other"); got != own {
		t.Errorf("the first metric of a Source is %v, want %v", got, own)
	}
	if got := lookup(t, second, "late"); got.String() != "511.0.4" {
		t.Errorf("late is %v", got)
	}
	if r, err := first.Lookup(ctx, []string{"late"}); err != nil || !errors.Is(r[0].Err, pmerr.Name) {
		t.Errorf("the first Source has late: %v, %v", r, err)
	}
}

// TestSourceText reads help texts of a Registry's definitions and of own ones.
func TestSourceText(t *testing.T) {
	ctx := context.Background()
	var w lines
	_, reg := define(t, newFake(small), &w, "both=1", "global=2")
	for _, tt := range []struct {
		name, attr string
		err        error
	}{
		{"both", "oneline", nil}, {"both", "oneline", pmerr.Text}, {"global", "helptext", nil}, {"nosuch", "helptext", pmerr.Name},
		{"c", "helptext", pmerr.Name}, {"both", "both", pmerr.Arg},
	} {
		if err := reg.Note(tt.name, tt.attr, "text of "+tt.name); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
	}
	text := "own text"
	own := compile(t, "both", "3").With(derive.Notes{OneLine: &text})
	src, other := derive.NewSource(newFake(small), reg.Set().With(own), nil), derive.NewSource(newFake(small), reg.Set(), nil)
	for _, tt := range []struct {
		src        *derive.Source
		name, want string
	}{{src, "both", "own text"}, {other, "both", "text of both"}, {src, "global", "text of global"}, {other, "global", "text of global"}, {src, "event.nosuch", ""}} {
		found, err := tt.src.Lookup(ctx, []string{tt.name})
		if err != nil {
			t.Fatal(err)
		}
		got, err := pmapi.LookupText(ctx, tt.src, pcp.Help, uint32(found[0].Value))
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	if src.Limit() != -1 {
		t.Errorf("limit %d", src.Limit())
	}
}
