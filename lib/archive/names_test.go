package archive

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// nameSet returns a Set with names only; each gets the next identifier, unless it has one after a
// colon.
func nameSet(t testing.TB, names ...string) *Set {
	t.Helper()
	s := newSet(nil)
	for i, name := range names {
		id := int64(i + 1)
		if base, number, ok := strings.Cut(name, ":"); ok {
			fmt.Sscan(number, &id)
			name = base
		}
		rec := descRecord{desc: pcp.Desc{ID: pcp.ID(id)}, names: append(wire.AppendUint32(nil, uint32(len(name))), name...)}
		if err := s.mergeDesc(&rec, new(strings.Builder)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// walk returns the names that Walk gives.
func walk(s *Set, prefix string) string {
	var names []string
	if err := s.Walk(prefix, func(name string, id pcp.ID) bool {
		names = append(names, fmt.Sprintf("%s:%d", name, uint32(id)))
		return true
	}); err != nil {
		return pmerr.Of(err).Name()
	}
	return strings.Join(names, " ")
}

func TestWalk(t *testing.T) {
	tests := []struct {
		name   string
		names  []string
		prefix string
		want   string
	}{
		// The order of the reference: later ones first at each level.
		{"order", []string{"pmcd.host", "pmcd.port", "sample.lights", "sample.bin"}, "", "sample.bin:4 sample.lights:3 pmcd.port:2 pmcd.host:1"},
		{"below", []string{"pmcd.host", "pmcd.port", "sample.lights"}, "pmcd", "pmcd.port:2 pmcd.host:1"},
		{"leaf", []string{"pmcd.host", "pmcd.port"}, "pmcd.port", "pmcd.port:2"},
		{"unknown", []string{"pmcd.host"}, "pmcd.hos", "PM_ERR_NAME"},
		{"later ID for a name", []string{"a.b", "a.b", "a.c"}, "", "a.c:3 a.b:1"},
		{"leaf becomes inner", []string{"a.b", "a.b.c"}, "", "a.b.c:2"},
		{"inner stays inner", []string{"a.b.c", "a.b"}, "", "a.b.c:1"},
		{"deep", []string{"a.b.c.d.e"}, "a.b.c", "a.b.c.d.e:1"},
		{"empty name", []string{"", "a"}, "", "a:2"},
		{"odd dots", []string{"a..b", "c."}, "", "c.:2 a..b:1"},
		{"no metric", []string{"a.b:4294967295", "a.c"}, "", "a.c:2"},
		{"no first component", []string{".", ".a", "..", ".b.c", "d"}, "", "d:5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := nameSet(t, tt.names...)
			if got := walk(s, tt.prefix); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			checkTree(t, s)
		})
	}
	s := nameSet(t, "a", "b", "c")
	n := 0
	if err := s.Walk("", func(string, pcp.ID) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("a walk that was ended: %d names, %v", n, err)
	}
}

func TestLookup(t *testing.T) {
	s := nameSet(t, "a.b", "a.b.c", "d")
	tests := []struct {
		name string
		id   pcp.ID
		err  error
	}{
		{"d", 3, nil},
		{"a.b.c", 2, nil},
		{"a.b", pcp.NullID, pmerr.NonLeaf},
		{"a", pcp.NullID, pmerr.NonLeaf},
		{"", pcp.NullID, pmerr.Name},
		{"e", pcp.NullID, pmerr.Name},
		{"d.", pcp.NullID, pmerr.Name},
	}
	for _, tt := range tests {
		if id, err := s.Lookup(tt.name); id != tt.id || !errors.Is(err, tt.err) {
			t.Errorf("%q: got %v, %v", tt.name, id, err)
		}
	}
	if got, err := s.Names(1); len(got) != 0 || !errors.Is(err, pmerr.PMID) {
		t.Errorf("names of what became an inner node: %q, %v", got, err)
	}
}

func TestNames(t *testing.T) {
	// As pmlogdump shows them for a metric of ok-foo_v3: the order of the walk from its end.
	s := nameSet(t, "sample.dupnames.two.x:9", "sample.dupnames.five.bin:7", "sample.dupnames.four.bin:7",
		"sample.dupnames.three.bin:7", "sample.dupnames.two.bin:7", "sample.bin:7", "other:8")
	want := []string{"sample.dupnames.two.bin", "sample.dupnames.five.bin", "sample.dupnames.four.bin", "sample.dupnames.three.bin", "sample.bin"}
	if got, err := s.Names(7); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := s.Names(8); err != nil || !slices.Equal(got, []string{"other"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := s.Names(1); got != nil || !errors.Is(err, pmerr.PMID) {
		t.Errorf("unknown metric: got %q, %v", got, err)
	}
}

func TestChildren(t *testing.T) {
	s := nameSet(t, "a.b", "a.c.d", "e")
	tests := []struct {
		name string
		want []pcp.Child
	}{
		{"", []pcp.Child{{Name: "e", Leaf: true}, {Name: "a", Leaf: false}}},
		{"a", []pcp.Child{{Name: "c", Leaf: false}, {Name: "b", Leaf: true}}},
		{"e", []pcp.Child{}},
	}
	for _, tt := range tests {
		if got, err := s.Children(tt.name); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	if _, err := s.Children("b"); !errors.Is(err, pmerr.Name) {
		t.Errorf("unknown: got %v", err)
	}
}
