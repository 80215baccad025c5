package fetchgroup

import (
	"context"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// A meter is a Source of a scalar and of a domain whose counters go on; it allocates nothing.
type meter struct {
	pmapi.Source
	now   int64
	insts []pcp.Instance
}

var (
	meterDomain = pcp.NewInDom(60, 1)
	meterDescs  = []pcp.Desc{
		{ID: pcp.NewID(60, 0, 0), Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}},
		{ID: pcp.NewID(60, 0, 1), Type: pcp.Uint64, InDom: meterDomain, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}},
	}
)

func (m *meter) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	out := make([]pcp.Answer[pcp.ID], len(names))
	for i, n := range names {
		switch n {
		case "m.one":
			out[i].Value = meterDescs[0].ID
		case "m.all":
			out[i].Value = meterDescs[1].ID
		default:
			out[i].Err = pmerr.Name
		}
	}
	return out, nil
}

func (m *meter) Describe(_ context.Context, ids []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	out := make([]pcp.Answer[pcp.Desc], len(ids))
	for i, id := range ids {
		out[i].Value = meterDescs[id.Item()]
	}
	return out, nil
}

func (m *meter) LookupInst(_ context.Context, _ pcp.InDom, name string) (int32, error) {
	for _, x := range m.insts {
		if x.Name == name {
			return x.ID, nil
		}
	}
	return 0, pmerr.Inst
}

func (m *meter) Instances(context.Context, []pcp.InDom, pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	return []pcp.Answer[[]pcp.Instance]{{Value: m.insts}}, nil
}

func (m *meter) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	m.now++
	dst.Reset(len(req.IDs))
	dst.Time = pcp.Timestamp{Sec: m.now}
	for i, id := range req.IDs {
		v := &dst.Sets[i]
		v.Reset(id, pcp.Uint64)
		if id.Item() == 0 {
			v.Insts, v.Words = append(v.Insts, pcp.NullInst), append(v.Words, uint64(m.now)*10)
			continue
		}
		for _, x := range m.insts {
			v.Insts, v.Words = append(v.Insts, x.ID), append(v.Words, uint64(m.now)*uint64(x.ID))
		}
	}
	return nil
}

func (m *meter) Close() error { return nil }

// newMeter returns a meter with n instances.
func newMeter(n int) *meter {
	m := &meter{}
	for i := range n {
		m.insts = append(m.insts, pcp.Instance{ID: int32(i), Name: "instance-" + string(rune('a'+i%26)) + string(rune('a'+i/26))})
	}
	return m
}

// steady has scalars and an unchanged domain in all forms.
type steady struct {
	Time time.Time           `pcp:",time"`
	One  float64             `pcp:"m.one,rate"`
	Raw  Opt[uint64]         `pcp:"m.one,instant"`
	Text string              `pcp:"m.one"`
	Pick int                 `pcp:"m.all[instance-ba],rate"`
	Map  map[string]float64  `pcp:"m.all"`
	Ints map[string]Opt[int] `pcp:"m.all,instant"`
	Rows []struct {
		Name string      `pcp:",instance"`
		Inst int32       `pcp:",instance"`
		Rate float64     `pcp:"m.all,unit=count/min"`
		Raw  Opt[uint64] `pcp:"m.all,instant"`
	}
}

// TestNoAllocation fetches scalars and an unchanged domain.
func TestNoAllocation(t *testing.T) {
	g := New(newMeter(100), nil)
	defer g.Close()
	item, err := Add[float64](t.Context(), g, "m.one", "", "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := AddInDom[uint64](t.Context(), g, "m.all", "rate")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Bind[steady](t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	next := func() {
		h, err := b.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range h.Rows {
			sum += r.Rate
		}
		v, _ := item.Value()
		sum += v
		for x := range all.All() {
			sum += float64(x.Value)
		}
	}
	for range 3 {
		next()
	}
	if n := testing.AllocsPerRun(100, next); n != 0 {
		t.Errorf("%v allocations a fetch", n)
	}
	h, _ := b.Next(t.Context())
	if len(h.Rows) != 100 {
		t.Errorf("%+v", h)
	} else if h.Rows[5].Rate != 300 || h.Map["instance-fa"] != 5 {
		t.Errorf("%+v", h)
	} else if h.One != 10 || h.Pick != 1 || h.Text != "1.00000000000000000e+01" {
		t.Errorf("%+v", h)
	}
}

// BenchmarkNext measures a fetch of ten scalars and a domain of 100 instances over a connection.
func BenchmarkNext(b *testing.B) {
	w := fleetWorld(0)
	s := pmcdtest.NewServer(w)
	defer s.Close()
	src, err := pmapi.OpenHost(b.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	if err != nil {
		b.Fatal(err)
	}
	g := New(src, nil)
	defer g.Close()
	bound, err := Bind[fleetHost](b.Context(), g)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bound.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
