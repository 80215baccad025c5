package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/builtin/simple"
	"pmtools/lib/builtin/trivial"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

var _ pmapi.Source = (*Source)(nil)

// TestDefaultRoots compares the declared roots of collectors with the roots of their names: a
// provider is made only for a question about one of its roots.
func TestDefaultRoots(t *testing.T) {
	s := Default(&Options{Root: t.TempDir()})
	defer s.Close()
	if len(s.members) < 6 {
		t.Errorf("%d collectors", len(s.members))
	}
	for _, m := range s.members {
		if m.provider != nil {
			t.Errorf("%s: there is a provider before the first question", m.Name)
		}
		p, err := m.New()
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		if p.Domain() != m.Domain {
			t.Errorf("%s: domain %d, said to be %d", m.Name, p.Domain(), m.Domain)
		}
		var roots []string
		for _, n := range p.Names() {
			if root, _, _ := strings.Cut(n.Name, "."); !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
		if !slices.Equal(roots, m.Roots) {
			t.Errorf("%s: roots %q, said to be %q", m.Name, roots, m.Roots)
		}
	}
}

// TestAgents chooses collectors and their domains. The first in a domain counts, and sample has
// other names where the reference has its twin.
func TestAgents(t *testing.T) {
	ctx := context.Background()
	s := Default(&Options{Root: t.TempDir(), Agents: []Agent{
		{"sample", 29}, {"sample", 30}, {"simple", 77}, {"pmcd", 78}, {"trivial", 77}, {"mmv", 79}, {"proc", 80}, {"linux", 81}, {"no such", 82},
	}})
	defer s.Close()
	for name, want := range map[string]pcp.ID{
		"sample.long.one": pcp.NewID(29, 0, 10), "sampledso.long.one": pcp.NewID(30, 0, 10), "simple.numfetch": pcp.NewID(77, 0, 0), "trivial.time": pcp.NullID,
		"pmcd.version": pcp.NewID(78, 0, 7), "mmv.control.reload": pcp.NewID(79, 0, 0), "proc.nprocs": pcp.NewID(80, 8, 99), "hinv.ncpu": pcp.NewID(81, 0, 32),
	} {
		found, err := s.Lookup(ctx, []string{name})
		if err != nil || found[0].Value != want {
			t.Errorf("%s: %v, %v, want %v", name, found, err, want)
			continue
		}
		var res pcp.Result
		if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{want}}, &res); err != nil || want != pcp.NullID && res.Sets[0].Err != nil {
			t.Errorf("%s: %v, %v", name, res.Sets, err)
		}
	}
}

// TestLazy sees which providers a question makes.
func TestLazy(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		ask  func(s *Source)
		want string
	}{
		{"nothing", func(*Source) {}, ""},
		{"a name", func(s *Source) { _, _ = s.Lookup(ctx, []string{"trivial.time"}) }, "trivial"},
		{"an unknown name", func(s *Source) { _, _ = s.Lookup(ctx, []string{"no.such.name"}) }, ""},
		{"the root", func(s *Source) { _, _ = s.Children(ctx, "") }, ""},
		{"a value", func(s *Source) {
			_ = s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{pcp.NewID(simple.Domain, 0, 0), pcp.NewID(trivial.Domain, 0, 0)}}, new(pcp.Result))
		}, "simple trivial"},
		{"labels of the host", func(s *Source) { _, _ = pmapi.LabelsOf(ctx, s, pcp.ContextLabels, 0) }, ""},
	} {
		s := Default(&Options{Root: t.TempDir()})
		c.ask(s)
		var made []string
		for _, m := range s.members {
			if m.provider != nil {
				made = append(made, m.Name)
			}
		}
		if got := strings.Join(made, " "); got != c.want {
			t.Errorf("%s: makes %q, want %q", c.name, got, c.want)
		}
		s.Close()
	}
}

// TestNames looks at names, also of several collectors below one node.
func TestNames(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	for _, c := range []struct {
		name string
		id   pcp.ID
		err  error
	}{
		{"trivial.time", pcp.NewID(250, 0, 0), nil}, {"trivial", pcp.NullID, pmerr.NonLeaf}, {"trivial.", pcp.NullID, pmerr.Name}, {"", pcp.NullID, pmerr.Name},
		{"sample.bin", pcp.NewID(29, 0, 6), nil}, {"sample.secret.bin", pcp.NewID(29, 0, 6), nil}, {"sample.secret", pcp.NullID, pmerr.NonLeaf},
		{"sample.secret.nope", pcp.NullID, pmerr.Name}, {"sample.secret.foo.bar.max.redirect", pcp.NewID(2, 4, 1), nil},
		{"sample.ghosts.visible", pcp.NewID(29, 0, 1008), nil}, {"sample.ghosts.state", pcp.NullID, pmerr.Name},
		{"sample.bad.unknown", pcp.NewID(29, 0, 54), nil}, {"sample.twin.one", pcp.NewID(251, 0, 1), nil}, {"sample.twin", pcp.NullID, pmerr.NonLeaf},
		{"single", pcp.NewID(251, 0, 3), nil}, {"mmv.acme.count", pcp.NewID(70, 321, 7), nil}, {"mmv.acme", pcp.NullID, pmerr.NonLeaf}, {"mmv", pcp.NullID, pmerr.NonLeaf},
		{"pmcd.version", pcp.NewID(2, 0, 7), nil}, {"nope", pcp.NullID, pmerr.Name},
	} {
		r, err := s.Lookup(ctx, []string{c.name})
		if err != nil || r[0].Value != c.id || !errors.Is(r[0].Err, c.err) {
			t.Errorf("Lookup(%q): %v, error %v; want %v, %v", c.name, r, err, c.id, c.err)
		}
	}
	for id, want := range map[pcp.ID][]string{
		pcp.NewID(29, 0, 6): {
			"sample.dupnames.five.bin", "sample.dupnames.four.bin", "sample.dupnames.three.bin", "sample.dupnames.two.bin", "sample.bin", "sample.secret.bin",
		},
		pcp.NewID(2, 4, 1):   {"pmcd.agent.status", "sample.secret.foo.bar.max.redirect"},
		pcp.NewID(251, 0, 3): {"single"},
	} {
		if names, err := s.Names(ctx, id); err != nil || !slices.Equal(names, want) {
			t.Errorf("Names(%v): %q, error %v; want %q", id, names, err, want)
		}
	}
	top, err := s.Children(ctx, "")
	want := []pcp.Child{{Name: "mmv"}, {Name: "pmcd"}, {Name: "sample"}, {Name: "simple"}, {Name: "trivial"}, {Name: "twin"}, {Name: "single", Leaf: true}}
	if err != nil || !slices.Equal(top, want) {
		t.Errorf("Children(\"\"): %v, error %v; want %v", top, err, want)
	}
}

// TestAsked adds a collector that was asked for, whose names others have, too: these are its own.
func TestAsked(t *testing.T) {
	ctx := t.Context()
	for _, domain := range []uint32{449, simple.Domain} {
		s := Default(&Options{Root: t.TempDir(), Collectors: []Collector{{Name: "own", Domain: domain, Asked: true, New: func() (pmda.Provider, error) {
			return pmda.New(pmda.Table{Domain: domain, Metrics: []pmda.Metric{{Name: "simple.color", Item: 7, Type: pcp.String, Fetch: pmda.Always("own")}}})
		}}}})
		var names []string
		if err := s.Walk(ctx, "simple", true, func(name string, id pcp.ID) bool {
			names = append(names, fmt.Sprint(name, " ", id))
			return true
		}); err != nil {
			t.Error(err)
		}
		want := []string{"simple.numfetch 253.0.0", "simple.now 253.2.4", "simple.time.user 253.1.2", "simple.time.sys 253.1.3", "simple.color 449.0.7"}
		if domain == simple.Domain { // a domain has one collector
			want = []string{"simple.color 253.0.7"}
		}
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("domain %d: got %q, want %q", domain, names, want)
		}
		id := pcp.NewID(domain, 0, 7)
		if r, err := s.Lookup(ctx, []string{"simple.color"}); err != nil || r[0].Value != id {
			t.Errorf("domain %d: Lookup: %v, %v", domain, r, err)
		}
		var res pcp.Result
		if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &res); err != nil || res.Sets[0].Len() != 1 || string(res.Sets[0].Blobs[0]) != "own" {
			t.Errorf("domain %d: Fetch: %v, %v", domain, res.Sets, err)
		}
		if list, err := s.Names(ctx, pcp.NewID(simple.Domain, 0, 1)); err == nil {
			t.Errorf("domain %d: a name that is hidden: %q", domain, list)
		}
		s.Close()
	}
}

// TestUnknownDomain asks for a metric without a collector: there is no agent, and the identifier is
// unknown.
func TestUnknownDomain(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	id, d := pcp.NewID(77, 1, 2), pcp.NewInDom(77, 1)
	descs, err := s.Describe(ctx, []pcp.ID{id})
	_, errInsts := pmapi.InstancesOf(ctx, s, d, pmapi.Now())
	_, errInst := s.LookupInst(ctx, d, "x")
	_, errName := s.InstName(ctx, d, 1)
	_, errText := pmapi.LookupText(ctx, s, pcp.Help, uint32(id))
	_, errDomText := pmapi.LookupText(ctx, s, pcp.Help|pcp.InDomText, uint32(d))
	_, errLabels := pmapi.LabelsOf(ctx, s, pcp.ItemLabels, uint32(id))
	errStore := s.Store(ctx, []pcp.Values{{ID: id, Insts: []int32{-1}, Words: []uint64{1}}})
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Describe": descs[0].Err, "Instances": errInsts, "LookupInst": errInst, "InstName": errName, "Text": errText, "InDomText": errDomText,
		"Labels": errLabels, "Store": errStore,
	} {
		if pmerr.Of(err) != pmerr.NoAgent || err.Error() != pmerr.NoAgent.Error() {
			t.Errorf("%s: error %v, want %v", what, err, pmerr.NoAgent)
		}
	}
	if !errors.Is(descs[0].Err, pmerr.PMID) || !errors.Is(errInsts, pmerr.InDom) {
		t.Errorf("errors %v, %v are not %v, %v", descs[0].Err, errInsts, pmerr.PMID, pmerr.InDom)
	}
}

// TestFetchDomains fetches from several collectors at once.
func TestFetchDomains(t *testing.T) {
	s := portable(t)
	ids := []pcp.ID{
		pcp.NewID(250, 0, 0), pcp.NewID(29, 0, 5), pcp.NewID(77, 0, 1), pcp.NewID(251, 0, 1), pcp.NewID(29, 0, 5), pcp.NewID(250, 0, 9), pcp.NewID(29, 0, 31), pcp.NullID,
	}
	var res pcp.Result
	for i := range 3 {
		if err := s.Fetch(context.Background(), &pmapi.Request{IDs: ids}, &res); err != nil {
			t.Fatal(err)
		}
		x := uint64(6 * i)
		for j, want := range []pcp.Values{
			{Words: res.Sets[0].Words}, {Words: []uint64{101 + x, 202 + x, 303 + x}}, {Err: pmerr.NoAgent}, {Words: []uint64{1}}, {Words: []uint64{104 + x, 205 + x, 306 + x}},
			{Err: pmerr.PMID}, {Blobs: [][]byte{[]byte("hullo world!")}}, {Err: pmerr.NoAgent},
		} {
			got := &res.Sets[j]
			if got.ID != ids[j] || got.Err != want.Err {
				t.Errorf("fetch %d: column %d is %+v, want %+v", i, j, got, want)
			} else if !slices.Equal(got.Words, want.Words) || len(got.Blobs) != len(want.Blobs) {
				t.Errorf("fetch %d: column %d is %+v, want %+v", i, j, got, want)
			}
		}
	}
	if res.Time.Sec == 0 || res.Sets[0].Words[0] == 0 {
		t.Errorf("time %v, values %v", res.Time, res.Sets[0])
	}
}

// A confused provider answers with values of the metric after the one that was asked for.
type confused struct{ pmda.Provider }

func (c confused) Fetch(ctx context.Context, req *pmda.Request, dst *pcp.Result) error {
	err := c.Provider.Fetch(ctx, req, dst)
	for i := range dst.Sets {
		dst.Sets[i].ID++
	}
	return err
}

// TestFetchConfused takes no values of other metrics than those that were asked for.
func TestFetchConfused(t *testing.T) {
	p, err := trivial.New(250)
	if err != nil {
		t.Fatal(err)
	}
	s := New(&Options{Collectors: []Collector{{Name: "trivial", Domain: 250, New: func() (pmda.Provider, error) { return confused{p}, nil }}}})
	defer s.Close()
	for _, ids := range [][]pcp.ID{{pcp.NewID(250, 0, 0)}, {pcp.NewID(250, 0, 0), pcp.NewID(29, 0, 5)}} {
		var res pcp.Result
		if err := s.Fetch(context.Background(), &pmapi.Request{IDs: ids}, &res); err != nil {
			t.Fatal(err)
		}
		if got := res.Sets[0]; got.ID != ids[0] || got.Err != pmerr.Generic || got.Len() > 0 {
			t.Errorf("of %d metrics: %+v, want error %v", len(ids), got, pmerr.Generic)
		}
	}
}

// TestFetchAllocations wants fetches that repeat to allocate nothing.
func TestFetchAllocations(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	req := &pmapi.Request{IDs: []pcp.ID{
		pcp.NewID(29, 0, 10), pcp.NewID(250, 0, 0), pcp.NewID(29, 0, 6), pcp.NewID(29, 0, 31), pcp.NewID(29, 0, 28), pcp.NewID(251, 0, 1), pcp.NewID(29, 0, 57),
	}}
	var res pcp.Result
	n := testing.AllocsPerRun(100, func() {
		if err := s.Fetch(ctx, req, &res); err != nil {
			t.Fatal(err)
		}
	})
	if n > 0 {
		t.Errorf("%v allocations a fetch", n)
	}
}

// TestStore stores, and is refused.
func TestStore(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	one := func(item uint32, words ...uint64) pcp.Values {
		v := pcp.Values{ID: pcp.NewID(29, 0, item), Type: pcp.Int32, Words: words}
		for range words {
			v.Insts = append(v.Insts, pcp.NullInst)
		}
		return v
	}
	for _, c := range []struct {
		name string
		sets []pcp.Values
		want error
	}{
		{"nothing", nil, pmerr.TooSmall}, {"no values", []pcp.Values{one(14, 1), one(14)}, pmerr.Value}, {"a value", []pcp.Values{one(14, 5)}, nil},
		{"one of two", []pcp.Values{one(14, 6), one(10, 1)}, pmerr.Permission}, {"trivial", []pcp.Values{{ID: pcp.NewID(250, 0, 0), Insts: []int32{-1}, Words: []uint64{1}}}, pmerr.Permission},
	} {
		if err := s.Store(ctx, c.sets); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	var res pcp.Result
	if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{pcp.NewID(29, 0, 14)}}, &res); err != nil || res.Sets[0].Words[0] != 6 {
		t.Errorf("%+v, error %v; want 6", res.Sets, err)
	}
}

// TestNotReady has a collector that cannot answer at present.
func TestNotReady(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	notReady := pcp.Values{ID: pcp.NewID(29, 0, 169), Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{60000}}
	if err := s.Store(ctx, []pcp.Values{notReady}); err != nil {
		t.Fatal(err)
	}
	var res pcp.Result
	if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{pcp.NewID(29, 0, 4), pcp.NewID(251, 0, 1)}}, &res); err != nil || res.Sets[0].Err != pmerr.Again || res.Sets[1].Err != nil {
		t.Errorf("%+v, error %v", res.Sets, err)
	}
	if _, err := pmapi.InstancesOf(ctx, s, pcp.NewInDom(29, 1), pmapi.Now()); !errors.Is(err, pmerr.Again) {
		t.Errorf("Instances: error %v, want %v", err, pmerr.Again)
	}
	if err := s.Walk(ctx, "sample", true, func(string, pcp.ID) bool { return true }); !errors.Is(err, pmerr.Again) {
		t.Errorf("Walk: error %v, want %v", err, pmerr.Again)
	}
	if r, err := s.Lookup(ctx, []string{"sample.secret.bar", "sample.bin"}); err != nil || !errors.Is(r[0].Err, pmerr.Again) || r[1].Err != nil {
		t.Errorf("Lookup: %v, error %v", r, err)
	}
}

// TestTexts checks help texts, and the replacements of missing ones.
func TestTexts(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	for _, c := range []struct {
		id   pcp.ID
		kind pcp.TextKind
		want string
		err  error
	}{
		{pcp.NewID(70, 321, 7), pcp.OneLine, "throughput", nil}, {pcp.NewID(70, 321, 7), pcp.Help, "How many were made", nil},
		{pcp.NewID(70, 321, 8), pcp.Help, "state", nil}, {pcp.NewID(70, 321, 9), pcp.Help, "", pmerr.Text}, {pcp.NewID(251, 0, 1), pcp.OneLine, "", pmerr.Text},
	} {
		if got, err := pmapi.LookupText(ctx, s, c.kind, uint32(c.id)); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("text %d of %v: %q, error %v; want %q, %v", c.kind, c.id, got, err, c.want, c.err)
		}
	}
	if got, err := pmapi.LookupText(ctx, s, pcp.Help|pcp.InDomText, uint32(pcp.NewInDom(70, 321<<11|61))); got != "Popular Acme products" || err != nil {
		t.Errorf("text of a domain: %q, error %v", got, err)
	}
}

// sayLabels returns label sets as text.
func sayLabels(sets []pcp.LabelSet) string {
	var b strings.Builder
	for _, s := range sets {
		b.Write(pcp.AppendLabels(nil, s.Labels))
		for _, l := range s.Labels {
			b.WriteString(" " + string("0123456789abcdef"[l.Flags>>4]) + string("0123456789abcdef"[l.Flags&15]))
		}
	}
	return b.String()
}

// TestLabels looks at labels of all levels.
func TestLabels(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	for file, text := range map[string]string{"etc/machine-id": "0123abc\n", "proc/sys/kernel/domainname": "example.org\n"} {
		path := filepath.Join(s.opts.Root, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	host := `{"domainname":"example.org","hostname":"here","machineid":"0123abc"} 01 01 01`
	sets, err := pmapi.LabelsOf(ctx, s, pcp.ContextLabels, 0)
	got := sayLabels(sets)
	if runtime.GOOS == "windows" && got != host || err != nil {
		t.Errorf("labels of the host: %s, error %v", got, err)
	} else if !strings.Contains(got, `"hostname":"here"`) || !strings.Contains(got, `"machineid":"0123abc"`) {
		t.Errorf("labels of the host: %s, error %v", got, err)
	}
	if runtime.GOOS != "windows" && (!strings.Contains(got, `"groupid":`) || !strings.Contains(got, " 01 81 01 01 81")) {
		t.Errorf("labels of the host: %s", got)
	}
	for _, c := range []struct {
		kind  pcp.LabelKind
		ident uint32
		want  string
	}{
		{pcp.DomainLabels, 29, `{"agent":"sample","role":"testing"} 02 02`},
		{pcp.DomainLabels, 250, `{"agent":"trivial"} 02`},
		{pcp.DomainLabels, 253, `{"role":"testing"} 02`},
		{pcp.DomainLabels, 2, `{"agent":"pmcd"} 02`},
		{pcp.ClusterLabels, uint32(pcp.NewID(29, 0, 5)), `{"cluster":"zero"} 08`},
		{pcp.InDomLabels, uint32(pcp.NewInDom(29, 1)), `{"model":"RGB"} 04`},
		{pcp.ItemLabels, uint32(pcp.NewID(29, 0, 14)), `{"changed":false} 90`},
		{pcp.ItemLabels, uint32(pcp.NewID(29, 0, 10)), ""},
		{pcp.InstanceLabels, uint32(pcp.NewInDom(29, 3)), `{"transient":false} 20`},
		{pcp.InstanceLabels, uint32(pcp.NewInDom(70, 321<<11|61)), `{}{"hue":[1,2]} 20`},
	} {
		if sets, err := pmapi.LabelsOf(ctx, s, c.kind, c.ident); err != nil || sayLabels(sets) != c.want {
			t.Errorf("labels %d of %#x: %s, error %v; want %s", c.kind, c.ident, sayLabels(sets), err, c.want)
		}
	}
	if _, err := pmapi.LabelsOf(ctx, s, 99, 29); !errors.Is(err, pmerr.Type) {
		t.Errorf("labels of no level: error %v, want %v", err, pmerr.Type)
	}
}

// TestLabelFiles has labels in files: the host's own win.
func TestLabelFiles(t *testing.T) {
	s := portable(t)
	dir := filepath.Join(s.opts.Root, "etc", "pcp", "labels")
	if err := os.MkdirAll(filepath.Join(dir, "optional"), 0o777); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"a": `{"site":{"rack":7},"hostname":"no"}`, "b": `{"site.rack":8, "c":1}`, "bad": "{", ".hidden": `{"d":1}`, "optional/o": `{"note":"x","c":2}`, "empty": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	labels := map[string]pcp.Label{}
	for _, l := range s.contextLabels() {
		labels[l.Name] = l
	}
	for _, want := range []pcp.Label{
		{Name: "site.rack", Value: "8", Flags: 0x41}, {Name: "c", Value: "2", Flags: 0xc1}, {Name: "note", Value: `"x"`, Flags: 0xc1}, {Name: "hostname", Value: `"here"`, Flags: 1}, {},
	} {
		if got := labels[want.Name]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	var res pcp.Result
	if err := s.Fetch(context.Background(), &pmapi.Request{IDs: []pcp.ID{pcp.NewID(2, 0, 25)}}, &res); err != nil || string(res.Sets[0].Blobs[0]) != `{"c":2,"hostname":"no","note":"x","site.rack":8}` {
		t.Errorf("pmcd.labels is %q, error %v", res.Sets[0].Blobs, err)
	}
	if l, ok := labels["d"]; ok {
		t.Errorf("a hidden file has %+v", l)
	}
}

// TestLabelsWithoutFiles checks the labels of a host without the files about its names.
func TestLabelsWithoutFiles(t *testing.T) {
	s := portable(t)
	sets, err := pmapi.LabelsOf(context.Background(), s, pcp.ContextLabels, 0)
	if got := sayLabels(sets); err != nil || !strings.Contains(got, `"domainname":"localdomain"`) || !strings.Contains(got, `"machineid":"localmachine"`) {
		t.Errorf("%s, error %v", got, err)
	}
	h := host.Host{Hostname: func() (string, error) { return "", os.ErrNotExist }}
	if h.Name() != "localhost" {
		t.Errorf("a host without a name is %q", h.Name())
	}
}

// A watcher is a provider that records its calls and has no metrics.
type watcher struct {
	pmda.Provider
	attrs, ended, profiles, closed int
}

func (w *watcher) SetAttr(*pmda.Client, pdu.AttrCode) { w.attrs++ }
func (w *watcher) EndClient(*pmda.Client)             { w.ended++ }
func (w *watcher) SetProfile(*pmda.Client, *pcp.Profile) {
	w.profiles++
}
func (w *watcher) Close() error { w.closed++; return nil }

// TestWatcher sees the calls of a provider, also of one that implements nothing else.
func TestWatcher(t *testing.T) {
	ctx := context.Background()
	trivial, err := trivial.New(250)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{Provider: trivial}
	s := New(&Options{Collectors: []Collector{
		{Name: "watcher", Domain: 250, New: func() (pmda.Provider, error) { return w, nil }},
		{Name: "broken", Domain: 251, New: func() (pmda.Provider, error) { return nil, pmerr.Generic }},
	}})
	id := pcp.NewID(250, 0, 0)
	var res pcp.Result
	if err := s.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id, pcp.NewID(251, 0, 0)}}, &res); err != nil || res.Sets[0].Err != nil || res.Sets[1].Err != pmerr.NoAgent {
		t.Errorf("%+v, error %v", res.Sets, err)
	}
	if _, err := pmapi.LookupText(ctx, s, pcp.Help, uint32(id)); !errors.Is(err, pmerr.Text) {
		t.Errorf("Text: error %v, want %v", err, pmerr.Text)
	}
	if err := s.Store(ctx, []pcp.Values{{ID: id, Insts: []int32{-1}, Words: []uint64{1}}}); !errors.Is(err, pmerr.Permission) {
		t.Errorf("Store: error %v, want %v", err, pmerr.Permission)
	}
	if sets, err := pmapi.LabelsOf(ctx, s, pcp.DomainLabels, 250); err != nil || sayLabels(sets) != `{"agent":"watcher"} 02` {
		t.Errorf("Labels: %s, error %v", sayLabels(sets), err)
	}
	if _, err := s.LookupInst(ctx, pcp.NewInDom(250, 1), "x"); !errors.Is(err, pmerr.InDom) {
		t.Errorf("LookupInst: error %v, want %v", err, pmerr.InDom)
	}
	if r, err := s.Lookup(ctx, []string{"trivial.time"}); err != nil || r[0].Value != id {
		t.Errorf("Lookup: %v, error %v", r, err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if runtime.GOOS != "windows" && w.attrs != 3 || w.ended != 1 {
		t.Errorf("%d attributes, %d ends, %d profiles, %d closed", w.attrs, w.ended, w.profiles, w.closed)
	} else if w.profiles != 1 || w.closed != 1 {
		t.Errorf("%d attributes, %d ends, %d profiles, %d closed", w.attrs, w.ended, w.profiles, w.closed)
	}
}

// TestClosed asks a closed Source.
func TestClosed(t *testing.T) {
	ctx := context.Background()
	s := portable(t)
	s.Close()
	_, err1 := s.Lookup(ctx, []string{"trivial.time"})
	_, err2 := s.Names(ctx, pcp.NewID(250, 0, 0))
	_, err3 := s.Children(ctx, "trivial")
	err4 := s.Walk(ctx, "", true, func(string, pcp.ID) bool { return true })
	_, err5 := s.Describe(ctx, nil)
	_, err6 := s.Instances(ctx, nil, pmapi.Now())
	err7 := s.Store(ctx, nil)
	_, err8 := pmapi.LabelsOf(ctx, s, pcp.ContextLabels, 0)
	for i, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8} {
		if !errors.Is(err, pmerr.NoContext) {
			t.Errorf("question %d: error %v, want %v", i+1, err, pmerr.NoContext)
		}
	}
}

func TestAllOf(t *testing.T) {
	s := portable(t)
	rs, err := s.Instances(context.Background(), []pcp.InDom{pcp.NewInDom(29, 1), pcp.NewInDom(77, 1), pcp.NewInDom(29, 2)}, pmapi.Now())
	if err != nil {
		t.Errorf("%v, error %v", rs, err)
	} else if len(rs) != 3 || len(rs[0].Value) != 3 {
		t.Errorf("%v, error %v", rs, err)
	} else if rs[1].Err == nil || len(rs[2].Value) != 9 {
		t.Errorf("%v, error %v", rs, err)
	}
}

func BenchmarkDefault(b *testing.B) {
	ctx := context.Background()
	for b.Loop() {
		s := Default(nil)
		if r, err := s.Lookup(ctx, []string{"trivial.time"}); err != nil || r[0].Err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

// TestStart: the end of a question ends the start of a provider, and the next question starts it again. Another error stays.
func TestStart(t *testing.T) {
	id := pcp.NewID(250, 0, 0)
	for _, failure := range []error{nil, pmerr.Generic} {
		started := 0
		s := New(&Options{Collectors: []Collector{{Name: "slow", Domain: 250, Roots: []string{"slow"}, Start: func(ctx context.Context) (pmda.Provider, error) {
			if started++; failure != nil {
				return nil, failure
			}
			if started == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return pmda.New(pmda.Table{Domain: 250, Metrics: []pmda.Metric{{Name: "slow.value", Type: pcp.String, Fetch: pmda.Always("x")}}})
		}}}})
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, _ = s.Describe(short, []pcp.ID{id})
		cancel()
		ctx := t.Context()
		_, _ = s.Describe(ctx, []pcp.ID{id})
		found, err := s.Describe(ctx, []pcp.ID{id})
		if err != nil || (found[0].Err == nil) != (failure == nil) || started != map[bool]int{true: 2, false: 1}[failure == nil] {
			t.Errorf("%v: %+v, error %v, started %d times", failure, found, err, started)
		}
		s.Close()
	}
}
