package derive_test

import (
	"context"
	"slices"
	"testing"

	"pmtools/derive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmapi/sourcetest"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// recorded opens an archive that archivetest makes.
func recorded(t *testing.T, name string) pmapi.Source {
	t.Helper()
	a, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// aliased returns a Source under names of its own, each metric having one or two.
func aliased(t *testing.T, base pmapi.Source) pmapi.Source {
	t.Helper()
	var names pmns.Tree
	err := base.Walk(context.Background(), "", true, func(name string, id pcp.ID) bool {
		names.Add("z."+name, id)
		names.Add("a."+name+".again", id)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	names.Add("not.recorded", pcp.NewID(245, 4000, 1))
	names.Add("dynamic", pcp.NewID(pcp.DynamicDomain, 30, 0))
	return pmapi.WithNames(base, &names)
}

// A daemon is a fake with everything that a Source must have.
type daemon struct {
	*fake
	closed bool
}

func (d *daemon) Close() error {
	d.closed, d.broken = true, pmerr.NoContext
	return nil
}

func (d *daemon) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if d.closed {
		return pmerr.NoContext
	}
	if err := d.fake.Fetch(ctx, req, dst); err != nil {
		return err
	}
	for i := range dst.Sets {
		v := &dst.Sets[i]
		_, m := d.find(v.ID)
		for j := len(v.Insts) - 1; j >= 0; j-- {
			if !req.Profile.Selects(m.desc.InDom, v.Insts[j]) {
				v.Insts = slices.Delete(v.Insts, j, j+1)
				if v.Type.Arithmetic() {
					v.Words = slices.Delete(v.Words, j, j+1)
				} else {
					v.Blobs = slices.Delete(v.Blobs, j, j+1)
				}
			}
		}
	}
	return nil
}

// TestConformance runs the kit for all Sources over derived metrics, those of a registry and those
// of the Source itself: new ones, hidden ones and invalid ones.
func TestConformance(t *testing.T) {
	ta := func(t *testing.T) pmapi.Source { return recorded(t, "ta") }
	demo := func(t *testing.T) pmapi.Source { return recorded(t, "demo") }
	tests := []struct {
		name       string
		open       func(t *testing.T) pmapi.Source
		defs, adds []string
		invalid    int // of defs
	}{
		{"nothing", ta, nil, nil, 0},
		{"ta", ta, []string{
			"t.sum=sum(t.b)", "d.plus=t.b+t.c", "d.delta=delta(t.b)", "d.rate=rate(t.a)", "d.const=42", "d.text=t.nosuch",
			"t.d=1", "d.alias=d.plus", "d.deep.down.here=t.b[two blank]", "d.of.d=d.plus*2", "d.cond=t.d>0 ? t.b : t.c",
			"d.match=matchinst(/^t/,t.b)", "d.none=t.d>0 ? novalue() : t.b", "d.def=defined(t.b)",
		}, []string{"d.plus=t.c", "own.delta=delta(t.c)", "t.b=7", "t.own=count(t.c)"}, 2},
		{"demo", demo, []string{
			"mem.util.used_pct=100 * (mem.physmem - mem.util.free) / mem.physmem",
			`disk.avgsz=rescale(instant(sum(disk.dev.total_bytes)) / instant(sum(disk.dev.total)), "byte / count")`,
			"disk.dev.rate=rate(disk.dev.total)", "disk.dev.mean=avg(disk.dev.total)", "disk.all=sum(disk.dev.total)",
			"load.top=max(kernel.all.load)", "load.one=kernel.all.load[1 minute]",
		}, nil, 0},
		{"sample", func(t *testing.T) pmapi.Source { return recorded(t, "sample") }, []string{
			"x.delta=delta(sample.mirage)", "x.two=delta(sample.mirage) + delta(sample.mirage)", "x.i=instant(sample.mirage)",
			"x.scalar=scalar(sample.mirage[m-00])", "x.scaled=rescale(sample.byte_ctr,\"Kbyte\")", "sample.mirage_more=sample.mirage*2",
		}, []string{"x.own=sample.kbyte_ctr*2"}, 0},
		{"alltypes", func(t *testing.T) pmapi.Source { return recorded(t, "alltypes") }, []string{
			"i.l=instant(t.i.l)", "i.s=instant(t.i.s)", "i.a=instant(t.i.a)", "i.set=instant(t.is.s)", "i.cond=t.i.l>0 ? t.is.s : t.is.s",
			"i.nan=t.i.nan+1", "i.big=t.is.ull*2", "i.m=matchinst(/o/,t.is.s)", "i.r=rate(t.cs.ull)",
		}, nil, 0},
		{"other names", func(t *testing.T) pmapi.Source { return aliased(t, ta(t)) }, []string{
			"d.plus=z.t.b+a.t.c.again", "z.t.new=delta(z.t.b)", "not.known=not.recorded", "a.t.a.other=1",
		}, []string{"own=z.t.c"}, 1},
		{"names alone", func(t *testing.T) pmapi.Source {
			var names pmns.Tree
			names.Add("a.b", pcp.NewID(29, 0, 1))
			names.Add("a.c", pcp.NewID(29, 0, 2))
			return pmapi.WithNames(nil, &names)
		}, []string{"d.x=a.b+a.c", "a.bad=no.such", "a.b=7"}, nil, 0},
		{"daemon", func(*testing.T) pmapi.Source { return &daemon{fake: newFake(qa)} }, []string{
			"d.delta=delta(sample.byte_ctr)", "d.mirage=sample.mirage*2", "sample.new=sample.long.one+1", "d.bad=no.such",
			"d.m=matchinst(/4/,sample.mirage)", "d.again=delta(t.a)", "d.str=sample.string.hullo",
		}, []string{"own.x=t.b+t.c"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w lines
			src, _ := define(t, tt.open(t), &w, tt.defs...)
			if walk(t, src, ""); len(w) != tt.invalid {
				t.Errorf("%d invalid metrics, want %d: %q", len(w), tt.invalid, w)
			}
			sourcetest.Run(t, func(t *testing.T) pmapi.Source {
				var w lines
				src, _ := define(t, tt.open(t), &w, tt.defs...)
				for _, d := range tt.adds {
					addOwn(t, src, d)
				}
				return src
			})
		})
	}
}

// addOwn defines NAME=EXPR for one Source.
func addOwn(t *testing.T, src *derive.Source, def string) {
	t.Helper()
	for i := range def {
		if def[i] == '=' {
			if err := src.Add(context.Background(), def[:i], def[i+1:]); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}
