package derive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// lines collects warnings.
type lines []string

func (l *lines) warn(s string) { *l = append(*l, s) }

// describe returns the description of one metric.
func describe(t *testing.T, s pmapi.Source, id pcp.ID) (pcp.Desc, error) {
	t.Helper()
	r, err := s.Describe(context.Background(), []pcp.ID{id})
	if err != nil || len(r) != 1 {
		t.Fatalf("Describe: %v, %v", r, err)
	}
	return r[0].Desc, r[0].Err
}

// lookup returns the identifier of a name.
func lookup(t *testing.T, s pmapi.Source, name string) pcp.ID {
	t.Helper()
	r, err := s.Lookup(context.Background(), []string{name})
	if err != nil || r[0].Err != nil {
		t.Fatalf("Lookup(%s): %v, %v", name, r, err)
	}
	return r[0].ID
}

// fetch fetches metrics and returns their values as text.
func fetch(t *testing.T, f *fake, s pmapi.Source, ids ...pcp.ID) []string {
	t.Helper()
	var res pcp.Result
	if err := s.Fetch(context.Background(), &pmapi.Request{IDs: ids}, &res); err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range res.Sets {
		if res.Sets[i].ID != ids[i] {
			t.Errorf("column %d is of %v, want %v", i, res.Sets[i].ID, ids[i])
		}
		d, _ := describe(t, s, ids[i])
		out = append(out, show(f, d, &res.Sets[i]))
	}
	return out
}

// TestSingleSamples has the table of derived.md D12, with the better columns of D16 where they are taken.
func TestSingleSamples(t *testing.T) {
	file, err := os.ReadFile("testdata/single.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		p := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(p) != 4 {
			continue
		}
		t.Run(p[0], func(t *testing.T) { single(t, p[1], p[2], p[3]) })
	}
}

func single(t *testing.T, expr, wantDesc, want string) {
	reg, f := derive.NewRegistry(nil), newFake(qa)
	var warned lines
	src := derive.NewSource(f, reg, &derive.Options{Warn: warned.warn})
	err := reg.Register("x.y", expr)
	if strings.HasPrefix(want, "PE@") {
		var bad *derive.Error
		if !errors.As(err, &bad) {
			t.Fatalf("%s: no error", expr)
		}
		got := fmt.Sprintf("PE@%d (no text)", bad.Offset())
		if bad.Text() != "" {
			got = fmt.Sprintf("PE@%d: %s", bad.Offset(), bad.Text())
		}
		if got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	id := lookup(t, src, "x.y")
	d, err := describe(t, src, id)
	if text, ok := strings.CutPrefix(want, "SE: "); ok {
		text = "Semantic error: derived metric x.y: " + strings.TrimSuffix(text, " bind fails silently")
		if !errors.Is(err, pmerr.BadDerive) || len(warned) != 1 || warned[0] != text {
			t.Errorf("%s: %v %q, want %q", expr, err, warned, text)
		}
		return
	}
	if err != nil || len(warned) > 0 {
		t.Fatalf("%s: %v, %v", expr, err, warned)
	}
	if got := showDesc(d); got != wantDesc {
		t.Errorf("%s is %s, want %s", expr, got, wantDesc)
	}
	if got := fetch(t, f, src, id)[0]; got != want {
		t.Errorf("%s: %s, want %s", expr, got, want)
	}
}

// TestSeveralSamples has rows of derived.md D13; the evaluator's own tests have the rest.
func TestSeveralSamples(t *testing.T) {
	const again, value = "Error: Try again. Information not currently available", "Error: Missing metric value(s)"
	tests := []struct {
		expr string
		want []string
	}{
		{"delta(t.a)", []string{"none", "101", again, again, "none", "none"}},
		{"rate(t.a*2)", []string{"none", "202", again, "208", "none", "none"}},
		{"delta(t.s)", []string{"none", value, value, "1", "1", "1"}},
		{`t.b[a\]b]`, []string{"a]b=40", "a]b=41", "a]b=42", "a]b=23", "a]b=44"}},
		{"matchinst(/^t/, t.b)", []string{"two blank=20 three=30", "two blank=21 three=31", "two blank=22 three=32", "none"}},
		{"delta(sample.byte_ctr)", []string{"none", "339", "1452", "1106"}},
		{"delta(delta(sample.byte_ctr))", []string{"none", "none", "1113", "-346"}},
		{"delta(sum(sample.mirage))", []string{"none", "-128", "0"}},
		{`delta(rescale(sample.byte_ctr,"Kbyte"))`, []string{"none", "1", "1", "1"}},
		{"delta(sample.byte_ctr>24000)", []string{"none", "1", "0", "0"}},
		{"(delta(sample.mirage))[m-00]", []string{"none", "m-00=-16", "m-00=0"}},
		{"delta(sample.mirage[m-46])", []string{"none", "m-46=-16", "m-46=0"}},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			f := newFake(qa)
			reg := derive.NewRegistry(nil)
			if err := reg.Register("x.y", tt.expr); err != nil {
				t.Fatal(err)
			}
			src := derive.NewSource(f, reg, nil)
			id := lookup(t, src, "x.y")
			for i, want := range tt.want {
				if got := fetch(t, f, src, id)[0]; got != want {
					t.Errorf("sample %d: %s, want %s", i, got, want)
				}
			}
		})
	}
}

// define makes a Source with definitions NAME=EXPR.
func define(t *testing.T, base pmapi.Source, warned *lines, defs ...string) (*derive.Source, *derive.Registry) {
	t.Helper()
	reg := derive.NewRegistry(warned.warn)
	for _, d := range defs {
		name, expr, _ := strings.Cut(d, "=")
		if err := reg.Register(name, expr); err != nil {
			t.Fatal(err)
		}
	}
	return derive.NewSource(base, reg, nil), reg
}

// TestIdentifiers follows the identifiers that definitions get.
func TestIdentifiers(t *testing.T) {
	var w lines
	src, reg := define(t, newFake(qa), &w, "d.one=1")
	if err := reg.Register("d.bad", "1 +"); err == nil {
		t.Error("no syntax error")
	}
	if err := reg.Register("d.two", "no.such"); err != nil {
		t.Error(err)
	}
	ctx := context.Background()
	if err := src.Add(ctx, "p.bad", "1 +"); err == nil {
		t.Error("no syntax error")
	}
	if err := src.Add(ctx, "p.one", "no.such"); err == nil {
		t.Error("no semantic error")
	}
	if err := src.Add(ctx, "p.two", "2"); err != nil {
		t.Error(err)
	}
	other := derive.NewSource(newFake(qa), reg, nil)
	if err := other.Add(ctx, "q.one", "1"); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		src      *derive.Source
		name, id string
	}{
		{src, "event.flags", "511.0.1"}, {src, "event.missed", "511.0.2"}, {src, "d.one", "511.0.3"}, {src, "d.two", "511.0.4"},
		{src, "p.one", "511.2047.1023"}, {src, "p.two", "511.2047.1022"}, {other, "q.one", "511.2047.1023"},
	} {
		id := lookup(t, tt.src, tt.name)
		names, err := tt.src.Names(ctx, id)
		if id.String() != tt.id || err != nil || len(names) != 1 || names[0] != tt.name {
			t.Errorf("%s is %v, which is called %v (%v)", tt.name, id, names, err)
		}
	}
	for i := range 1100 {
		if err := reg.Register(fmt.Sprintf("many.m%d", i), "1"); err != nil {
			t.Fatal(err)
		}
		if err := src.Add(ctx, fmt.Sprintf("more.m%d", i), "1"); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"many.m1018": "511.0.1023", "many.m1019": "511.1.1", "more.m1020": "511.2047.1", "more.m1021": "511.2046.1023",
	} {
		id := lookup(t, src, name)
		if names, _ := src.Names(ctx, id); id.String() != want || len(names) != 1 || names[0] != name {
			t.Errorf("%s is %v, which is called %v", name, id, names)
		}
	}
	if _, err := src.Names(ctx, pcp.NewID(511, 77, 7)); !errors.Is(err, pmerr.PMID) {
		t.Errorf("unknown identifier: %v", err)
	}
}

// TestMasking has names that are there twice.
func TestMasking(t *testing.T) {
	ctx, f := context.Background(), newFake(qa)
	var w lines
	src, reg := define(t, f, &w, "sample.byte_ctr=7", "g.both=1", "g.later=2")
	if id := lookup(t, src, "sample.byte_ctr"); id != f.metrics["sample.byte_ctr"].desc.ID {
		t.Errorf("derived metric hides %v", id)
	}
	global := lookup(t, src, "g.both")
	if err := src.Add(ctx, "g.both", "5"); err != nil {
		t.Fatal(err)
	}
	id := lookup(t, src, "g.both")
	if id == global || fetch(t, f, src, id)[0] != "5" {
		t.Errorf("own metric does not hide the global one")
	}
	if _, err := src.Names(ctx, global); !errors.Is(err, pmerr.PMID) {
		t.Errorf("hidden metric has a name: %v", err)
	}
	// Hidden even by a definition that cannot be bound, but not by one that cannot be parsed.
	if err := src.Add(ctx, "g.later", "1 +"); err == nil {
		t.Error("no error")
	}
	if got := fetch(t, f, src, lookup(t, src, "g.later"))[0]; got != "2" {
		t.Errorf("g.later is %s", got)
	}
	if err := src.Add(ctx, "g.later", "no.such"); err == nil {
		t.Error("no error")
	}
	if _, err := describe(t, src, lookup(t, src, "g.later")); !errors.Is(err, pmerr.BadDerive) {
		t.Errorf("g.later: %v", err)
	}
	if err := src.Add(ctx, "sample.kbyte_ctr", "1"); err != nil {
		t.Errorf("own metric below a base metric: %v", err)
	}
	// A global definition that comes later is seen too.
	if err := reg.Register("g.new", "sample.long.one * 9"); err != nil {
		t.Fatal(err)
	}
	if got := fetch(t, f, src, lookup(t, src, "g.new"))[0]; got != "9" {
		t.Errorf("g.new is %s", got)
	}
	if len(w) > 0 {
		t.Errorf("warned: %q", w)
	}
}

// walk returns the names at or below a node.
func walk(t *testing.T, s pmapi.Source, name string) string {
	t.Helper()
	var list []string
	err := s.Walk(context.Background(), name, func(n string, id pcp.ID) bool {
		if lookup(t, s, n) != id {
			t.Errorf("%s has two identifiers", n)
		}
		list = append(list, n)
		return true
	})
	if err != nil {
		return err.Error()
	}
	return strings.Join(list, " ")
}

const small = `
b.one|32|-|instant||1
b.two.x|32|-|instant||2
c|32|-|instant||3
`

// TestWalk lists names over a daemon and over an archive.
func TestWalk(t *testing.T) {
	defs := []string{"b.new=1", "a.x.p=2", "b.one=3", "c.sub=4", "a.y=c", "b.bad=no.such", "b.two.y=5", "a.x.q=6", "b.two=7", "d=8"}
	tests := []struct{ name, live, archive string }{
		{"", "b.one b.two.x c event.flags event.missed b.new a.x.p c.sub a.y b.two.y a.x.q b.two d",
			"b.one b.two.x b.two b.two.y b.new c c.sub event.flags event.missed a.x.p a.x.q a.y d"},
		{"b", "b.one b.two.x b.new b.two.y b.two", "b.one b.two.x b.two b.two.y b.new"},
		{"b.two", "b.two.x b.two.y b.two", "b.two.x b.two b.two.y"},
		{"b.one", "b.one", "b.one"},
		{"c", "c c.sub", "c c.sub"},
		{"a", "a.x.p a.y a.x.q", "a.x.p a.x.q a.y"},
		{"a.x.p", "a.x.p", "a.x.p"},
		{"b.bad", "Unknown metric name", "Unknown metric name"},
		{"nosuch", "Unknown metric name", "Unknown metric name"},
		{"a.x.p.z", "Unknown metric name", "Unknown metric name"},
		{"event", "event.flags event.missed", "event.flags event.missed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w lines
			src, _ := define(t, newFake(small), &w, defs...)
			if got := walk(t, src, tt.name); got != tt.live {
				t.Errorf("live: %s\nwant  %s", got, tt.live)
			}
			src, _ = define(t, fakeArchive{newFake(small)}, &w, defs...)
			if got := walk(t, src, tt.name); got != tt.archive {
				t.Errorf("archive: %s\nwant     %s", got, tt.archive)
			}
		})
	}
}

// TestWalkStops ends walks after each number of names.
func TestWalkStops(t *testing.T) {
	for _, base := range []pmapi.Source{newFake(small), fakeArchive{newFake(small)}} {
		var w lines
		src, _ := define(t, base, &w, "b.new=1", "a.x=2", "c.sub=3")
		for stop := 1; stop < 9; stop++ {
			n := 0
			if err := src.Walk(context.Background(), "", func(string, pcp.ID) bool { n++; return n < stop }); err != nil || n > stop {
				t.Errorf("%d names, want at most %d (%v)", n, stop, err)
			}
		}
	}
}

// TestChildren lists nodes.
func TestChildren(t *testing.T) {
	var w lines
	src, _ := define(t, newFake(small), &w, "b.new=1", "a.x.p=2", "b.one.z=3", "b.bad=no.such", "b.two.y=5", "d=8")
	for name, want := range map[string]string{
		"": "b/ c event/ a/ d", "b": "one two/ new", "b.two": "x y", "b.one": "z", "a": "x/", "a.x": "p", "a.x.p": "", "c": "",
		"nosuch": "Unknown metric name", "b.bad": "Unknown metric name",
	} {
		list, err := src.Children(context.Background(), name)
		var parts []string
		for _, c := range list {
			if c.Leaf {
				parts = append(parts, c.Name)
			} else {
				parts = append(parts, c.Name+"/")
			}
		}
		got := strings.Join(parts, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("children of %q: %s, want %s", name, got, want)
		}
	}
	if want := []string{"Semantic error: derived metric b.bad: operand no.such: Unknown operand metric"}; !slices.Equal(w, want) {
		t.Errorf("warned %q", w)
	}
}

// TestBinding sees when definitions are bound and what is said about it: once, and not by looking up names.
func TestBinding(t *testing.T) {
	ctx, f := context.Background(), newFake(qa)
	var w lines
	src, reg := define(t, f, &w, "x.a=no.such", "y.b=sample.byte_ctr + 1", "y.c=sample.bad.unknown", "z.self=z.self", "z.p=z.q", "z.q=z.p",
		"z.alias=x.ok", "x.ok=1", "z.meta=mkconst(5,meta=x.k)", "x.k=sample.byte_ctr*2", "z.nested=x.ok+1")
	bad := lookup(t, src, "x.a")
	if _, err := src.Names(ctx, bad); err != nil || len(w) > 0 {
		t.Errorf("%v, %q", err, w)
	}
	for range 2 {
		for _, name := range []string{"x.a", "y.b", "y.c", "z.self", "z.p", "z.q", "z.nested"} {
			if _, err := describe(t, src, lookup(t, src, name)); !errors.Is(err, pmerr.BadDerive) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	want := []string{
		"Semantic error: derived metric x.a: operand no.such: Unknown operand metric",
		"Semantic error: derived metric y.b: sample.byte_ctr + 1: Illegal operator for counter and non-counter",
		"Semantic error: derived metric y.c: operand sample.bad.unknown: Metadata for operand metric not available",
		"Semantic error: derived metric z.self: operand z.self: Illegal nested derived metric",
	}
	if len(w) < 7 || !slices.Equal(w[:4], want) || w[len(w)-1] != "Semantic error: derived metric z.nested: operand x.ok: Illegal nested derived metric" {
		t.Errorf("warned\n%s", strings.Join(w, "\n"))
	}
	if d, err := describe(t, src, lookup(t, src, "z.meta")); err != nil || showDesc(d) != "U32 - counter byte" {
		t.Errorf("z.meta: %s, %v", showDesc(d), err)
	}
	alias := lookup(t, src, "z.alias")
	if d, err := describe(t, src, alias); err != nil || showDesc(d) != "U32 - discrete none" {
		t.Errorf("z.alias: %s, %v", showDesc(d), err)
	}
	if got := fetch(t, f, src, alias)[0]; got != "Error: Unknown or illegal metric identifier" {
		t.Errorf("z.alias: %s", got)
	}
	// A second Source over the same definitions says it again.
	n := len(w)
	if _, err := describe(t, derive.NewSource(newFake(qa), reg, nil), bad); err == nil || len(w) != n+1 {
		t.Errorf("second source: %v, %d lines", err, len(w)-n)
	}
}

// TestBindingRetries has a Source below that fails: nothing is kept of that.
func TestBindingRetries(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "x.y=sample.long.one + 1")
	id := lookup(t, src, "x.y")
	f.broken = pmerr.IPC
	ctx := context.Background()
	if _, err := src.Describe(ctx, []pcp.ID{id}); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Describe: %v", err)
	}
	var res pcp.Result
	if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{id}}, &res); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Fetch: %v", err)
	}
	if err := src.Walk(ctx, "", func(string, pcp.ID) bool { return true }); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Walk: %v", err)
	}
	if _, err := src.Children(ctx, ""); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Children: %v", err)
	}
	if _, err := src.Lookup(ctx, []string{"x.y"}); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Lookup: %v", err)
	}
	if err := src.Add(ctx, "p.q", "sample.long.one"); !errors.Is(err, pmerr.IPC) {
		t.Errorf("Add: %v", err)
	}
	f.broken = nil
	if got := fetch(t, f, src, id, lookup(t, src, "p.q")); got[0] != "2" || got[1] != "1" || len(w) > 0 {
		t.Errorf("%v, %q", got, w)
	}
}

// TestFetch has requests of several metrics: one request below, with each operand once, and columns in the order asked.
func TestFetch(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "x.sum=sample.long.one + sample.long.million", "x.two=sample.long.one * 2", "x.delta=delta(sample.byte_ctr)",
		"x.bad=no.such", "x.const=3")
	sum, two, delta := lookup(t, src, "x.sum"), lookup(t, src, "x.two"), lookup(t, src, "x.delta")
	bad, con := lookup(t, src, "x.bad"), lookup(t, src, "x.const")
	one, ctr := f.metrics["sample.long.one"].desc.ID, f.metrics["sample.byte_ctr"].desc.ID
	million := f.metrics["sample.long.million"].desc.ID
	tests := []struct {
		name  string
		ids   []pcp.ID
		want  string
		asked []pcp.ID
	}{
		{"base only", []pcp.ID{one, ctr}, "1, 23833", []pcp.ID{one, ctr}},
		{"mixed", []pcp.ID{two, one, sum}, "2, 1, 1000001", []pcp.ID{one, million}},
		{"delta, first", []pcp.ID{delta, ctr}, "none, 25624", []pcp.ID{ctr}},
		{"twice", []pcp.ID{delta, delta, two}, "1106, 1106, 2", []pcp.ID{ctr, one}},
		{"constant", []pcp.ID{con}, "3", nil},
		{"invalid", []pcp.ID{bad}, "Error: Unknown or illegal metric identifier", nil},
		{"unknown", []pcp.ID{pcp.NewID(511, 9, 9), con}, "Error: Unknown or illegal metric identifier, 3", []pcp.ID{pcp.NewID(511, 9, 9)}},
		{"base twice", []pcp.ID{one, two, one}, "1, 2, 1", []pcp.ID{one, one}},
		{"nothing", nil, "", nil},
	}
	for _, tt := range tests {
		got := fetch(t, f, src, tt.ids...)
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
		if asked := f.fetched[len(f.fetched)-1]; !slices.Equal(asked, tt.asked) {
			t.Errorf("%s: asked for %v, want %v", tt.name, asked, tt.asked)
		}
	}
}

// TestInvalidInArchive fetches a metric that is invalid: no values, but an error beside a valid derived metric.
func TestInvalidInArchive(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, fakeArchive{f}, &w, "x.bad=no.such", "x.ok=1")
	bad, ok := lookup(t, src, "x.bad"), lookup(t, src, "x.ok")
	if got := fetch(t, f, src, bad)[0]; got != "none" {
		t.Errorf("alone: %s", got)
	}
	if got := fetch(t, f, src, ok, bad)[1]; got != "Error: Unknown or illegal metric identifier" {
		t.Errorf("beside a valid one: %s", got)
	}
}

// TestSteadyFetch repeats one request into one result: the columns are reused and nothing is asked but values.
func TestSteadyFetch(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, _ := define(t, f, &w, "x.y=matchinst(/m-4/,sample.mirage)*2", "x.z=sample.mirage[m-10]")
	req := &pmapi.Request{IDs: []pcp.ID{lookup(t, src, "x.y"), f.metrics["sample.mirage"].desc.ID, lookup(t, src, "x.z")}}
	var res pcp.Result
	ctx := context.Background()
	for range 3 {
		if err := src.Fetch(ctx, req, &res); err != nil {
			t.Fatal(err)
		}
	}
	asked := f.asked
	for range 20 {
		if err := src.Fetch(ctx, req, &res); err != nil {
			t.Fatal(err)
		}
		if res.Sets[0].Len() != 2 || res.Sets[1].Len() != 8 || res.Sets[2].Len() != 1 {
			t.Errorf("lengths %d, %d, %d", res.Sets[0].Len(), res.Sets[1].Len(), res.Sets[2].Len())
		}
	}
	if f.asked != asked {
		t.Errorf("%d more questions", f.asked-asked)
	}
}

// TestNoValueOption has OPTION_NOVALUE on.
func TestNoValueOption(t *testing.T) {
	f := newFake(qa)
	var w lines
	src, reg := define(t, f, &w, "a=no.such+1", "b=count(no.such)", "c=sum(no.such)", "d=defined(no.such)", "e=no.such?1:2",
		"f=1-1 ? no.such : sample.long.one", "g=no.such+sample.byte_ctr")
	if err := reg.SetControl(derive.NoValueOption, 1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "none", "b": "0", "c": "0", "d": "0", "e": "none", "f": "1"} {
		if got := fetch(t, f, src, lookup(t, src, name))[0]; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if _, err := describe(t, src, lookup(t, src, "g")); !errors.Is(err, pmerr.BadDerive) {
		t.Errorf("g: %v", err)
	}
}

// TestMessages has the multi-line messages of refused definitions.
func TestMessages(t *testing.T) {
	ctx := context.Background()
	var w lines
	src, reg := define(t, newFake(qa), &w, "g=1")
	if err := src.Add(ctx, "p", "1"); err != nil {
		t.Fatal(err)
	}
	global := func(name, expr string) error { return reg.Register(name, expr) }
	local := func(name, expr string) error { return src.Add(ctx, name, expr) }
	tests := []struct {
		f          func(name, expr string) error
		name, expr string
		want       string
	}{
		{global, "my.disk.rates", "4rat(disk.dev.read)", "Error: pmRegisterDerivedMetric(\"my.disk.rates\", ...)\n4rat(disk.dev.read)\n ^\n"},
		{global, "e", "", "Error: pmRegisterDerivedMetric(\"e\", ...)\n\n ^\n"},
		{global, "e", "a b", "Error: pmRegisterDerivedMetric(\"e\", ...)\na b\n  ^\nArithmetic or relational or boolean operator expected to follow NAME\n"},
		{global, "g", "1", "Error: pmRegisterDerivedMetric(\"g\", ...)\n1\n^\nDuplicate global derived metric name\n"},
		{local, "p.m", "no.such", "Semantic Error: pmAddDerivedMetric(\"p.m\", ...)\nno.such\n^\nUnknown operand metric\n"},
		{local, "p.n", "1 +", "Syntax Error: pmAddDerivedMetric(\"p.n\", ...)\n1 +\n  ^\nArithmetic expression expected to follow PLUS\n"},
		{local, "p", "2", "Error: pmAddDerivedMetric(\"p\", ...): returns -12409\nDuplicate per-context derived metric name\n"},
		{local, "p.m", "2", "Error: pmAddDerivedMetric(\"p.m\", ...): returns -12409\nDuplicate per-context derived metric name\n"},
	}
	for _, tt := range tests {
		var bad *derive.Error
		err := tt.f(tt.name, tt.expr)
		if !errors.As(err, &bad) || !errors.Is(err, pmerr.BadDerive) {
			t.Errorf("%s=%s: %v", tt.name, tt.expr, err)
			continue
		}
		if got := bad.Message(); got != tt.want {
			t.Errorf("%s=%s:\n%s\nwant\n%s", tt.name, tt.expr, got, tt.want)
		}
		if strings.Contains(bad.Error(), "\n") || bad.Error() == "" {
			t.Errorf("error %q", bad.Error())
		}
	}
	var se *syntax.Error
	if err := reg.Register("x", "1 +"); !errors.As(err, &se) || se.Pos != 2 {
		t.Errorf("%v", err)
	}
	var ce *check.Error
	if err := src.Add(ctx, "x", "no.such"); !errors.As(err, &ce) || ce.Text != "Unknown operand metric" {
		t.Errorf("%v", err)
	}
}

// TestLimits has the limits on definitions.
func TestLimits(t *testing.T) {
	ctx := context.Background()
	reg := derive.NewRegistry(nil)
	if err := reg.SetControl(derive.GlobalLimit, 2); err != nil {
		t.Fatal(err)
	}
	src := derive.NewSource(newFake(qa), reg, nil)
	if err := src.SetLimit(0); !errors.Is(err, pmerr.Arg) {
		t.Errorf("SetLimit(0): %v", err)
	}
	if err := src.SetLimit(2); err != nil {
		t.Error(err)
	}
	for i, want := range []string{"", "", "Too many %s derived metrics"} {
		for kind, err := range map[string]error{
			"global":      reg.Register(fmt.Sprintf("g%d", i), "1"),
			"per-context": src.Add(ctx, fmt.Sprintf("p%d", i), "1"),
		} {
			var bad *derive.Error
			if errors.As(err, &bad); (want == "") != (err == nil) || err != nil && bad.Text() != fmt.Sprintf(want, kind) {
				t.Errorf("%s %d: %v", kind, i, err)
			}
		}
	}
}

// TestLabelsAndTexts has what a derived metric has of these, also over a Source without them.
func TestLabelsAndTexts(t *testing.T) {
	ctx := context.Background()
	var w lines
	src, reg := define(t, newFake(qa), &w, "x.y=1")
	id := lookup(t, src, "x.y")
	for _, k := range []pcp.LabelKind{pcp.ItemLabels, pcp.ClusterLabels} {
		if l, err := src.Labels(ctx, k, uint32(id)); err != nil || len(l) != 1 || len(l[0].Labels) != 0 {
			t.Errorf("labels %d: %v, %v", k, l, err)
		}
	}
	if l, err := src.Labels(ctx, pcp.DomainLabels, 511); err != nil || len(l) != 1 {
		t.Errorf("domain labels: %v, %v", l, err)
	}
	if l, err := src.Labels(ctx, pcp.ContextLabels, 0); err != nil || len(l) != 1 {
		t.Errorf("context labels: %v, %v", l, err)
	}
	if _, err := src.Text(ctx, id, pcp.OneLine); !errors.Is(err, pmerr.Text) {
		t.Errorf("text: %v", err)
	}
	if err := reg.AddText("x.y", pcp.OneLine, "short"); err != nil {
		t.Error(err)
	}
	for _, k := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
		if s, err := src.Text(ctx, id, k); s != "short" || err != nil {
			t.Errorf("text %d: %q, %v", k, s, err)
		}
	}
	if _, err := src.Text(ctx, id, 3); !errors.Is(err, pmerr.Arg) {
		t.Errorf("text of no kind: %v", err)
	}
	if err := reg.AddText("x.y", pcp.Help, "long"); err != nil {
		t.Error(err)
	}
	if s, _ := src.Text(ctx, id, pcp.Help); s != "long" {
		t.Errorf("help: %q", s)
	}
	for want, err := range map[error]error{
		pmerr.Text: reg.AddText("x.y", pcp.Help, "again"), pmerr.Name: reg.AddText("nosuch", pcp.Help, "x"), pmerr.Arg: reg.AddText("x.y", 7, "x"),
	} {
		if !errors.Is(err, want) {
			t.Errorf("AddText: %v, want %v", err, want)
		}
	}
	if s, err := src.Text(ctx, lookup(t, src, "event.flags"), pcp.OneLine); s != "Flags for event records" || err != nil {
		t.Errorf("event.flags: %q, %v", s, err)
	}
	if _, err := src.InDomText(ctx, pcp.NewInDom(29, 1), pcp.OneLine); !errors.Is(err, pmerr.Text) {
		t.Errorf("domain text: %v", err)
	}
	if _, err := src.Text(ctx, pcp.NewID(29, 0, 1), pcp.OneLine); !errors.Is(err, pmerr.Text) {
		t.Errorf("base text: %v", err)
	}
}
