package pmda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// show returns columns as text.
func show(r *pcp.Result) string {
	var b strings.Builder
	for i := range r.Sets {
		v := &r.Sets[i]
		fmt.Fprintf(&b, "%v", v.ID)
		if v.Err != nil {
			fmt.Fprintf(&b, " %s", pmerr.Of(v.Err).Name())
		}
		for j, inst := range v.Insts {
			s, err := v.Value(j).Text()
			if err != nil {
				s = fmt.Sprintf("%q", v.Blobs[j])
			}
			fmt.Fprintf(&b, " %d=%s", inst, s)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// fetched fetches metrics of cluster 0 and returns the columns as text.
func fetched(t *testing.T, p Provider, profile *pcp.Profile, items ...uint32) string {
	t.Helper()
	var ids []pcp.ID
	for _, i := range items {
		ids = append(ids, pcp.NewID(p.Domain(), 0, i))
	}
	var r pcp.Result
	if err := p.Fetch(context.Background(), &Request{Client: new(Client), IDs: ids, Profile: profile}, &r); err != nil {
		t.Fatal(err)
	}
	return show(&r)
}

// TestFetch checks what becomes of values, missing values and errors (collector.md C3.3).
func TestFetch(t *testing.T) {
	some := &InDom{Serial: 1, Instances: []pcp.Instance{{ID: 5, Name: "five"}, {ID: 3, Name: "three"}, {ID: 4, Name: "four"}}}
	none := &InDom{Serial: 2}
	broken := &InDom{Serial: 3, List: func() ([]pcp.Instance, error) { return nil, pmerr.IPC }}
	failing := func(errs ...error) func(*Column) error {
		i := 0
		return Each(func(int32) (int, error) { i++; return i, errs[(i-1)%len(errs)] })
	}
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Item: 0, Type: pcp.Int32, InDom: some, Fetch: Each(func(i int32) (int32, error) { return -i, nil })},
		{Item: 1, Type: pcp.Int32, InDom: some, Fetch: failing(pmerr.Again, nil, pmerr.Permission)},
		{Item: 2, Type: pcp.Int32, InDom: some, Fetch: failing(pmerr.Again, pmerr.IPC, pmerr.Permission)},
		{Item: 3, Type: pcp.Int32, InDom: some, Fetch: failing(pmerr.Again, pmerr.IPC, NoValue)},
		{Item: 4, Type: pcp.Int32, InDom: none, Fetch: failing(pmerr.Again)},
		{Item: 5, Type: pcp.Int32, InDom: broken, Fetch: failing(pmerr.Again)},
		{Item: 6, Type: pcp.Int32, Fetch: func(*Column) error { return pmerr.Profile }},
		{Item: 7, Type: pcp.Int32, Fetch: func(c *Column) error { c.Int(pcp.NullInst, 1); return pmerr.Profile }},
		{Item: 8, Type: pcp.Int32},
		{Item: 9, Type: pcp.NoSupport},
		{Item: 10, Type: pcp.Int32, InDom: some, Fetch: func(c *Column) error {
			for i := range int32(10) {
				c.Int(i, int64(i))
			}
			return nil
		}},
		{Item: 11, Type: pcp.Int32, InDom: some, Fetch: func(c *Column) error {
			v := c.Values()
			v.Insts, v.Words = append(v.Insts, 99), append(v.Words, 1)
			return nil
		}},
		{Item: 12, Type: pcp.Int32, Fetch: One(func() string { return "x" })},
		{Item: 13, Type: pcp.String, Fetch: One(func() int { return 1 })},
		{Item: 14, Type: pcp.Int32, Fetch: func(*Column) error { return errors.New("something") }},
		{Item: 15, Type: pcp.Int32, Fetch: func(*Column) error { return NoValue }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	only := func(insts ...int32) *pcp.Profile {
		var p pcp.Profile
		p.DelAll()
		p.Add(pcp.NewInDom(30, 1), insts...)
		return &p
	}
	nothing := new(pcp.Profile)
	nothing.DelAll()
	for _, tt := range []struct {
		name    string
		profile *pcp.Profile
		items   []uint32
		want    string
	}{
		{"all instances, in the order of the domain", nil, []uint32{0}, "30.0.0 5=-5 3=-3 4=-4"},
		{"selected ones, in the order of the domain", only(4, 5), []uint32{0}, "30.0.0 5=-5 4=-4"},
		{"no instance selected", nothing, []uint32{0, 2}, "30.0.0\n30.0.2"},
		{"selected ones of many that are added", only(3, 4), []uint32{10}, "30.0.10 3=3 4=4"},
		{"failed instances are left out", nil, []uint32{1}, "30.0.1 3=2"},
		{"the last failure counts", nil, []uint32{2}, "30.0.2 PM_ERR_PERMISSION"},
		{"the last failure is no value", nil, []uint32{3}, "30.0.3"},
		{"no instances", nil, []uint32{4}, "30.0.4"},
		{"instances that are not available", nil, []uint32{5}, "30.0.5 PM_ERR_IPC"},
		{"a failed metric", nil, []uint32{6}, "30.0.6 PM_ERR_PROFILE"},
		{"a failed metric with a value", nil, []uint32{7}, "30.0.7 -1=1"},
		{"without Fetch", nil, []uint32{8, 9}, "30.0.8\n30.0.9 PM_ERR_APPVERSION"},
		{"singular metrics need no profile", nothing, []uint32{7}, "30.0.7 -1=1"},
		{"unknown ones between others, and one twice", nil, []uint32{0, 99, 0}, "30.0.0 5=-5 3=-3 4=-4\n30.0.99 PM_ERR_PMID\n30.0.0 5=-5 3=-3 4=-4"},
		{"values of instances that do not exist", nil, []uint32{11}, "30.0.11 99=1"},
		{"values of another kind", nil, []uint32{12, 13}, "30.0.12 PM_ERR_TYPE\n30.0.13 PM_ERR_TYPE"},
		{"errors without a code", nil, []uint32{14, 15}, "30.0.14 PM_ERR_GENERIC\n30.0.15"},
	} {
		if got := fetched(t, a, tt.profile, tt.items...); got != tt.want+"\n" {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want+"\n")
		}
	}
	var r pcp.Result
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.Fetch(ctx, &Request{IDs: []pcp.ID{1}}, &r); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestReadings checks that what metrics need is read once a request, if at all.
func TestReadings(t *testing.T) {
	var log []string
	reading := func(name string, err error, needs ...*Reading) *Reading {
		return &Reading{Needs: needs, Read: func(_ context.Context, req *Request) error {
			log = append(log, fmt.Sprintf("%s:%d", name, len(req.IDs)))
			return err
		}}
	}
	base := reading("base", nil)
	left, right := reading("left", nil, base), reading("right", nil, base)
	both := &Reading{Needs: []*Reading{left, right}}
	bad := reading("bad", pmerr.Permission)
	after := reading("after", nil, bad)
	d := &InDom{Serial: 1, Needs: left, List: func() ([]pcp.Instance, error) { return []pcp.Instance{{ID: 1, Name: "one"}}, nil }}
	value := One(func() int { return 1 })
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Item: 0, Type: pcp.Int32, Fetch: value},
		{Item: 1, Type: pcp.Int32, Fetch: value, Needs: left},
		{Item: 2, Type: pcp.Int32, Fetch: value, Needs: right},
		{Item: 3, Type: pcp.Int32, Fetch: value, Needs: both},
		{Item: 4, Type: pcp.Int32, Fetch: value, Needs: after},
		{Item: 5, Type: pcp.Int32, InDom: d, Needs: right, Fetch: Each(func(int32) (int, error) { return 2, nil })},
		{Item: 6, Type: pcp.Int32, InDom: d, Needs: right, Fetch: func(c *Column) error { c.Int(1, 3); return nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		items []uint32
		want  string
		read  string
	}{
		{[]uint32{0}, "30.0.0 -1=1", ""},
		{[]uint32{1}, "30.0.1 -1=1", "base:1 left:1"},
		{[]uint32{1, 1, 2, 3}, "30.0.1 -1=1\n30.0.1 -1=1\n30.0.2 -1=1\n30.0.3 -1=1", "base:4 left:4 right:4"},
		{[]uint32{3, 0}, "30.0.3 -1=1\n30.0.0 -1=1", "base:2 left:2 right:2"},
		{[]uint32{4, 0, 4}, "30.0.4 PM_ERR_PERMISSION\n30.0.0 -1=1\n30.0.4 PM_ERR_PERMISSION", "bad:3"},
		{[]uint32{5}, "30.0.5 1=2", "base:1 right:1 left:1"},
		{[]uint32{6}, "30.0.6 1=3", "base:1 right:1"},
	} {
		log = nil
		if got := fetched(t, a, nil, tt.items...); got != tt.want+"\n" {
			t.Errorf("%v: %q, want %q", tt.items, got, tt.want)
		}
		if got := strings.Join(log, " "); got != tt.read {
			t.Errorf("%v: read %s, want %s", tt.items, got, tt.read)
		}
	}
	log = nil
	list, err := a.Instances(context.Background(), nil, pcp.NewInDom(30, 1))
	if err != nil || len(list) != 1 || strings.Join(log, " ") != "base:0 left:0" {
		t.Errorf("instances %v, %v, read %v", list, err, log)
	}
}

// TestBadTables checks what New refuses.
func TestBadTables(t *testing.T) {
	d, other := &InDom{Serial: 1}, &InDom{Serial: 1}
	for _, tt := range []struct {
		name  string
		table Table
	}{
		{"no domain", Table{}},
		{"the domain of dynamic metrics", Table{Domain: 511}},
		{"domain too large", Table{Domain: 512}},
		{"cluster too large", Table{Domain: 1, Metrics: []Metric{{Cluster: 4096}}}},
		{"item too large", Table{Domain: 1, Metrics: []Metric{{Item: 1024}}}},
		{"serial too large", Table{Domain: 1, InDoms: []*InDom{{Serial: 1 << 22}}}},
		{"one serial twice", Table{Domain: 1, InDoms: []*InDom{d}, Metrics: []Metric{{InDom: other}}}},
	} {
		if a, err := New(tt.table); a != nil || !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	a, err := New(Table{Domain: 1, InDoms: []*InDom{d}, Metrics: []Metric{{Name: "a", InDom: d}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetMetrics([]Metric{{Name: "b", InDom: other}}); err == nil || a.Names()[0].Name != "a" || a.Metric(pcp.NewID(1, 0, 0)) == nil {
		t.Errorf("after a bad change: %v, %v", err, a.Names())
	}
}

// TestDesc checks descriptions, and that rows can be changed.
func TestDesc(t *testing.T) {
	d := &InDom{Serial: 4}
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Name: "x.a", Cluster: 2, Item: 3, Type: pcp.Float, InDom: d, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}},
		{Name: "x.b", Cluster: 2, Item: 3, Type: pcp.String},
		{Name: "x.c", Domain: 2, Cluster: 4, Item: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, id := context.Background(), pcp.NewID(30, 2, 3)
	want := pcp.Desc{ID: id, Type: pcp.Float, InDom: pcp.NewInDom(30, 4), Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
	if got, err := a.Desc(ctx, nil, id); err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if _, err := a.Desc(ctx, nil, pcp.NewID(2, 4, 1)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("metric of another agent: %v", err)
	}
	names := []Name{{"x.a", id}, {"x.b", id}, {"x.c", pcp.NewID(2, 4, 1)}}
	if got := a.Names(); !slices.Equal(got, names) {
		t.Errorf("names %v, want %v", got, names)
	}
	m := a.Metric(id)
	m.Type, m.InDom = pcp.Int64, nil
	want.Type, want.InDom = pcp.Int64, pcp.NullInDom
	if got, err := a.Desc(ctx, nil, id); err != nil || got != want {
		t.Errorf("changed: %v, %v, want %v", got, err, want)
	}
}

// TestSteadyFetch checks that fetches allocate nothing for their values.
func TestSteadyFetch(t *testing.T) {
	var list []pcp.Instance
	for i := range int32(1000) {
		list = append(list, pcp.Instance{ID: i, Name: fmt.Sprint(i)})
	}
	d := &InDom{Serial: 1, Instances: list}
	names := []string{"alpha", "beta"}
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Item: 0, Type: pcp.Uint64, InDom: d, Fetch: Each(func(i int32) (uint64, error) { return uint64(i), nil })},
		{Item: 1, Type: pcp.String, InDom: d, Fetch: Each(func(i int32) (string, error) { return names[i%2], nil })},
		{Item: 2, Type: pcp.Double, Fetch: One(func() float64 { return 2 })},
	}})
	if err != nil {
		t.Fatal(err)
	}
	req := &Request{Client: new(Client), IDs: []pcp.ID{pcp.NewID(30, 0, 0), pcp.NewID(30, 0, 1), pcp.NewID(30, 0, 2)}, Profile: new(pcp.Profile)}
	req.Profile.Add(pcp.NewInDom(30, 1))
	req.Profile.Del(pcp.NewInDom(30, 1), 7)
	var r pcp.Result
	fetch := func() {
		if err := a.Fetch(context.Background(), req, &r); err != nil {
			t.Fatal(err)
		}
	}
	fetch()
	first := r.Sets[1].Blobs[0]
	if n := testing.AllocsPerRun(10, fetch); n > 3 {
		t.Errorf("%v allocations for 1999 values", n)
	}
	names[0] = "gamma"
	fetch()
	if string(first) != "alpha" || string(r.Sets[1].Blobs[0]) != "gamma" {
		t.Errorf("bytes of an earlier fetch became %q, now %q", first, r.Sets[1].Blobs[0])
	}
	if r.Sets[0].Len() != 999 || r.Sets[1].Len() != 999 {
		t.Errorf("%d values and %d", r.Sets[0].Len(), r.Sets[1].Len())
	}
}

// BenchmarkFetch measures the fetch of 1,000 values.
func BenchmarkFetch(b *testing.B) {
	var list []pcp.Instance
	for i := range int32(1000) {
		list = append(list, pcp.Instance{ID: i})
	}
	a, err := New(Table{Domain: 30, Metrics: []Metric{
		{Type: pcp.Uint64, InDom: &InDom{Instances: list}, Fetch: Each(func(i int32) (uint64, error) { return uint64(i), nil })},
	}})
	if err != nil {
		b.Fatal(err)
	}
	req := &Request{Client: new(Client), IDs: []pcp.ID{pcp.NewID(30, 0, 0)}}
	var r pcp.Result
	for b.Loop() {
		if err := a.Fetch(context.Background(), req, &r); err != nil {
			b.Fatal(err)
		}
	}
}
