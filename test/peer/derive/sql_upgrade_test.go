package derive

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/test/peer/harness"
)

// The metrics of a host before and after an upgrade: in the first form, and in the second.
var upgradeMetrics = []struct {
	name    string
	of, now pcp.Desc
}{
	{"u.same", pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}, pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}},
	{"u.type", pcp.Desc{Type: pcp.Uint32, Sem: pcp.Counter, InDom: pcp.NullInDom}, pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}},
	{"u.units", pcp.Desc{Type: pcp.Double, Sem: pcp.Instant, InDom: pcp.NullInDom, Units: pcp.Units{DimSpace: 1}},
		pcp.Desc{Type: pcp.Double, Sem: pcp.Instant, InDom: pcp.NullInDom, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}}},
	{"u.sem", pcp.Desc{Type: pcp.Uint64, Sem: pcp.Instant, InDom: pcp.NullInDom}, pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}},
	{"u.indom", pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NullInDom}, pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, InDom: pcp.NewInDom(60, 1)}},
}

// upgradeArchive records ten seconds of a day, with the metrics in the first or the second form.
func upgradeArchive(t *testing.T, dir string, day int, second bool) (path string) {
	t.Helper()
	path = filepath.Join(dir, fmt.Sprintf("day%d", day))
	w, err := archive.Create(path, &archive.WriterOptions{Host: "up", PID: int32(100 + day)})
	if err != nil {
		t.Fatal(err)
	}
	put := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	descs := make([]pcp.Desc, len(upgradeMetrics))
	for i, m := range upgradeMetrics {
		if descs[i] = m.of; second {
			descs[i] = m.now
		}
		descs[i].ID = pcp.NewID(60, 0, uint32(i))
		put(w.AddMetric(descs[i], m.name))
	}
	for second := range 10 {
		rec := &pcp.Result{Time: pcp.Timestamp{Sec: 1700006400 + int64(day*86400+second)}}
		for _, d := range descs {
			v := pcp.Values{ID: d.ID, Type: d.Type, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(4096 * (10*day + second))}}
			if d.Type == pcp.Double {
				v.Words[0] = 0x4110000000000000 + uint64(second)<<32
			}
			if d.InDom != pcp.NullInDom {
				v.Insts, v.Words = []int32{0, 1}, []uint64{v.Words[0], v.Words[0] + 7}
			}
			rec.Sets = append(rec.Sets, v)
		}
		put(w.Put(rec))
	}
	put(w.Close())
	return path
}

// TestSQLUpgrades: after an upgrade of a host, and one that was taken back, databases find what the engine finds in each archive, in
// the units of the last one. One of the archives comes late.
func TestSQLUpgrades(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	export := func(archives string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", archives, "export", "-o", "all")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("export %s: %v\n%s", archives, err, out)
		}
	}
	from, late := t.TempDir(), t.TempDir()
	var paths []string
	for day, second := range []bool{false, true, false, true, true} {
		to := from
		if day == 2 {
			to = late
		}
		paths = append(paths, upgradeArchive(t, to, day, second))
	}
	export(paths[0])
	export(from)
	export(late)
	var hosts []differing
	for _, path := range paths {
		a, err := pmapi.OpenArchive(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		hosts = append(hosts, differing{"up", a})
	}
	for _, e := range []*engine{duckEngine(root, dir), clickEngine(root, dir)} {
		t.Run(e.name, func(t *testing.T) {
			if e.skip != "" {
				t.Skip(e.skip)
			}
			r := &differingRun{t: t, engine: e, bin: ours.Bin, dir: dir}
			for _, text := range []string{"u.same", "u.type", "u.units", "u.sem", "rate(u.type)", "rate(u.sem)", "delta(u.units)", "rate(u.type) * u.units",
				"sum(u.indom)", "u.type + u.sem", "defined(u.units) ? u.units : u.units", "u.indom", "count(u.indom) + count(u.units)"} {
				r.add(text, hosts)
			}
			r.run()
		})
	}
}
