package pmapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmns"
)

// profileSteps are the calls of the table of values.md V17, for a domain c with the instances 0 1 2
// and a domain b with more than 200 and 300. want has "all" for all of b.
var profileSteps = []struct {
	name string
	do   func(p *pcp.Profile, c, b pcp.InDom)
	want string // of c, a bar, and those of b
}{
	{"fresh", func(p *pcp.Profile, c, b pcp.InDom) {}, "0 1 2|all"},
	{"add(N)", func(p *pcp.Profile, c, b pcp.InDom) { p.AddAll() }, "0 1 2|all"},
	{"del(N)", func(p *pcp.Profile, c, b pcp.InDom) { p.DelAll() }, "|"},
	{"add(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c, 1) }, "1|all"},
	{"add(c,[1 1 1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c, 1, 1, 1) }, "1|all"},
	{"add(c,[99])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c, 99) }, "|all"},
	{"add(c)", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c) }, "0 1 2|all"},
	{"del(c)", func(p *pcp.Profile, c, b pcp.InDom) { p.Del(c) }, "|all"},
	{"del(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Del(c, 1) }, "|all"},
	{"add(c,[1 2]) add(c,[0])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c, 1, 2); p.Add(c, 0) }, "0 1 2|all"},
	{"add(c,[1 2]) del(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c, 1, 2); p.Del(c, 1) }, "2|all"},
	{"del(c,[1]) add(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Del(c, 1); p.Add(c, 1) }, "1|all"},
	{"del(c,[1]) add(c,[2])", func(p *pcp.Profile, c, b pcp.InDom) { p.Del(c, 1); p.Add(c, 2) }, "2|all"},
	{"del(c) add(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Del(c); p.Add(c, 1) }, "1|all"},
	{"del(c) add(c,[1]) del(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Del(c); p.Add(c, 1); p.Del(c, 1) }, "|all"},
	{"add(c) del(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c); p.Del(c, 1) }, "0 2|all"},
	{"add(c) del(c,[1 2]) add(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c); p.Del(c, 1, 2); p.Add(c, 1) }, "0 1|all"},
	{"del(N) add(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.DelAll(); p.Add(c, 1) }, "1|"},
	{"del(N) del(c,[1])", func(p *pcp.Profile, c, b pcp.InDom) { p.DelAll(); p.Del(c, 1) }, "|"},
	{"del(N) add(c)", func(p *pcp.Profile, c, b pcp.InDom) { p.DelAll(); p.Add(c) }, "0 1 2|"},
	{"del(N) add(b,[200 300])", func(p *pcp.Profile, c, b pcp.InDom) { p.DelAll(); p.Add(b, 200, 300) }, "|200 300"},
	{"add(c,[1]) add(N)", func(p *pcp.Profile, c, b pcp.InDom) { p.Add(c, 1); p.AddAll() }, "0 1 2|all"},
}

// TestContextProfile takes the steps over an archive and over a daemon, and fetches the selected
// instances, also from a copy, which must not change with the original.
func TestContextProfile(t *testing.T) {
	host, _ := hostContext(t)
	kinds := []struct {
		name          string
		c             *pmapi.Context
		colour, bin   string
		colours, bins pcp.InDom
		all           string
	}{
		{"archive", archiveContext(t, "agent"), "sample.colour", "sample.bin", pcp.NewInDom(29, 1), pcp.NewInDom(29, 2), "100 200 300 400 500 600 700 800 900"},
		{"host", host, "sample.longlong", "sample.bin", pmcdtest.ColorInDom, pmcdtest.BinInDom, "100 200 300"},
	}
	for _, k := range kinds {
		ms, err := k.c.Metrics(background, []string{k.colour, k.bin})
		if err != nil || ms[0].Desc.InDom != k.colours || ms[1].Desc.InDom != k.bins {
			t.Fatalf("%+v, %v", ms, err)
		}
		ids := []pcp.ID{ms[0].Desc.ID, ms[1].Desc.ID}
		for _, tt := range profileSteps {
			t.Run(k.name+"/"+tt.name, func(t *testing.T) {
				want := strings.Replace(tt.want, "all", k.all, 1)
				k.c.Profile().AddAll()
				tt.do(k.c.Profile(), k.colours, k.bins)
				if got := selected(t, k.c, ids); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				d, err := k.c.Dup(background)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				k.c.Profile().Add(k.bins, 100)
				k.c.Profile().Del(k.colours, 0, 1)
				if got := selected(t, d, ids); got != want {
					t.Errorf("copy: got %s, want %s", got, want)
				}
			})
		}
	}
}

// selected fetches two metrics of the first record and returns the instances.
func selected(t *testing.T, c *pmapi.Context, ids []pcp.ID) string {
	t.Helper()
	if timeline, err := c.Timeline(); err == nil {
		start, _, _ := timeline.Bounds(t.Context())
		if err := c.SetMode(pcp.Forward, &start, 0); err != nil {
			t.Fatal(err)
		}
	}
	r, err := c.Fetch(context.Background(), ids)
	if err != nil {
		t.Fatal(err)
	}
	show := func(v pcp.Values) string { return strings.Trim(fmt.Sprint(v.Insts), "[]") }
	return show(r.Sets[0]) + "|" + show(r.Sets[1])
}

// FuzzDupProfile changes a profile by the bytes, and compares a copy's answers.
func FuzzDupProfile(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1})
	f.Add([]byte{2, 0x11, 3, 0x11, 4, 0x20, 5, 0x21})
	f.Add([]byte{1, 0, 2, 0x23, 3, 0x30, 2, 0x31, 0, 0})
	f.Add([]byte{4, 0x10, 3, 0x11, 3, 0x12, 2, 0x11})
	f.Fuzz(func(t *testing.T, steps []byte) {
		c := newContext(t, func(context.Context) (pmapi.Source, error) { return pmapi.WithNames(nil, new(pmns.Tree)), nil })
		p := c.Profile()
		for i := 0; i+1 < len(steps) && i < 200; i += 2 {
			d, inst := pcp.InDom(steps[i+1]>>4), int32(steps[i+1]&15)
			switch steps[i] % 6 {
			case 0:
				p.AddAll()
			case 1:
				p.DelAll()
			case 2:
				p.Add(d, inst)
			case 3:
				p.Del(d, inst)
			case 4:
				p.Add(d)
			case 5:
				p.Del(d)
			}
		}
		copied, err := c.Dup(background)
		if err != nil {
			t.Fatal(err)
		}
		defer copied.Close()
		q := copied.Profile()
		for d := pcp.InDom(0); d < 17; d++ {
			for inst := int32(-1); inst < 17; inst++ {
				if got, want := q.Selects(d, inst), p.Selects(d, inst); got != want {
					t.Fatalf("domain %d, instance %d: %v in the copy, want %v", d, inst, got, want)
				}
			}
		}
		if q.All() != p.All() {
			t.Errorf("All: %v in the copy, want %v", q.All(), p.All())
		}
	})
}
