package deps

import (
	"strings"
	"testing"
	"time"

	"pmtools/derive"
	_ "pmtools/test/env"
)

// TestGraph covers definitions inside others, in a circle, and those that others know.
func TestGraph(t *testing.T) {
	var list []*derive.Definition
	for _, def := range [][2]string{{"a", "b + rate(m.one)"}, {"b", "a + defined(m.two)"}, {"c", "out + mkconst(1, meta=m.three)"}, {"", "c * 2"}} {
		p, err := derive.Compile(def[0], def[1])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	out, err := derive.Compile("out", "m.four")
	if err != nil {
		t.Fatal(err)
	}
	g := New(list, func(name string) *derive.Definition {
		if name == "out" {
			return out
		}
		return nil
	}, true)
	var got []string
	for _, n := range g.Nodes {
		got = append(got, strings.Join(n.Base, " "))
	}
	want := []string{"m.one m.two", "m.one m.two", "m.four m.three", "m.four m.three"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s is made of %s, want %s", g.Nodes[i].Expr, got[i], want[i])
		}
	}
	if all := strings.Join(g.Base, " "); all != "m.four m.one m.three m.two" {
		t.Errorf("all are made of %s", all)
	}
	if text := New(nil, nil, false).Logger(time.Second); text != "" {
		t.Errorf("for nothing %q is recorded", text)
	}
}
