package archive_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// perusal reads everything that there is in an archive, and counts.
type perusal struct {
	names, insts, labels, texts, records, errs int
	times                                      []pcp.Timestamp // of records, or of the end
}

// String returns the counts in a line.
func (p *perusal) String() string {
	return fmt.Sprintf("%d names, %d instances, %d labels, %d texts, %d records, %d errors", p.names, p.insts, p.labels, p.texts, p.records, p.errs)
}

// check fails the test unless err is nil or has a code.
func (p *perusal) check(t testing.TB, err error) bool {
	t.Helper()
	if err == nil {
		return true
	}
	p.errs++
	if code := pmerr.Of(err); code == pmerr.Generic || !errors.Is(err, code) {
		t.Errorf("error without a code: %v", err)
	}
	return false
}

// metric reads the metadata of a metric.
func (p *perusal) metric(t testing.TB, s *archive.Set, id pcp.ID, when pcp.Timestamp) {
	d, err := s.Desc(id)
	if !p.check(t, err) {
		return
	}
	for _, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
		if text, err := s.Text(uint32(id), false, kind); p.check(t, err) && text != "" {
			p.texts++
		}
	}
	idents := map[pcp.LabelKind]uint32{pcp.ContextLabels: 0, pcp.DomainLabels: id.Domain(), pcp.ClusterLabels: uint32(id),
		pcp.ItemLabels: uint32(id), pcp.InDomLabels: uint32(d.InDom), pcp.InstanceLabels: uint32(d.InDom)}
	for kind, ident := range idents {
		if sets, err := s.Labels(kind, ident, when); p.check(t, err) {
			p.labels += len(sets)
		}
	}
	if d.InDom == pcp.NullInDom {
		return
	}
	for _, at := range []pcp.Timestamp{when, seconds(15), seconds(1e9)} {
		if list, err := s.Instances(d.InDom, at); p.check(t, err) {
			p.insts += len(list)
		}
	}
	if list, err := s.AllInstances(d.InDom); p.check(t, err) {
		p.insts += len(list)
	}
}

// values reads in both directions, everything and metric by metric.
func (p *perusal) values(t testing.TB, s *archive.Set, ids []pcp.ID) {
	var dst pcp.Result
	c := s.Cursor()
	for _, m := range []pcp.Mode{pcp.Forward, pcp.Back} {
		for _, sec := range []int64{-1e9, 12, 1e9} {
			when := seconds(sec)
			must(t, c.SetMode(m, &when, 0))
			for p.check(t, c.Next(bg, &dst)) {
				p.records++
				if len(p.times) < 50 {
					p.times = append(p.times, dst.Time)
				}
			}
			for _, id := range ids {
				must(t, c.SetMode(m, &when, 0))
				if p.check(t, c.Fetch(bg, []pcp.ID{id}, nil, &dst)) {
					p.records += dst.Sets[0].Len()
				}
			}
		}
	}
}

// wander takes one Cursor to places in all modes, mostly to interpolate, by steps of any size and
// direction, and fetches some of the metrics there.
func (p *perusal) wander(t testing.TB, s *archive.Set, ids []pcp.ID, rng *rand.Rand) {
	var dst pcp.Result
	c := s.Cursor()
	for range 10 {
		mode, from, step := place(rng, p.times)
		must(t, c.SetMode(mode, &from, step))
		first := rng.IntN(len(ids) + 1)
		some := ids[first:]
		if mode != pcp.Interp && len(some) == 0 {
			some = ids
		}
		for range 8 {
			if p.check(t, c.Fetch(bg, some, nil, &dst)) {
				p.records++
			}
		}
	}
}

// peruse reads all of an archive, damaged or not.
func peruse(t testing.TB, base string, fsys fs.FS, rng *rand.Rand) *perusal {
	t.Helper()
	p := &perusal{}
	s, err := archive.Open(bg, base, &archive.Options{
		FS: fsys, Warn: func(string) { p.errs++ }, CounterWrap: rng.IntN(2) == 0, MarkGap: time.Duration(rng.IntN(3)*5-5) * time.Second,
	})
	if !p.check(t, err) {
		return p
	}
	defer s.Close()
	var ids []pcp.ID
	must(t, s.Walk("", func(name string, id pcp.ID) bool {
		if got, err := s.Lookup(name); err != nil || got != id {
			t.Errorf("%q is %v and %v, %v", name, id, got, err)
		}
		p.names++
		ids = append(ids, id)
		return true
	}))
	end, err := s.End(bg)
	p.check(t, err)
	p.times = append(p.times, end)
	for _, id := range ids {
		p.metric(t, s, id, end)
	}
	p.values(t, s, ids)
	p.wander(t, s, ids, rng)
	return p
}

// damageable are the archives that TestDamage and FuzzDamage damage. Those with commas are sets.
var damageable = []string{"ta", "ta_v2", "events", "events_v2", "indoms", "indoms_v2", "labels", "labels_v2", "names",
	"volumes_v2", "mini", "units", "noindex", "marks", "marks_v2", "gaps", "extra", "sample_v2", "domains", "interp", "wrap",
	"setA,setB", "setA,overlap,setB_v2"}

// inMemory builds what is damageable.
func inMemory(t testing.TB) memory {
	t.Helper()
	names := strings.Split(strings.Join(damageable, ","), ",")
	slices.Sort(names)
	return builtInMemory(t, slices.Compact(names)...)
}

// readDamaged reads an archive that is damaged by the numbers of rng, and returns the damage. It
// must not panic, and take neither more time nor more memory than for an undamaged archive.
func readDamaged(t testing.TB, m memory, rng *rand.Rand) {
	t.Helper()
	list := damageable[rng.IntN(len(damageable))]
	names := strings.Split(list, ",")
	fsys, done := m.damaged(rng, names...)
	defer func() {
		if x := recover(); x != nil {
			t.Logf("%s: %s", list, done)
			panic(x)
		}
	}()
	start := time.Now()
	p := peruse(t, list, fsys, rng)
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
	if t.Failed() {
		t.Fatalf("%s: %s: %v", list, done, p)
	}
}

// TestDamage reads archives that were damaged in many ways.
func TestDamage(t *testing.T) {
	m := inMemory(t)
	size := 0
	for _, list := range damageable {
		if p := peruse(t, list, m.FS(strings.Split(list, ",")...), rand.New(rand.NewPCG(1, 1))); p.names == 0 || p.records == 0 {
			t.Fatalf("%s, not damaged: %v", list, p)
		}
		for _, name := range strings.Split(list, ",") {
			for _, b := range m[name] {
				size = max(size, len(b))
			}
		}
	}
	runs, seed := runsOf(t, 800)
	var before, now runtime.MemStats
	for i := range runs {
		runtime.ReadMemStats(&before)
		readDamaged(t, m, rand.New(rand.NewPCG(seed, uint64(i))))
		runtime.ReadMemStats(&now)
		if got := now.TotalAlloc - before.TotalAlloc; got > 8<<20+uint64(100*size) || t.Failed() {
			t.Fatalf("seed %d, run %d: %d KiB", seed, i, got>>10)
		}
	}
}

// FuzzDamage is TestDamage with damage chosen by a fuzzer.
func FuzzDamage(f *testing.F) {
	m := inMemory(f)
	f.Add(uint64(1), uint64(1))
	f.Fuzz(func(t *testing.T, a, b uint64) { readDamaged(t, m, rand.New(rand.NewPCG(a, b))) })
}

// TestHostile reads archives that are made to take much time or memory.
func TestHostile(t *testing.T) {
	word := func(n int) []byte { return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} }
	deep := make([]byte, 0, 4096)
	for len(deep) < 4090 {
		deep = append(deep, 'a', '.')
	}
	tests := []struct {
		name   string
		change func(r *raw)
	}{
		{"deep names", func(r *raw) {
			for i := range 50 {
				d := miniDesc
				d.ID += pcp.ID(i + 1)
				r.meta = archive.AppendDesc(r.meta, d, fmt.Sprintf("n%d.%sx", i, deep))
			}
		}},
		{"many entries of the index", func(r *raw) {
			for range 50000 {
				r.index = archive.AppendIndexEntry(r.index, 3, seconds(20), 7, 0, -1)
			}
		}},
		{"many sets without values", func(r *raw) {
			rec := append([]byte(nil), r.data[rawRecord(4):rawRecord(4)+16]...)
			rec = append(rec, word(30000)...)
			for i := range 30000 {
				rec = append(append(rec, word(i)...), word(0)...)
			}
			n := word(len(rec) + 4)
			copy(rec, n)
			r.data = append(append(r.data, rec...), n...)
		}},
		{"many bad frames", func(r *raw) {
			for range 20000 {
				r.data = append(append(r.data, word(8)...), word(8)...)
			}
		}},
		{"many marks", func(r *raw) {
			for range 20000 {
				r.data = archive.AppendMark(r.data, 3, seconds(41))
			}
		}},
		{"records that go back in time", func(r *raw) {
			for i := range 20000 {
				rec, err := archive.AppendRecord(nil, 3, mini(seconds(int64(39-i)), 1))
				if err != nil {
					panic(err)
				}
				r.data = append(r.data, rec...)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRaw(3)
			tt.change(r)
			size := len(r.meta) + len(r.index) + len(r.data)
			base := r.write(t)
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			p := peruse(t, base, nil, rand.New(rand.NewPCG(1, 1)))
			took := time.Since(start)
			runtime.ReadMemStats(&now)
			if got := now.TotalAlloc - before.TotalAlloc; got > 64<<20+uint64(20*size) || took > 30*time.Second {
				t.Errorf("%v and %d KiB for %d bytes: %v", took, got>>10, size, p)
			}
		})
	}
}
