package export

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// A rotation is a directory of archives that a logger writes, and others rotate.
type rotation struct {
	t        *testing.T
	rnd      *rand.Rand
	dir      string
	out      string
	by       Partition
	archives []*rotated
	names    int
	pid      int32
	at       int64 // nanoseconds, of the next record
	exported map[string]bool
	live     bool // archives are followed as they change
	log      []string
}

// A rotated is an archive with its records: numbers of seconds and what is in them; 0 is a mark.
type rotated struct {
	name    string
	pid     int32
	records []rotatedRecord
	packed  bool
}

type rotatedRecord struct {
	at     int64 // 0 for a mark
	counts int   // instances with a value
	text   string
}

func (r *rotation) say(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *rotation) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%v\nafter %s", err, strings.Join(r.log, "\n"))
	}
}

// record returns a record at the next time, or after one without text sometimes a text at the same time:
// pmlogger writes the metrics of several groups so.
func (r *rotation) record(last *rotatedRecord) rotatedRecord {
	text := fmt.Sprintf("text %d", r.rnd.Uint64())
	if last != nil && last.at == r.at && last.text == "" && r.rnd.IntN(3) == 0 {
		return rotatedRecord{at: r.at, text: text}
	}
	r.at += 1 + r.rnd.Int64N(40e9)
	rec := rotatedRecord{at: r.at, counts: r.rnd.IntN(4)}
	if r.rnd.IntN(3) == 0 || rec.counts == 0 {
		rec.text = text
	}
	return rec
}

// write writes the files of an archive.
func (r *rotation) write(a *rotated) {
	base := filepath.Join(r.dir, a.name)
	r.remove(a.name)
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h", PID: a.pid, VolumeBytes: 1500})
	r.must(err)
	indom := pcp.NewInDom(60, 1)
	count, text := pcp.NewID(60, 0, 1), pcp.NewID(60, 0, 2)
	first := timestamp(stamp(a.records[0].at))
	r.must(w.SetLabels(first, pcp.ContextLabels, 0, []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "machineid", Value: `"m1"`}}}}))
	r.must(w.AddMetric(pcp.Desc{ID: count, Type: pcp.Uint64, InDom: indom, Sem: pcp.Counter}, "a.count"))
	r.must(w.AddMetric(pcp.Desc{ID: text, Type: pcp.String, InDom: pcp.NullInDom}, "a.text"))
	r.must(w.SetInDom(first, indom, []pcp.Instance{{ID: 0, Name: "i0"}, {ID: 1, Name: "i1"}, {ID: 2, Name: "i2"}}))
	last := first
	for _, rec := range a.records {
		if rec.at == 0 {
			r.must(w.Mark(last.Add(1)))
			continue
		}
		last = timestamp(stamp(rec.at))
		res := pcp.Result{Time: last}
		if rec.counts > 0 {
			v := pcp.Values{ID: count, Type: pcp.Uint64}
			for i := range rec.counts {
				v.Insts, v.Words = append(v.Insts, int32(i)), append(v.Words, uint64(rec.at)+uint64(i))
			}
			res.Sets = append(res.Sets, v)
		}
		if rec.text != "" {
			res.Sets = append(res.Sets, pcp.Values{ID: text, Type: pcp.String, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{[]byte(rec.text)}})
		}
		r.must(w.Put(&res))
	}
	r.must(w.Close())
	if a.packed {
		r.pack(a)
	}
}

func (r *rotation) files(name string) []string {
	list, _ := filepath.Glob(filepath.Join(r.dir, name+".*"))
	return list
}

func (r *rotation) remove(name string) {
	for _, file := range r.files(name) {
		r.must(os.Remove(file))
	}
}

func (r *rotation) pack(a *rotated) {
	a.packed = true
	for _, file := range r.files(a.name) {
		if strings.HasSuffix(file, ".index") || strings.HasSuffix(file, ".gz") {
			continue
		}
		text, err := os.ReadFile(file)
		r.must(err)
		f, err := os.Create(file + ".gz")
		r.must(err)
		z := gzip.NewWriter(f)
		_, err = z.Write(text)
		r.must(errors.Join(err, z.Close(), f.Close(), os.Remove(file)))
	}
}

func (r *rotation) roll() {
	if n := len(r.archives); n > 0 && len(r.archives[n-1].records) == 0 {
		return
	}
	r.names++
	r.pid++
	r.at += 1e9 + r.rnd.Int64N(100e9)
	r.archives = append(r.archives, &rotated{name: fmt.Sprintf("a%03d", r.names), pid: r.pid})
	r.grow()
}

func (r *rotation) grow() {
	a := r.archives[len(r.archives)-1]
	if a.packed {
		return
	}
	if len(a.records) > 0 && r.rnd.IntN(5) == 0 {
		a.records = append(a.records, rotatedRecord{})
		r.at += 2e9
	}
	for range 1 + r.rnd.IntN(6) {
		var last *rotatedRecord
		if n := len(a.records); n > 0 {
			last = &a.records[n-1]
		}
		a.records = append(a.records, r.record(last))
	}
	r.write(a)
	r.say("grow %s to %d records", a.name, len(a.records))
}

// merge merges archives that follow each other, as pmlogextract does. The old ones stay for a while, or not.
func (r *rotation) merge() {
	n := len(r.archives)
	if n < 3 {
		return
	}
	from := r.rnd.IntN(n - 2)
	to := min(from+2+r.rnd.IntN(3), n-1)
	if to-from < 2 {
		return
	}
	r.names++
	r.pid++
	m := &rotated{name: fmt.Sprintf("m%03d", r.names), pid: r.pid, packed: r.rnd.IntN(3) == 0}
	for i, a := range r.archives[from:to] {
		if i > 0 {
			m.records = append(m.records, rotatedRecord{})
		}
		m.records = append(m.records, a.records...)
	}
	r.write(m)
	if !r.live && r.rnd.IntN(3) == 0 {
		r.say("merge %d archives into %s, beside them", to-from, m.name)
		r.export()
	}
	for _, a := range r.archives[from:to] {
		r.remove(a.name)
	}
	r.archives = slices.Replace(r.archives, from, to, m)
	r.say("merged %d archives into %s", to-from, m.name)
}

func (r *rotation) rename() {
	a := r.archives[r.rnd.IntN(len(r.archives))]
	r.names++
	name := fmt.Sprintf("r%03d", r.names)
	for _, file := range r.files(a.name) {
		r.must(os.Rename(file, filepath.Join(r.dir, name+strings.TrimPrefix(filepath.Base(file), a.name))))
	}
	r.say("rename %s to %s", a.name, name)
	a.name = name
}

// swap gives two archives each other's names.
func (r *rotation) swap() {
	i, j := r.rnd.IntN(len(r.archives)), r.rnd.IntN(len(r.archives))
	if a, b := r.archives[i], r.archives[j]; i != j {
		r.remove(a.name)
		r.remove(b.name)
		a.name, b.name = b.name, a.name
		r.write(a)
		r.write(b)
		r.say("swap %s and %s", a.name, b.name)
	}
}

// export exports some archives and compares the tables with everything that was ever exported.
func (r *rotation) export() {
	list := r.dir
	if len(r.archives) > 0 && r.rnd.IntN(4) == 0 {
		list = filepath.Join(r.dir, r.archives[r.rnd.IntN(len(r.archives))].name)
	}
	sets, err := Recordings(r.t.Context(), list)
	r.must(err)
	var from, until pcp.Timestamp
	if r.rnd.IntN(6) == 0 {
		from, until = timestamp(stamp(r.at-r.rnd.Int64N(500e9))), timestamp(stamp(r.at-r.rnd.Int64N(100e9)))
	}
	r.say("export %q from %v until %v", sets, from, until)
	for _, set := range slices.Concat(sets...) {
		first, _, _ := strings.Cut(set, ",")
		recs := open(r.t, set)
		recs.Within(from, until)
		_, err := Write(r.t.Context(), recs, recs, &Config{Dir: r.out, Name: NameOf(first), Partition: r.by})
		r.must(errors.Join(err, recs.Close()))
		for _, l := range recorded(r.t, set) {
			var at int64
			fmt.Sscan(l, &at)
			if t := timestamp(stamp(at)); t.Compare(from) >= 0 && (until == pcp.Timestamp{} || t.Compare(until) <= 0) {
				r.exported[l] = true
			}
		}
	}
	r.compare()
}

// compact merges the files of the tables, or is killed meanwhile.
func (r *rotation) compact() {
	kill := r.rnd.IntN(4)
	r.say("compact %d", kill)
	if kill > 1 {
		_, err := Compact(r.t.Context(), r.out, false)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) { // of this system; nothing is exported
			return
		}
		r.must(err)
		r.compare()
		return
	}
	c := &compaction{root: Dir(r.out)}
	r.must(errors.Join(os.MkdirAll(c.root.Name(compactDir), 0o777), c.read(r.t.Context())))
	for _, p := range c.plan() {
		work, err := c.workDir()
		r.must(err)
		w := &dirSwap{compaction: c, dir: p.dir, work: work, infos: make(map[string]fs.FileInfo)}
		_, err = w.merge(r.t.Context(), p.sets)
		r.must(err)
		s, err := w.prepare(c.hosts)
		if kill == 1 && err == nil {
			if err = w.exchange(s); errors.Is(err, errors.ErrUnsupported) {
				return
			}
		}
		r.must(err)
	}
	r.compare()
}

func (r *rotation) compare() {
	r.t.Helper()
	want := make([]string, 0, len(r.exported))
	for l := range r.exported {
		want = append(want, l)
	}
	slices.Sort(want)
	got := exported(r.t, filesOf(r.out, "values"))
	if slices.Equal(got, want) {
		return
	}
	seen := make(map[string]int)
	for _, l := range got {
		seen[l]++
	}
	for l, n := range seen {
		if n > 1 || !r.exported[l] {
			r.t.Errorf("%d times: %s", n, l)
		}
	}
	for _, l := range want {
		if seen[l] == 0 {
			r.t.Errorf("lost: %s", l)
		}
	}
	r.t.Fatalf("after\n%s", strings.Join(r.log, "\n"))
}

// TestRepeat lets archives grow, roll, merge, disappear, be packed and renamed, and exports them again and
// again: each value that an export has seen is in the tables exactly once. PMTOOLS_RUNS is the number of
// steps, PMTOOLS_SEED that of the first history of 100 steps.
func TestRepeat(t *testing.T) {
	steps := number("PMTOOLS_RUNS", 100)
	for seed := number("PMTOOLS_SEED", 1); steps > 0; seed, steps = seed+1, steps-100 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := &rotation{t: t, by: Partition{NoHost: seed%2 == 0}, rnd: rand.New(rand.NewPCG(uint64(seed), 27)), dir: t.TempDir(), out: t.TempDir(), at: 1700000000e9, exported: make(map[string]bool)}
			r.roll()
			for range min(steps, 100) {
				r.step()
			}
			r.export()
			if n := len(r.exported); steps >= 100 && n < 10 {
				t.Errorf("only %d values", n)
			}
		})
	}
}

func (r *rotation) step() {
	switch r.rnd.IntN(12) {
	case 0:
		r.roll()
	case 1, 2:
		r.grow()
	case 3:
		r.merge()
	case 4:
		if len(r.archives) > 3 {
			r.say("remove %s", r.archives[0].name)
			r.remove(r.archives[0].name)
			r.archives = r.archives[1:]
		}
	case 5:
		a := r.archives[r.rnd.IntN(len(r.archives))]
		r.say("pack %s", a.name)
		r.pack(a)
	case 6:
		r.rename()
	case 7:
		r.swap()
	case 8:
		r.compact()
	default:
		r.export()
	}
}
