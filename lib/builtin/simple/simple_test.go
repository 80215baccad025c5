package simple

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// A tester is a simple collector with a client.
type tester struct {
	t *testing.T
	p pmda.Provider
	r pcp.Result
}

// The metrics of a simple collector.
var (
	simpleNumfetch = pcp.NewID(253, 0, 0)
	simpleColor    = pcp.NewID(253, 0, 1)
	simpleUser     = pcp.NewID(253, 1, 2)
	simpleSys      = pcp.NewID(253, 1, 3)
	simpleNow      = pcp.NewID(253, 2, 4)
)

// newTest returns a simple collector.
func newTest(t *testing.T, o *Options) *tester {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &tester{t: t, p: p}
}

// fetch fetches metrics and returns their values as text.
func (s *tester) fetch(ids ...pcp.ID) string {
	s.t.Helper()
	if err := s.p.Fetch(context.Background(), &pmda.Request{Client: new(pmda.Client), IDs: ids}, &s.r); err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for i := range s.r.Sets {
		v := &s.r.Sets[i]
		out = append(out, fmt.Sprint(v.Insts, v.Words))
	}
	return strings.Join(out, " ")
}

// store sets values and returns the error.
func (s *tester) store(id pcp.ID, typ pcp.Type, insts []int32, words ...uint64) error {
	return s.p.(pmda.Storer).Store(context.Background(), new(pmda.Client), []pcp.Values{{ID: id, Type: typ, Insts: insts, Words: words}})
}

// instances returns the names of the instances of a domain.
func (s *tester) instances(serial uint32) string {
	s.t.Helper()
	list, err := s.p.Instances(context.Background(), new(pmda.Client), pcp.NewInDom(253, serial))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, i := range list {
		names = append(names, fmt.Sprint(i.ID, " ", i.Name))
	}
	return strings.Join(names, ",")
}

// TestNames checks names and descriptions.
func TestNames(t *testing.T) {
	s := newTest(t, nil)
	seconds := pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}
	want := []struct {
		name string
		desc pcp.Desc
	}{
		{"simple.numfetch", pcp.Desc{ID: simpleNumfetch, Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant}},
		{"simple.color", pcp.Desc{ID: simpleColor, Type: pcp.Int32, InDom: pcp.NewInDom(253, 0), Sem: pcp.Instant}},
		{"simple.now", pcp.Desc{ID: simpleNow, Type: pcp.Uint32, InDom: pcp.NewInDom(253, 1), Sem: pcp.Instant}},
		{"simple.time.user", pcp.Desc{ID: simpleUser, Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: seconds}},
		{"simple.time.sys", pcp.Desc{ID: simpleSys, Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: seconds}},
	}
	names := s.p.Names()
	if len(names) != len(want) {
		t.Fatalf("names %v", names)
	}
	for i, w := range want {
		d, err := s.p.Desc(context.Background(), new(pmda.Client), names[i].ID)
		if names[i].Name != w.name || d != w.desc || err != nil {
			t.Errorf("%v %v %v, want %v %v", names[i], d, err, w.name, w.desc)
		}
		for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
			if text, err := s.p.(pmda.Texter).Text(context.Background(), nil, names[i].ID, kind); err != nil || text == "" {
				t.Errorf("%s has no text %d: %v", w.name, kind, err)
			}
		}
	}
	if d := newTest(t, &Options{Domain: 9}).p.Domain(); d != 9 {
		t.Errorf("domain %d", d)
	}
	if _, err := New(&Options{Domain: 600}); err == nil {
		t.Error("domain 600")
	}
}

// TestStores plays the dialogue of collector.md C10.2 and rows 25, 26 of C16.
func TestStores(t *testing.T) {
	s := newTest(t, nil)
	all, one := []int32{0, 1, 2}, []int32{pcp.NullInst}
	for range 3 {
		s.fetch(simpleNow)
	}
	check := func(name string, err, want error, id pcp.ID, then string) {
		t.Helper()
		if got := s.fetch(id); err != want || got != then {
			t.Errorf("%s: %v, then %s, want %v, %s", name, err, got, want, then)
		}
	}
	check("count", s.store(simpleNumfetch, pcp.Uint32, one, 42), nil, simpleNumfetch, "[-1] [43]")
	check("negative count", s.store(simpleNumfetch, pcp.Uint32, one, 1<<32-3), pmerr.BadStore, simpleNumfetch, "[-1] [1]")
	check("first colours", nil, nil, simpleColor, "[0 1 2] [1 101 201]")
	check("colours", s.store(simpleColor, pcp.Int32, all, 7, 7, 7), nil, simpleColor, "[0 1 2] [8 8 8]")
	check("too large", s.store(simpleColor, pcp.Int32, all, 300, 1, 1), pmerr.BadStore, simpleColor, "[0 1 2] [0 9 9]")
	check("too small", s.store(simpleColor, pcp.Int32, []int32{1, 2}, 1<<64-1, 5), pmerr.BadStore, simpleColor, "[0 1 2] [1 1 10]")
	check("one of them", s.store(simpleColor, pcp.Int32, []int32{2}, 255), nil, simpleColor, "[0 1 2] [2 2 0]")
	check("other instance", s.store(simpleColor, pcp.Int32, []int32{3}, 5), pmerr.Inst, simpleColor, "[0 1 2] [3 3 1]")
	check("negative instance", s.store(simpleColor, pcp.Int32, one, 5), pmerr.Inst, simpleColor, "[0 1 2] [4 4 2]")
	for _, id := range []pcp.ID{simpleNow, simpleUser, simpleSys} {
		if err := s.store(id, pcp.Uint32, one, 5); err != pmerr.Permission {
			t.Errorf("%v: %v", id, err)
		}
	}
	if err := s.store(pcp.NewID(253, 3, 3), pcp.Uint32, one, 5); err != pmerr.PMID {
		t.Errorf("unknown metric: %v", err)
	}
}

// TestConfig checks the instances of simple.now with a file that changes.
func TestConfig(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "simple.conf")
	var log []string
	s := newTest(t, &Options{Config: conf, Logf: func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }})
	if got := s.instances(1); got != "" {
		t.Errorf("without a file: %s", got)
	}
	for i, tt := range []struct {
		text string
		want string
		log  int
	}{
		{"hour,sec\n", "0 hour,1 sec", 0},
		{"min", "2 min", 0},
		{"bogus,hour,,hour\nsec\n", "0 hour", 1},
		{"", "", 0},
		{" sec , min,hour ", "0 hour,1 sec,2 min", 0},
	} {
		log = nil
		if err := os.WriteFile(conf, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1_000_000_000+i), 0)
		if err := os.Chtimes(conf, at, at); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := s.instances(1); got != tt.want || len(log) != tt.log {
				t.Errorf("%q: %s, want %s, log %q", tt.text, got, tt.want, log)
			}
		}
	}
	s.fetch(simpleNow)
	v := &s.r.Sets[0]
	if !slices.Equal(v.Insts, []int32{0, 1, 2}) || v.Words[0] > 23 {
		t.Errorf("time of day %v %v", v.Insts, v.Words)
	} else if v.Words[1] > 60 || v.Words[2] > 59 {
		t.Errorf("time of day %v %v", v.Insts, v.Words)
	}
	if err := os.Remove(conf); err != nil {
		t.Fatal(err)
	}
	if got := s.instances(1); got != "" {
		t.Errorf("after the file was removed: %s", got)
	}
	if got := s.fetch(simpleNow); got != "[] []" {
		t.Errorf("values after the file was removed: %s", got)
	}
}

// TestLabels checks labels and the default instances.
func TestLabels(t *testing.T) {
	s := newTest(t, nil)
	if got := s.instances(0) + ";" + s.instances(1); got != "0 red,1 green,2 blue;0 sec,1 min,2 hour" {
		t.Errorf("instances %s", got)
	}
	for _, tt := range []struct {
		kind  pcp.LabelKind
		ident uint32
		want  string
	}{
		{pcp.DomainLabels, 253, `-1{"role":"testing"}`},
		{pcp.InDomLabels, uint32(pcp.NewInDom(253, 0)), `-1{"indom_name":"color","model":"RGB"}`},
		{pcp.InDomLabels, uint32(pcp.NewInDom(253, 1)), `-1{"indom_name":"time","unitsystem":"SI"}`},
		{pcp.ClusterLabels, uint32(simpleColor), ""},
		{pcp.ItemLabels, uint32(simpleColor), ""},
		{pcp.InstanceLabels, uint32(pcp.NewInDom(253, 0)), `0{}1{}2{}`},
		{pcp.InstanceLabels, uint32(pcp.NewInDom(253, 1)), `0{"units":"sec"}1{"units":"min"}2{"units":"hour"}`},
	} {
		sets, err := s.p.(pmda.Labeler).Labels(context.Background(), nil, tt.kind, tt.ident)
		got := ""
		for _, set := range sets {
			got += fmt.Sprintf("%d%s", set.Inst, pcp.AppendLabels(nil, set.Labels))
		}
		if err != nil || got != tt.want {
			t.Errorf("level %d of %#x: %s, %v, want %s", tt.kind, tt.ident, got, err, tt.want)
		}
	}
}

// TestTimes checks that the processor time does not run backwards, and is in hundredths.
func TestTimes(t *testing.T) {
	s := newTest(t, nil)
	s.fetch(simpleUser, simpleSys)
	before, err := s.r.Sets[0].Value(0).Float64()
	if err != nil {
		t.Fatal(err)
	}
	s.fetch(simpleUser, simpleSys)
	after, err := s.r.Sets[0].Value(0).Float64()
	if err != nil || after < before || before < 0 {
		t.Errorf("%v after %v, %v", after, before, err)
	}
}
