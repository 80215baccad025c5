package pmns_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// example is the tree of values.md V18.2.
func example(t *testing.T) *pmns.Tree {
	t.Helper()
	tree, err := pmns.Parse("ok", []byte("root {\na\ndyn 30:*:*\nz 29:0:1\n}\na {\nb 29:0:1\nc 29:0:2\n}\n"), &pmns.Options{DupOK: true})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestLookup(t *testing.T) {
	tree := example(t)
	for _, c := range []struct {
		name string
		id   string
		err  error
	}{
		{"a.b", "29.0.1", nil},
		{"a.c", "29.0.2", nil},
		{"z", "29.0.1", nil},
		{"dyn", "30.*.*", nil},
		{"dyn.foo.bar", "30.*.*", nil},
		{"a", "", pmerr.NonLeaf},
		{"a.zz", "", pmerr.Name},
		{"zz", "", pmerr.Name},
		{"z.x", "", pmerr.Name},
		{"a.b.c", "", pmerr.Name},
		{"a.", "", pmerr.Name},
		{".a", "", pmerr.Name},
		{"", "", pmerr.Name},
		{"root", "", pmerr.Name},
	} {
		id, err := tree.Lookup(c.name)
		if !errors.Is(err, c.err) || c.err == nil && id.String() != c.id || c.err != nil && id != pcp.NullID {
			t.Errorf("Lookup(%q) = %v, %v, want %v, %v", c.name, id, err, c.id, c.err)
		}
	}
}

func TestNames(t *testing.T) {
	tree := example(t)
	names, err := tree.Names(pcp.NewID(29, 0, 1))
	if diff := cmp.Diff([]string{"z", "a.b"}, names); diff != "" || err != nil {
		t.Errorf("Names = %v, %v", names, err)
	}
	if names, err := tree.Names(pcp.NewID(1, 1, 1)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("Names of an unknown metric = %v, %v", names, err)
	}
	tree.Add("y", pcp.NewID(1, 1, 1))
	if names, err := tree.Names(pcp.NewID(1, 1, 1)); err != nil || len(names) != 1 {
		t.Errorf("Names of a new metric = %v, %v", names, err)
	}
}

func TestChildren(t *testing.T) {
	tree := example(t)
	for _, c := range []struct {
		name string
		want []pcp.Child
		err  error
	}{
		{"", []pcp.Child{{Name: "a"}, {Name: "dyn"}, {Name: "z", Leaf: true}}, nil},
		{"a", []pcp.Child{{Name: "b", Leaf: true}, {Name: "c", Leaf: true}}, nil},
		{"z", []pcp.Child{}, nil},
		{"dyn", []pcp.Child{}, nil},
		{"dyn.x", nil, pmerr.Name},
		{"q", nil, pmerr.Name},
		{"a.", nil, pmerr.Name},
	} {
		got, err := tree.Children(c.name)
		if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.err) {
			t.Errorf("Children(%q): %v, %s", c.name, err, diff)
		}
	}
}

func TestWalk(t *testing.T) {
	tree := example(t)
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"", "a.b a.c dyn z", nil},
		{"a", "a.b a.c", nil},
		{"a.c", "a.c", nil},
		{"dyn", "dyn", nil},
		{"dyn.x", "", pmerr.Name},
		{"nope", "", pmerr.Name},
	} {
		var names []string
		err := tree.Walk(c.name, func(name string, _ pcp.ID) bool {
			names = append(names, name)
			return true
		})
		if got := strings.Join(names, " "); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Walk(%q): %q, %v, want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
	n := 0
	if err := tree.Walk("", func(string, pcp.ID) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("Walk did not stop: %d calls, %v", n, err)
	}
}

// TestAdd builds trees as an archive does (archive.md A2).
func TestAdd(t *testing.T) {
	for _, c := range []struct {
		name, adds, want string
	}{
		{"order of arrival", "b.x=1 a=2 b.a=3", "b.x=1 b.a=3 a=2"},
		{"first identifier stays", "a=1 a=2", "a=1"},
		{"leaf becomes an inner node", "a=1 a.b=2", "a.b=2"},
		{"inner node stays", "a.b=2 a=1", "a.b=2"},
		{"leaf in the middle", "a.b=1 a.b.c.d=2 a.e=3", "a.b.c.d=2 a.e=3"},
		{"empty first component", "=1 .=2 .a=3 ..=4 .a.b=5 d=6", "d=6"},
		{"empty components", "a.=3 a..b=5 c.=6", "a..b=5 c.=6"},
		{"many children", "k=0 j=1 i=2 h=3 g=4 f=5 e=6 d=7 c=8 b=9 a=10 k=11 a=12", "k=0 j=1 i=2 h=3 g=4 f=5 e=6 d=7 c=8 b=9 a=10"},
		{"dynamic root", "d=511.30.0 d.x=2", "d.x=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tree pmns.Tree
			for _, add := range strings.Fields(c.adds) {
				name, text, _ := strings.Cut(add, "=")
				var id uint32
				if _, err := fmt.Sscan(text, &id); err != nil {
					id = 0
				}
				tree.Add(name, pcp.ID(id))
			}
			var got []string
			_ = tree.Walk("", func(name string, id pcp.ID) bool {
				got = append(got, fmt.Sprintf("%s=%d", name, uint32(id)))
				return true
			})
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
			if tree.Len() != len(got) {
				t.Errorf("Len() = %d, want %d", tree.Len(), len(got))
			}
		})
	}
}

func TestAddReports(t *testing.T) {
	var tree pmns.Tree
	for _, c := range []struct {
		name string
		want bool
	}{{"a.b", true}, {"a.b", false}, {"a", false}, {"a.b.c", true}, {"", false}, {".c", false}, {"a..c", true}, {"a..c", false}} {
		if got := tree.Add(c.name, 1); got != c.want {
			t.Errorf("Add(%q) = %v, want %v", c.name, got, c.want)
		}
	}
	if _, err := tree.Lookup("a.b"); !errors.Is(err, pmerr.NonLeaf) {
		t.Errorf("Lookup(a.b) = %v, want NonLeaf", err)
	}
}

// TestLatestFirst lists names as an archive does.
func TestLatestFirst(t *testing.T) {
	tree := pmns.Tree{LatestFirst: true}
	for i, name := range []string{"a.x", "b", "a.y", "c.z", "a.x", "c.y"} {
		tree.Add(name, pcp.ID(1+i%3))
	}
	var got []string
	_ = tree.Walk("", func(name string, id pcp.ID) bool {
		got = append(got, fmt.Sprintf("%s=%d", name, uint32(id)))
		return true
	})
	if want := "[c.y=3 c.z=1 b=2 a.y=3 a.x=1]"; fmt.Sprint(got) != want {
		t.Errorf("Walk: got %v, want %s", got, want)
	}
	if names, err := tree.Names(3); err != nil || fmt.Sprint(names) != "[a.y c.y]" {
		t.Errorf("Names = %v, %v", names, err)
	}
	if list, err := tree.Children(""); err != nil || fmt.Sprint(list) != "[{c false} {b true} {a false}]" {
		t.Errorf("Children = %v, %v", list, err)
	}
}

func TestCull(t *testing.T) {
	tree, err := pmns.Parse("c", []byte("root {\nsample\nfoo\nbar\ndyn 29:*:*\n}\nsample {\nbin 29:0:6\nnope 29:0:999\ncolour 29:0:5\n}\n"+
		"foo {\nx 1:1:1\n}\nbar {\n}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if names, err := tree.Names(pcp.NewID(1, 1, 1)); err != nil {
		t.Fatal(names, err)
	}
	recorded := map[pcp.ID]bool{pcp.NewID(29, 0, 6): true, pcp.NewID(29, 0, 5): true}
	tree.Cull(func(id pcp.ID) bool { return recorded[id] })
	if got, want := listing(tree), "sample.bin PMID: 29.0.6\nsample.colour PMID: 29.0.5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range []string{"foo", "foo.x", "bar", "sample.nope", "dyn", "dyn.x"} {
		if _, err := tree.Lookup(name); !errors.Is(err, pmerr.Name) {
			t.Errorf("Lookup(%q) = %v, want Name", name, err)
		}
		if err := tree.Walk(name, func(string, pcp.ID) bool { return true }); !errors.Is(err, pmerr.Name) {
			t.Errorf("Walk(%q) = %v, want Name", name, err)
		}
	}
	if _, err := tree.Names(pcp.NewID(1, 1, 1)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("Names of a culled metric: %v", err)
	}
	if tree.Len() != 2 {
		t.Errorf("Len() = %d, want 2", tree.Len())
	}
}

func TestCullKeepsIndex(t *testing.T) {
	var tree pmns.Tree
	for i := range 30 {
		tree.Add(fmt.Sprintf("g.m%d", i), pcp.ID(i))
	}
	tree.Cull(func(id pcp.ID) bool { return id%2 == 0 })
	for i := range 30 {
		_, err := tree.Lookup(fmt.Sprintf("g.m%d", i))
		if (err == nil) != (i%2 == 0) {
			t.Errorf("Lookup(g.m%d) = %v", i, err)
		}
	}
}

// names is the number of names of a large host.
const names = 50000

// large returns a tree of a large host, and its names.
func large() (*pmns.Tree, []string) {
	list := make([]string, names)
	for i := range list {
		list[i] = fmt.Sprintf("group%d.part%d.metric%d", i/1000, i/100%10, i%100)
	}
	return grow(list), list
}

// grow returns the tree of a list of names.
func grow(list []string) *pmns.Tree {
	tree := new(pmns.Tree)
	for i, name := range list {
		tree.Add(name, pcp.ID(i))
	}
	return tree
}

func BenchmarkAdd(b *testing.B) {
	_, list := large()
	b.ReportAllocs()
	for b.Loop() {
		grow(list)
	}
}

func BenchmarkLookup(b *testing.B) {
	tree, list := large()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := tree.Lookup(list[i*7919%names]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNames(b *testing.B) {
	tree, _ := large()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := tree.Names(pcp.ID(i * 7919 % names)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	tree, _ := large()
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := tree.Walk("", func(string, pcp.ID) bool { n++; return true }); err != nil || n != names {
			b.Fatal(n, err)
		}
	}
}
