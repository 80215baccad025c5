package pcp

import (
	"fmt"
	"strings"
	"testing"
)

// TestProfile has the table of values.md V17: c has the instances 0 1 2, b has 200 and 300.
func TestProfile(t *testing.T) {
	const c, b = InDom(1), InDom(2)
	all := "c 0 1 2 b 200 300"
	tests := []struct {
		name string
		do   func(p *Profile)
		want string
	}{
		{"fresh", func(p *Profile) {}, all},
		{"add all", func(p *Profile) { p.AddAll() }, all},
		{"del all", func(p *Profile) { p.DelAll() }, "c b"},
		{"add one", func(p *Profile) { p.Add(c, 1) }, "c 1 b 200 300"},
		{"add one thrice", func(p *Profile) { p.Add(c, 1, 1, 1) }, "c 1 b 200 300"},
		{"add unknown", func(p *Profile) { p.Add(c, 99) }, "c b 200 300"},
		{"add domain", func(p *Profile) { p.Add(c) }, all},
		{"del domain", func(p *Profile) { p.Del(c) }, "c b 200 300"},
		{"del one takes all", func(p *Profile) { p.Del(c, 1) }, "c b 200 300"},
		{"add, add", func(p *Profile) { p.Add(c, 1, 2); p.Add(c, 0) }, all},
		{"add, del", func(p *Profile) { p.Add(c, 1, 2); p.Del(c, 1) }, "c 2 b 200 300"},
		{"del, add it", func(p *Profile) { p.Del(c, 1); p.Add(c, 1) }, "c 1 b 200 300"},
		{"del, add another", func(p *Profile) { p.Del(c, 1); p.Add(c, 2) }, "c 2 b 200 300"},
		{"del domain, add", func(p *Profile) { p.Del(c); p.Add(c, 1) }, "c 1 b 200 300"},
		{"del domain, add, del", func(p *Profile) { p.Del(c); p.Add(c, 1); p.Del(c, 1) }, "c b 200 300"},
		{"add domain, del", func(p *Profile) { p.Add(c); p.Del(c, 1) }, "c 0 2 b 200 300"},
		{"add domain, del, add", func(p *Profile) { p.Add(c); p.Del(c, 1, 2); p.Add(c, 1) }, "c 0 1 b 200 300"},
		{"del all, add", func(p *Profile) { p.DelAll(); p.Add(c, 1) }, "c 1 b"},
		{"del all, del", func(p *Profile) { p.DelAll(); p.Del(c, 1) }, "c b"},
		{"del all, add domain", func(p *Profile) { p.DelAll(); p.Add(c) }, "c 0 1 2 b"},
		{"del all, add other", func(p *Profile) { p.DelAll(); p.Add(b, 200, 300) }, "c b 200 300"},
		{"add, add all", func(p *Profile) { p.Add(c, 1); p.AddAll() }, all},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := new(Profile)
			tt.do(p)
			var got strings.Builder
			got.WriteString("c")
			for inst := int32(0); inst < 3; inst++ {
				if p.Selects(c, inst) {
					fmt.Fprintf(&got, " %d", inst)
				}
			}
			got.WriteString(" b")
			for _, inst := range []int32{200, 300} {
				if p.Selects(b, inst) {
					fmt.Fprintf(&got, " %d", inst)
				}
			}
			if got.String() != tt.want {
				t.Errorf("got %s, want %s", got.String(), tt.want)
			}
			if !p.Selects(NullInDom, NullInst) {
				t.Error("singular metrics are not selected")
			}
		})
	}
}

func TestProfileAll(t *testing.T) {
	var none *Profile
	if !none.All() || !none.Selects(1, 1) || !new(Profile).All() {
		t.Error("nothing said does not select all")
	}
	p := new(Profile)
	if p.Add(1, 2); p.All() {
		t.Error("a selection selects all")
	}
	if p.DelAll(); p.All() {
		t.Error("nothing selects all")
	}
	if p.AddAll(); !p.All() {
		t.Error("AddAll does not select all")
	}
}

func TestProfileClone(t *testing.T) {
	if (*Profile)(nil).Clone() != nil {
		t.Error("the clone of nil is not nil")
	}
	p := new(Profile)
	p.DelAll()
	p.Add(1, 2, 3)
	p.Add(2)
	p.Del(2, 4)
	show := func(p *Profile) string { exclude, entries := p.Entries(); return fmt.Sprint(exclude, entries) }
	want, c := show(p), p.Clone()
	if got := show(c); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.Add(1, 5)
	c.Del(1, 2)
	c.Add(3)
	if got := show(p); got != want {
		t.Errorf("changes to the clone show in the original: %s, want %s", got, want)
	}
}
