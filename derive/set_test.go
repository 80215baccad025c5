package derive_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
)

// own returns the user's own definitions of a Set.
func own(s *derive.Set) string {
	var list []string
	for _, d := range s.Own() {
		list = append(list, d.Name()+"="+d.String())
	}
	return strings.Join(list, " ")
}

// TestSet: methods that define and remove leave the Set as it was.
func TestSet(t *testing.T) {
	var w lines
	_, reg := define(t, newFake(small), &w, "g.a=1", "g.b=c")
	none := reg.Set()
	one := none.With(compile(t, "x", "1")).With(compile(t, "y", "x + g.a"))
	two := one.With(compile(t, "x", "2")).With(compile(t, "g.b", "3"))
	for _, tt := range []struct {
		set         *derive.Set
		own, names  string
		b, x, users string // the meanings of g.b and x, and what mentions x
	}{
		{none, "", "event.flags event.missed g.a g.b", "c", "", ""},
		{one, "x=1 y=x + g.a", "x y event.flags event.missed g.a g.b", "c", "1", "y"},
		{two, "x=2 y=x + g.a g.b=3", "x y g.b event.flags event.missed g.a", "3", "2", "y"},
		{two.Without("g.b").Without("y"), "x=2", "x event.flags event.missed g.a g.b", "c", "2", ""},
		{two.Replace(nil), "", "event.flags event.missed g.a g.b", "c", "", ""},
	} {
		var users []string
		for _, d := range tt.set.Users("x") {
			users = append(users, d.Name())
		}
		text := func(name string) string {
			if d := tt.set.Find(name); d != nil {
				return d.String()
			}
			return ""
		}
		got := []string{own(tt.set), strings.Join(tt.set.Names(), " "), text("g.b"), text("x"), strings.Join(users, " ")}
		if want := []string{tt.own, tt.names, tt.b, tt.x, tt.users}; !slices.Equal(got, want) {
			t.Errorf("own, names, g.b, x, users are %q, want %q", got, want)
		}
	}
	if own, read := two.Find("g.b").Layer, none.Find("g.b").Layer; own != derive.OwnLayer || read != derive.FileLayer {
		t.Errorf("layers %v and %v", own, read)
	}
	if d := two.FindOwn("g.a"); d != nil {
		t.Errorf("own %v", d)
	}
}

// TestRegistrySets: what a Registry reads later is not in earlier Sets, which goroutines share.
func TestRegistrySets(t *testing.T) {
	var w lines
	_, reg := define(t, newFake(small), &w, "g=c + 1")
	before := reg.Set()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				src := derive.NewSource(newFake(small), before, nil)
				if r, err := src.Lookup(context.Background(), []string{"g"}); err != nil || r[0].Err != nil {
					t.Error(r, err)
				}
			}
		})
	}
	if err := reg.Note("g", "oneline", "text"); err != nil {
		t.Error(err)
	}
	if err := reg.Register("late", "1"); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if before.Find("late") != nil || before.Find("g").OneLine != nil {
		t.Error("the Set has changed")
	}
	after := reg.Set()
	if text, err := after.Find("g").Text(pcp.Help); text != "text" || err != nil || !slices.Contains(after.Names(), "late") {
		t.Errorf("%q, %v: %s", text, err, after.Names())
	}
}
