package derive_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// TestIdentifiers follows the identifiers that definitions get.
func TestIdentifiers(t *testing.T) {
	var w lines
	_, reg := define(t, newFake(qa), &w, "d.one=1")
	if err := reg.Register("d.bad", "1 +"); err == nil {
		t.Error("no syntax error")
	}
	if err := reg.Register("d.two", "no.such"); err != nil {
		t.Error(err)
	}
	for i := range 1100 {
		if err := reg.Register(fmt.Sprintf("many.m%d", i), "1"); err != nil {
			t.Fatal(err)
		}
	}
	src := derive.NewSource(newFake(qa), reg.Set(), nil)
	ctx := context.Background()
	if err := src.Add(ctx, "p.bad", "1 +"); err == nil {
		t.Error("no syntax error")
	}
	if err := src.Add(ctx, "p.one", "no.such"); err == nil {
		t.Error("no semantic error")
	}
	if err := src.Add(ctx, "p.two", "2"); err != nil {
		t.Error(err)
	}
	other := derive.NewSource(newFake(qa), reg.Set(), nil)
	if err := other.Add(ctx, "q.one", "1"); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		src      *derive.Source
		name, id string
	}{
		{src, "event.flags", "511.0.1"}, {src, "event.missed", "511.0.2"}, {src, "d.one", "511.0.3"}, {src, "d.two", "511.0.4"},
		{src, "p.one", "511.2047.1023"}, {src, "p.two", "511.2047.1022"}, {other, "q.one", "511.2047.1023"},
	} {
		id := lookup(t, tt.src, tt.name)
		names, err := tt.src.Names(ctx, id)
		if id.String() != tt.id || err != nil {
			t.Errorf("%s is %v, which is called %v (%v)", tt.name, id, names, err)
		} else if len(names) != 1 || names[0] != tt.name {
			t.Errorf("%s is %v, which is called %v (%v)", tt.name, id, names, err)
		}
	}
	for i := range 1100 {
		if err := src.Add(ctx, fmt.Sprintf("more.m%d", i), "1"); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"many.m1018": "511.0.1023", "many.m1019": "511.1.1", "more.m1020": "511.2047.1", "more.m1021": "511.2046.1023",
	} {
		id := lookup(t, src, name)
		if names, _ := src.Names(ctx, id); id.String() != want || len(names) != 1 || names[0] != name {
			t.Errorf("%s is %v, which is called %v", name, id, names)
		}
	}
	if _, err := src.Names(ctx, pcp.NewID(511, 77, 7)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("unknown identifier: %v", err)
	}
}

// walk returns the names at or below a node.
func walk(t *testing.T, s pmapi.Source, name string) string {
	t.Helper()
	var list []string
	err := s.Walk(context.Background(), name, true, func(n string, id pcp.ID) bool {
		if lookup(t, s, n) != id {
			t.Errorf("%s has two identifiers", n)
		}
		list = append(list, n)
		return true
	})
	if err != nil {
		return err.Error()
	}
	return strings.Join(list, " ")
}

const small = `
b.one|32|-|instant||1
b.two.x|32|-|instant||2
c|32|-|instant||3
`

// TestWalk lists names over a daemon and over an archive.
func TestWalk(t *testing.T) {
	defs := []string{"b.new=1", "a.x.p=2", "b.one=3", "c.sub=4", "a.y=c", "b.bad=no.such", "b.two.y=5", "a.x.q=6", "b.two=7", "d=8"}
	tests := []struct{ name, live, archive string }{
		{"", "b.one b.two.x c event.flags event.missed b.new a.x.p c.sub a.y b.two.y a.x.q b.two d",
			"b.one b.two.x b.two b.two.y b.new c c.sub event.flags event.missed a.x.p a.x.q a.y d"},
		{"b", "b.one b.two.x b.new b.two.y b.two", "b.one b.two.x b.two b.two.y b.new"},
		{"b.two", "b.two.x b.two.y b.two", "b.two.x b.two b.two.y"},
		{"b.one", "b.one", "b.one"},
		{"c", "c c.sub", "c c.sub"},
		{"a", "a.x.p a.y a.x.q", "a.x.p a.x.q a.y"},
		{"a.x.p", "a.x.p", "a.x.p"},
		{"b.bad", "Unknown metric name", "Unknown metric name"},
		{"nosuch", "Unknown metric name", "Unknown metric name"},
		{"a.x.p.z", "Unknown metric name", "Unknown metric name"},
		{"event", "event.flags event.missed", "event.flags event.missed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w lines
			src, _ := define(t, newFake(small), &w, defs...)
			if got := walk(t, src, tt.name); got != tt.live {
				t.Errorf("live: %s\nwant  %s", got, tt.live)
			}
			src, _ = define(t, fakeArchive{newFake(small)}, &w, defs...)
			if got := walk(t, src, tt.name); got != tt.archive {
				t.Errorf("archive: %s\nwant     %s", got, tt.archive)
			}
		})
	}
}

// TestNamesAlone lists names over a Source that has nothing else, where nobody knows which
// definitions are valid.
func TestNamesAlone(t *testing.T) {
	var names pmns.Tree
	names.Add("a.b", pcp.NewID(29, 0, 1))
	names.Add("a.c", pcp.NewID(29, 0, 2))
	var w lines
	src, _ := define(t, pmapi.WithNames(nil, &names), &w, "d.x=a.b + a.c", "a.bad=no.such", "a.b=7", "a.q.r=d.x", "d.y=1")
	for name, want := range map[string]string{
		"": "a.b a.c a.bad a.q.r event.flags event.missed d.x d.y", "a": "a.b a.c a.bad a.q.r", "a.q": "a.q.r", "a.bad": "a.bad",
		"a.b": "a.b", "d": "d.x d.y", "d.z": "Unknown metric name",
	} {
		if got := walk(t, src, name); got != want {
			t.Errorf("below %q: %s, want %s", name, got, want)
		}
	}
	list, err := src.Children(context.Background(), "a")
	if got, want := fmt.Sprint(list), "[{b true} {c true} {bad true} {q false}]"; got != want || err != nil {
		t.Errorf("children: %s (%v), want %s", got, err, want)
	}
	if len(w) > 0 {
		t.Errorf("warned %q", w)
	}
}

// TestWalkStops ends walks after each number of names.
func TestWalkStops(t *testing.T) {
	for _, base := range []pmapi.Source{newFake(small), fakeArchive{newFake(small)}} {
		var w lines
		src, _ := define(t, base, &w, "b.new=1", "a.x=2", "c.sub=3")
		for stop := 1; stop < 9; stop++ {
			n := 0
			if err := src.Walk(context.Background(), "", true, func(string, pcp.ID) bool { n++; return n < stop }); err != nil || n > stop {
				t.Errorf("%d names, want at most %d (%v)", n, stop, err)
			}
		}
	}
}

// TestChildren lists nodes.
func TestChildren(t *testing.T) {
	var w lines
	src, _ := define(t, newFake(small), &w, "b.new=1", "a.x.p=2", "b.one.z=3", "b.bad=no.such", "b.two.y=5", "d=8")
	for name, want := range map[string]string{
		"": "b/ c event/ a/ d", "b": "one two/ new", "b.two": "x y", "b.one": "z", "a": "x/", "a.x": "p", "a.x.p": "", "c": "",
		"nosuch": "Unknown metric name", "b.bad": "Unknown metric name",
	} {
		list, err := src.Children(context.Background(), name)
		var parts []string
		for _, c := range list {
			if c.Leaf {
				parts = append(parts, c.Name)
			} else {
				parts = append(parts, c.Name+"/")
			}
		}
		got := strings.Join(parts, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("children of %q: %s, want %s", name, got, want)
		}
	}
	if want := []string{"Semantic error: derived metric b.bad: operand no.such: Unknown operand metric"}; !slices.Equal(w, want) {
		t.Errorf("warned %q", w)
	}
}
