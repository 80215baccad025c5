package pmda

import (
	"errors"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// TestDynamicNames checks the answers about names below a dynamic root (collector.md C3.7), and
// that others are not answered.
func TestDynamicNames(t *testing.T) {
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Name: "x.static", Cluster: 0, Item: 9},
		{Name: "x.dyn", Dynamic: true},
		{Name: "x.dyn.one", Cluster: 0, Item: 1},
		{Name: "x.dyn.sub.two", Cluster: 0, Item: 2},
		{Name: "x.dyn.sub.too", Cluster: 0, Item: 2},
		{Name: "x.dyn.status", Domain: 2, Cluster: 4, Item: 1},
		{Name: "x.dynamo", Cluster: 0, Item: 3},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := serve(t, &Server{Provider: a})
	for _, tt := range []struct {
		name string
		ask  pdu.Message
		want pdu.Message
	}{
		{"metric", &pdu.Names{Names: []string{"x.dyn.sub.too"}}, &pdu.IDs{Status: 1, IDs: []pcp.ID{pcp.NewID(30, 0, 2)}}},
		{"metric of another agent", &pdu.Names{Names: []string{"x.dyn.status"}}, &pdu.IDs{Status: 1, IDs: []pcp.ID{pcp.NewID(2, 4, 1)}}},
		{"inner node", &pdu.Names{Names: []string{"x.dyn.sub"}}, &pdu.Error{Code: pmerr.NonLeaf}},
		{"root", &pdu.Names{Names: []string{"x.dyn"}}, &pdu.Error{Code: pmerr.NonLeaf}},
		{"unknown name", &pdu.Names{Names: []string{"x.dyn.on"}}, &pdu.Error{Code: pmerr.Name}},
		{"static name", &pdu.Names{Names: []string{"x.static"}}, &pdu.Error{Code: pmerr.Name}},
		{"names", &pdu.IDs{IDs: []pcp.ID{pcp.NewID(30, 0, 2)}}, &pdu.Names{Names: []string{"x.dyn.sub.two", "x.dyn.sub.too"}}},
		{"names of a static metric", &pdu.IDs{IDs: []pcp.ID{pcp.NewID(30, 0, 9)}}, &pdu.Error{Code: pmerr.PMID}},
		{"children", &pdu.Child{Name: "x.dyn", Status: true}, &pdu.Names{Names: []string{"one", "sub", "status"}, Status: []int32{0, 1, 0}}},
		{"children without status", &pdu.Child{Name: "x.dyn.sub"}, &pdu.Names{Names: []string{"two", "too"}}},
		{"children of a leaf", &pdu.Child{Name: "x.dyn.one", Status: true}, &pdu.Names{}},
		{"children of an unknown name", &pdu.Child{Name: "x.dyn.nosuch"}, &pdu.Names{}},
		{"leaves", &pdu.Traverse{Name: "x.dyn"}, &pdu.Names{Names: []string{"x.dyn.one", "x.dyn.sub.two", "x.dyn.sub.too", "x.dyn.status"}}},
		{"leaves of a leaf", &pdu.Traverse{Name: "x.dyn.one"}, &pdu.Names{Names: []string{"x.dyn.one"}}},
		{"leaves of an unknown name", &pdu.Traverse{Name: "x.dyn.o"}, &pdu.Names{}},
	} {
		b, err := tt.want.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.ask(tt.ask), wordsOf(b); got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
		}
	}
	var names []string
	for _, n := range a.Names() {
		names = append(names, n.Name+" "+n.ID.String())
	}
	if got, want := len(names), 3; got != want || names[1] != "x.dyn 30.*.*" {
		t.Errorf("static names %v", names)
	}
	if err := a.SetMetrics([]Metric{{Name: "x.dyn", Dynamic: true}, {Name: "x.dyn.new", Item: 7}}); err != nil {
		t.Fatal(err)
	}
	b, _ := (&pdu.Names{Names: []string{"x.dyn.new"}}).Encode(nil)
	if got := d.ask(&pdu.Traverse{Name: "x.dyn"}); got != wordsOf(b) {
		t.Errorf("after a change: %s", got)
	}
}

// TestWriteNames checks name space files.
func TestWriteNames(t *testing.T) {
	var b strings.Builder
	err := writeNames(&b, []Name{
		{"simple.numfetch", pcp.NewID(253, 0, 0)}, {"simple.time.user", pcp.NewID(253, 1, 2)}, {"simple.now", pcp.NewID(253, 2, 4)},
		{"simple.time.sys", pcp.NewID(253, 1, 3)}, {"simple.dyn", RootID(253)}, {"other", pcp.NewID(2, 0, 0)},
	})
	want := "root {\n\tsimple\n\tother\t2:0:0\n}\n\nsimple {\n\tnumfetch\t253:0:0\n\ttime\n\tnow\t253:2:4\n\tdyn\t253:*:*\n}\n\n" +
		"simple.time {\n\tuser\t253:1:2\n\tsys\t253:1:3\n}\n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
}

// TestBadNames checks names that no file can have.
func TestBadNames(t *testing.T) {
	for _, names := range [][]string{{""}, {"a."}, {".a"}, {"a..b"}, {"a", "a"}, {"a", "a.b"}, {"a.b", "a"}} {
		var list []Name
		for _, n := range names {
			list = append(list, Name{n, 1})
		}
		if err := writeNames(new(strings.Builder), list); !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("%q: %v", names, err)
		}
	}
	var b strings.Builder
	if err := writeNames(&b, nil); err != nil || b.String() != "root {\n}\n" {
		t.Errorf("no names: %v, %q", err, b.String())
	}
}
