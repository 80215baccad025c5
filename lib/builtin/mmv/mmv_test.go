package mmv

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// An world is a directory with files, and a collector of them.
type world struct {
	t     *testing.T
	dir   string
	stamp time.Time // of the directory
	alive map[int]bool
	log   []string
	*collector
}

// newWorld returns an empty one.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), stamp: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), alive: map[int]bool{}}
	p, err := New(&Options{
		Dir: w.dir, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Alive: func(pid int) bool { return w.alive[pid] },
		Logf:  func(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.collector = p.(*collector)
	return w
}

// put writes a file, or removes it if text is empty. It also changes the directory's time, as the
// passing of time would.
func (w *world) put(name string, b []byte) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	err := os.WriteFile(path, b, 0o666)
	if b == nil {
		err = os.Remove(path)
	}
	w.stamp = w.stamp.Add(time.Minute)
	if err := errors.Join(err, os.Chtimes(w.dir, w.stamp, w.stamp)); err != nil {
		w.t.Fatal(err)
	}
}

// build returns a demonstration file with changes.
func (w *world) build(change func(s *mmvtest.Spec)) []byte {
	s := mmvtest.Demo()
	if change != nil {
		change(s)
	}
	return mmvtest.Build(s)
}

// names returns the names of all metrics of files.
func (w *world) names() string {
	w.t.Helper()
	ctx := context.Background()
	if err := w.Check(ctx, nil); err != nil {
		w.t.Fatal(err)
	}
	names, err := w.Leaves(ctx, nil, "mmv")
	if err != nil {
		w.t.Fatal(err)
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, "mmv.control.") })
	return strings.ReplaceAll(strings.Join(names, " "), "mmv.", "")
}

// fetch fetches metrics.
func (w *world) fetch(names ...string) *pcp.Result {
	w.t.Helper()
	ctx := context.Background()
	req := &pmda.Request{Client: new(pmda.Client)}
	for _, n := range names {
		id, err := w.LookupName(ctx, nil, n)
		if err != nil {
			w.t.Fatalf("%s: %v", n, err)
		}
		req.IDs = append(req.IDs, id)
	}
	res := new(pcp.Result)
	if err := w.Fetch(ctx, req, res); err != nil {
		w.t.Fatal(err)
	}
	return res
}

// demoNames are the metrics of the demonstration file "acme" in their order.
const demoNames = "acme.more.count acme.n.double acme.n.float acme.n.i64 acme.n.u32 acme.n.i32 acme.busy acme.state acme.count"

// TestFiles looks at which metrics files have.
func TestFiles(t *testing.T) {
	bad := mmvtest.Build(mmvtest.Demo())
	bad[0] = 'm'
	single := func(names ...string) func(s *mmvtest.Spec) {
		return func(s *mmvtest.Spec) {
			*s = mmvtest.Spec{Cluster: 4}
			for i, n := range names {
				s.Metrics = append(s.Metrics, mmv.Metric{Name: n, Item: int32(i + 1)})
			}
		}
	}
	for _, c := range []struct {
		name  string
		files map[string]func(s *mmvtest.Spec)
		raw   map[string][]byte
		want  string
		log   int
	}{
		{"none", nil, nil, "", 0},
		{"one", map[string]func(*mmvtest.Spec){"acme": nil}, nil, demoNames, 0},
		{"without prefix", map[string]func(*mmvtest.Spec){"acme": func(s *mmvtest.Spec) { s.Flags = mmv.NoPrefix }}, nil, strings.ReplaceAll(demoNames, "acme.", ""), 0},
		{"hidden", map[string]func(*mmvtest.Spec){".acme": nil}, nil, "", 0},
		{"not of its kind", nil, map[string][]byte{"acme": bad, "beta": {}}, "", 2},
		{"two", map[string]func(*mmvtest.Spec){"b": single("x", "y"), "a": single("x")}, nil, "b.y b.x a.x", 0}, // in one cluster
		{"process that is there", map[string]func(*mmvtest.Spec){"acme": func(s *mmvtest.Spec) { s.Flags, s.PID = mmv.Process, 7 }}, nil, demoNames, 0},
		{"process that has gone", map[string]func(*mmvtest.Spec){"acme": func(s *mmvtest.Spec) { s.Flags, s.PID = mmv.Process, 8 }}, nil, "", 1},
		{"bad names", map[string]func(*mmvtest.Spec){"a": single("", ".", "x.", ".x", "x..y", "x y", "x-y", "\xff", "1st", "_", "A9")}, nil, "a.A9 a._ a.1st", 8},
		{"a name twice", map[string]func(*mmvtest.Spec){"a": single("x", "x", "y")}, nil, "a.y a.x", 1},
		{"a name below another", map[string]func(*mmvtest.Spec){"a": single("x", "x.y", "z.a", "z")}, nil, "a.z.a a.x", 0},
		{"a name of the collector", map[string]func(*mmvtest.Spec){"a": func(s *mmvtest.Spec) { single("control.files", "x")(s); s.Flags = mmv.NoPrefix }}, nil, "x", 1},
		{"bad items", map[string]func(*mmvtest.Spec){"a": func(s *mmvtest.Spec) {
			single("x", "y", "z")(s)
			s.Metrics[0].Item, s.Metrics[1].Item = -1, 1024
		}}, nil, "a.z", 2},
		{"an item twice", map[string]func(*mmvtest.Spec){"a": func(s *mmvtest.Spec) { single("x", "y")(s); s.Metrics[1].Item = 1 }}, nil, "a.x", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.alive[7] = true
			for name, change := range c.files {
				w.put(name, w.build(change))
			}
			for name, b := range c.raw {
				w.put(name, b)
			}
			if got := w.names(); got != c.want || len(w.log) != c.log {
				t.Errorf("names %q, want %q; log %q, want %d lines", got, c.want, w.log, c.log)
			}
		})
	}
}

// TestLife lets files come, change and go.
func TestLife(t *testing.T) {
	w := newWorld(t)
	if got := w.names(); got != "" {
		t.Errorf("names %q in the beginning", got)
	}
	w.put("acme", w.build(nil))
	if got := w.names(); got != demoNames {
		t.Errorf("names %q, want %q", got, demoNames)
	}
	if res := w.fetch("mmv.control.files", "mmv.control.metrics"); res.Changes != pcp.NamesChanged|pcp.LabelsChanged || res.Sets[0].Words[0] != 1 || res.Sets[1].Words[0] != 9 {
		t.Errorf("changes %d, columns %+v", res.Changes, res.Sets)
	}
	if res := w.fetch("mmv.acme.count"); res.Changes != 0 || !slices.Equal(res.Sets[0].Words, []uint64{5, 1}) {
		t.Errorf("changes %d, columns %+v", res.Changes, res.Sets)
	}
	// Another value, at the same generation: nothing is read anew but that.
	path := filepath.Join(w.dir, "acme")
	same := w.build(func(s *mmvtest.Spec) { s.Values[0].Word = 6 })
	if err := os.WriteFile(path, same, 0o666); err != nil {
		t.Fatal(err)
	}
	w.names()
	if res := w.fetch("mmv.acme.count"); res.Changes != 0 || !slices.Equal(res.Sets[0].Words, []uint64{6, 1}) {
		t.Errorf("changes %d, columns %+v", res.Changes, res.Sets)
	}
	// Another generation, in the same directory.
	other := w.build(func(s *mmvtest.Spec) { s.Generation, s.Metrics[0].Name = 2, "other" })
	if err := errors.Join(os.WriteFile(path, other, 0o666), os.Chtimes(w.dir, w.stamp, w.stamp)); err != nil {
		t.Fatal(err)
	}
	if got, want := w.names(), strings.ReplaceAll(demoNames, "acme.count", "acme.other"); got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	w.put("acme", nil)
	if got := w.names(); got != "" {
		t.Errorf("names %q in the end", got)
	}
	if _, err := w.LookupName(context.Background(), nil, "mmv.acme.other"); !errors.Is(err, pmerr.Name) {
		t.Errorf("the name of a metric that has gone: error %v", err)
	}
}

// TestGone takes a file away between the look at the directory and the fetch, and one that becomes
// shorter.
func TestGone(t *testing.T) {
	w := newWorld(t)
	b := w.build(nil)
	w.put("acme", b)
	w.names()
	if err := os.WriteFile(filepath.Join(w.dir, "acme"), b[:200], 0o666); err != nil {
		t.Fatal(err)
	}
	if v := w.fetch("mmv.acme.n.u32").Sets[0]; v.Err != pmerr.Value || v.Len() != 0 {
		t.Errorf("a short file: %+v", v)
	}
	if err := os.Remove(filepath.Join(w.dir, "acme")); err != nil {
		t.Fatal(err)
	}
	if v := w.fetch("mmv.acme.n.u32", "mmv.control.files").Sets; v[0].Err != pmerr.ENOENT || v[1].Words[0] != 1 {
		t.Errorf("no file: %+v", v)
	}
}

// TestChanging has a file that is being changed: it is tried again each time.
func TestChanging(t *testing.T) {
	w := newWorld(t)
	b := w.build(nil)
	b[16]++
	w.put("acme", b)
	if got := w.names(); got != "" || w.fetch("mmv.control.reload").Sets[0].Words[0] != 1 {
		t.Errorf("names %q", got)
	}
	b[16]--
	if err := os.WriteFile(filepath.Join(w.dir, "acme"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); got != demoNames || w.fetch("mmv.control.reload").Sets[0].Words[0] != 0 {
		t.Errorf("names %q, want %q", got, demoNames)
	}
}

// TestProcess lets a process end.
func TestProcess(t *testing.T) {
	w := newWorld(t)
	w.alive[7] = true
	w.put("acme", w.build(func(s *mmvtest.Spec) { s.Flags, s.PID = mmv.Process, 7 }))
	w.put("beta", w.build(func(s *mmvtest.Spec) { s.PID, s.Cluster = 7, 5 }))
	beta := strings.ReplaceAll(demoNames, "acme.", "beta.")
	if got, want := w.names(), beta+" "+demoNames; got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	w.alive[7] = false
	if got := w.names(); got != beta {
		t.Errorf("names %q, want %q", got, beta)
	}
}

// TestValues reads values of all types.
func TestValues(t *testing.T) {
	w := newWorld(t)
	w.put("acme", w.build(func(s *mmvtest.Spec) {
		s.Values = append(s.Values, mmvtest.Value{Metric: 0, Inst: 1, Word: 77}) // that instance has one
	}))
	w.names()
	names := strings.Fields(demoNames)
	for i := range names {
		names[i] = "mmv." + names[i]
	}
	res := w.fetch(names...)
	for i, want := range []pcp.Values{
		{Type: pcp.Uint64, Insts: []int32{1}, Words: []uint64{99}},
		{Type: pcp.Double, Insts: []int32{5}, Words: []uint64{math.Float64bits(-2.5)}},
		{Type: pcp.Float, Insts: []int32{-1}, Words: []uint64{uint64(math.Float32bits(1.5))}},
		{Type: pcp.Int64, Insts: []int32{-1}, Words: []uint64{math.MaxUint64 - 8}},
		{Type: pcp.Uint32, Insts: []int32{-1}, Words: []uint64{0xfffffff0}},
		{Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{math.MaxUint64 - 6}},
		{Type: pcp.Int64, Insts: []int32{-1}, Words: []uint64{2500}},
		{Type: pcp.String, Insts: []int32{-1}, Blobs: [][]byte{[]byte("running")}},
		{Type: pcp.Uint64, Insts: []int32{0, 1}, Words: []uint64{5, 1}},
	} {
		got := &res.Sets[i]
		if got.Err != nil || got.Type != want.Type {
			t.Errorf("%s: %+v, want %+v", names[i], got, want)
		} else if !slices.Equal(got.Insts, want.Insts) || !slices.Equal(got.Words, want.Words) || !slices.EqualFunc(got.Blobs, want.Blobs, slices.Equal) {
			t.Errorf("%s: %+v, want %+v", names[i], got, want)
		}
	}
	var p pcp.Profile
	p.Add(pcp.NewInDom(Domain, 321<<11|61), 1)
	id, _ := w.LookupName(context.Background(), nil, "mmv.acme.count")
	if err := w.Fetch(context.Background(), &pmda.Request{IDs: []pcp.ID{id}, Profile: &p}, res); err != nil || !slices.Equal(res.Sets[0].Insts, []int32{1}) {
		t.Errorf("with a profile: %+v, error %v", res.Sets[0], err)
	}
}

// TestMeta looks at descriptions, instances and labels.
func TestMeta(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	labels := func(s *mmvtest.Spec) {
		s.Labels = []mmv.Label{
			{Kind: pcp.ClusterLabels, Ident: uint32(s.Cluster), Inst: -1, Text: `{"app":"demo"}`}, {Kind: pcp.ClusterLabels, Ident: 99, Text: `{"other":1}`},
			{Kind: pcp.ItemLabels, Optional: true, Ident: 7, Text: `{"scale":2}`}, {Kind: pcp.ItemLabels, Ident: 7, Text: `{"more":"x"}`}, {Kind: pcp.ItemLabels, Ident: 7, Text: `no labels`},
			{Kind: pcp.InDomLabels, Ident: 61, Text: `{"kind":true}`}, {Kind: pcp.InstanceLabels, Ident: 61, Inst: 1, Text: `{"hue":[1,2]}`},
		}
	}
	w.put("acme", w.build(labels))
	w.put("auto", w.build(func(s *mmvtest.Spec) { s.Cluster = 0; labels(s) }))
	w.put("high", w.build(func(s *mmvtest.Spec) { s.Cluster = 4000 }))
	w.names()
	for name, want := range map[string]pcp.Desc{
		"mmv.acme.count": {ID: pcp.NewID(70, 321, 7), Type: pcp.Uint64, InDom: pcp.NewInDom(70, 321<<11|61), Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}},
		"mmv.acme.busy":  {ID: pcp.NewID(70, 321, 9), Type: pcp.Int64, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Usec}},
		"mmv.acme.n.i64": {ID: pcp.NewID(70, 321, 12), Type: pcp.Int64, InDom: pcp.NullInDom, Sem: pcp.Counter},
		"mmv.auto.n.u32": {ID: pcp.NewID(70, 1, 11), Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant},
		"mmv.high.n.u32": {ID: pcp.NewID(70, 2, 11), Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant},
	} {
		id, err := w.LookupName(ctx, nil, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := w.Desc(ctx, nil, id); err != nil || got != want {
			t.Errorf("%s: %+v, error %v; want %+v", name, got, err, want)
		}
	}
	for d, want := range map[pcp.InDom][]pcp.Instance{
		pcp.NewInDom(70, 321<<11|61): {{ID: 0, Name: "Anvils"}, {ID: 1, Name: "Rockets"}}, pcp.NewInDom(70, 1<<11|7): {{ID: 5, Name: "green with spaces"}},
	} {
		if got, err := w.Instances(ctx, nil, d); err != nil || !slices.Equal(got, want) {
			t.Errorf("instances of %v: %v, error %v; want %v", d, got, err, want)
		}
	}
	for _, c := range []struct {
		kind  pcp.LabelKind
		ident uint32
		want  string
	}{
		{pcp.DomainLabels, 70, `{"agent":"mmv"} 00`}, {pcp.ClusterLabels, uint32(pcp.NewID(70, 321, 0)), `{"app":"demo"} 00`}, {pcp.ClusterLabels, uint32(pcp.NewID(70, 1, 0)), `{"app":"demo"} 00`},
		{pcp.ClusterLabels, uint32(pcp.NewID(70, 2, 0)), ""}, {pcp.ItemLabels, uint32(pcp.NewID(70, 321, 7)), `{"more":"x","scale":2} 00 80`}, {pcp.ItemLabels, uint32(pcp.NewID(70, 321, 8)), ""},
		{pcp.InDomLabels, uint32(pcp.NewInDom(70, 321<<11|61)), `{"kind":true} 00`}, {pcp.InstanceLabels, uint32(pcp.NewInDom(70, 321<<11|61)), `{}{"hue":[1,2]} 00`}, {pcp.ContextLabels, 0, ""},
	} {
		if sets, err := w.Labels(ctx, nil, c.kind, c.ident); err != nil || shownLabels(sets) != c.want {
			t.Errorf("labels %d of %#x: %s, error %v; want %s", c.kind, c.ident, shownLabels(sets), err, c.want)
		}
	}
	if _, err := w.Labels(ctx, nil, pcp.InstanceLabels, uint32(pcp.NewInDom(70, 5))); !errors.Is(err, pmerr.InDom) {
		t.Errorf("labels of no domain: error %v, want %v", err, pmerr.InDom)
	}
}

// TestStore stores to all metrics that can be changed.
func TestStore(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.put("acme", w.build(nil))
	w.names()
	store := func(cluster, item uint32, word uint64) error {
		return w.Store(ctx, nil, []pcp.Values{{ID: pcp.NewID(70, cluster, item), Insts: []int32{-1}, Words: []uint64{word}}})
	}
	for _, c := range []struct {
		cluster, item uint32
		want          error
	}{{0, 0, nil}, {0, 2, pmerr.Permission}, {321, 11, pmerr.Permission}, {321, 77, pmerr.PMID}} {
		if err := store(c.cluster, c.item, 1); !errors.Is(err, c.want) {
			t.Errorf("70.%d.%d: error %v, want %v", c.cluster, c.item, err, c.want)
		}
	}
	if w.fetch("mmv.control.reload").Sets[0].Words[0] != 1 {
		t.Error("reload is not 1 after it was stored")
	}
	w.names()
	if res := w.fetch("mmv.control.reload"); res.Changes == 0 || res.Sets[0].Words[0] != 0 {
		t.Errorf("after a reload: changes %d, reload %d", res.Changes, res.Sets[0].Words[0])
	}
}

// TestUnreadable has entries in the directory that are not readable files.
func TestUnreadable(t *testing.T) {
	w := newWorld(t)
	if err := errors.Join(os.Mkdir(filepath.Join(w.dir, "directory"), 0o777), os.Symlink("nowhere", filepath.Join(w.dir, "link")), os.Symlink(".", filepath.Join(w.dir, "loop"))); err != nil {
		t.Skip(err)
	}
	if got := w.names(); got != "" || len(w.log) != 2 {
		t.Errorf("names %q, log %q", got, w.log)
	}
	missing, err := New(&Options{Dir: filepath.Join(w.dir, "missing")})
	if err != nil || missing.(pmda.Checker).Check(context.Background(), nil) != nil {
		t.Errorf("no directory: %v", err)
	}
}

func BenchmarkFetch(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "acme"), mmvtest.Build(mmvtest.Demo()), 0o666); err != nil {
		b.Fatal(err)
	}
	p, err := New(&Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	req := &pmda.Request{IDs: []pcp.ID{pcp.NewID(70, 321, 7), pcp.NewID(70, 321, 8), pcp.NewID(70, 321, 9)}}
	var res pcp.Result
	for b.Loop() {
		if err := errors.Join(p.(pmda.Checker).Check(ctx, nil), p.Fetch(ctx, req, &res)); err != nil || res.Sets[0].Len() != 2 {
			b.Fatal(err, res.Sets)
		}
	}
}

// shownLabels returns label sets as text.
func shownLabels(sets []pcp.LabelSet) string {
	var b strings.Builder
	for _, s := range sets {
		b.Write(pcp.AppendLabels(nil, s.Labels))
		for _, l := range s.Labels {
			fmt.Fprintf(&b, " %02x", l.Flags)
		}
	}
	return b.String()
}
