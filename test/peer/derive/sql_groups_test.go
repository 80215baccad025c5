package derive

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/derive/check"
	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/test/peer/harness"
)

// groupLabels are the labels by which groups are made: those of labelledArchive, some of other archives, and one
// that no object has.
var groupLabels = []string{"kind", "n", "rack", "hostname", "colour", "medium", "none"}

// by returns labels as they follow a function.
func (g *generator) by() string {
	list := slices.Clone(groupLabels)
	g.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return " by (" + strings.Join(list[:1+g.IntN(2)], ", ") + ")"
}

// grouped returns an expression with groups.
func (g *generator) grouped() string {
	funs := []string{"sum(", "avg(", "min(", "max(", "count(", "median(", "stddev(", "quantile(0.9, ", "quantile(0, "}
	for {
		x := g.set()
		if g.one(3) {
			x.text = g.pick("rate", "delta", "instant", "-", "2.5*", "0-", "topn(2, ", "0.5+") + "(" + x.text + ")"
			x.text += strings.Repeat(")", strings.Count(x.text, "(")-strings.Count(x.text, ")"))
		}
		by := g.by()
		text := g.pick(funs...) + x.text + ")" + by
		switch g.IntN(8) {
		case 0:
			text = g.pick(funs...) + text + ")" + g.by()
		case 1, 2:
			text += g.pick(" + ", " - ", " / ", " * ", " > ", " == ") + g.pick(funs...) + g.akin(x).text + ")" + by
		case 3:
			text = g.pick("sum(", "rate(", "count(", "scalar(", "max_over(", "topn(2, ", "avg_over(", "1+(", "100 *(", "delta(") + text + ")"
			if strings.Contains(text, "_over(") {
				text = text[:len(text)-1] + ", " + g.pick("1sec", "10s", "1min") + ")"
			}
		case 4:
			text = "(" + text + ") > " + g.number() + " ? " + text + " : " + g.pick("novalue()", "0", "-("+text+")")
		}
		if _, ok := g.typeOf(text); ok {
			return text
		}
	}
}

// labelledArchive writes an archive in which labels of all levels come, change and go between records, at the
// times of records and between marks. Numbers of hosts and of records decide what there is.
func labelledArchive(t *testing.T, path, host string, seed uint64) {
	t.Helper()
	w, err := archive.Create(path, &archive.WriterOptions{Host: host, Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(seed, 29))
	domain := pcp.NewInDom(60, 1+uint32(seed%2)) // which hosts number otherwise
	types := []pcp.Type{pcp.Int32, pcp.Uint32, pcp.Int64, pcp.Uint64, pcp.Float, pcp.Double}
	var descs []pcp.Desc
	for i, typ := range types {
		for k, sem := range []pcp.Sem{pcp.Instant, pcp.Counter} {
			d := pcp.Desc{ID: pcp.NewID(60, 0, uint32(2*i+k)), Type: typ, InDom: domain, Sem: sem, Units: pcp.Units{DimCount: 1}}
			descs = append(descs, d)
			must(w.AddMetric(d, fmt.Sprintf("g.%c%d", "ic"[k], i)))
		}
	}
	one := pcp.Desc{ID: pcp.NewID(60, 1, 0), Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Instant}
	must(w.AddMetric(one, "g.one"))
	insts := []int32{3, 1, 7, 2, 9}
	var names []pcp.Instance
	for _, in := range insts {
		names = append(names, pcp.Instance{ID: in, Name: fmt.Sprint("disk", in)})
	}
	start := int64(1_700_000_000)
	must(w.SetInDom(pcp.Timestamp{Sec: start}, domain, names))
	texts := []string{`"ssd"`, `"disk"`, `"a,b"`, `"x\"y"`, `""`, "null", "1", "1.50", "true", `"Öl \u00e4"`}
	set := func(inst int32, kind pcp.LabelKind) pcp.LabelSet {
		s := pcp.LabelSet{Inst: inst}
		for _, name := range groupLabels[:3] {
			if r.IntN(3) > 0 {
				s.Labels = append(s.Labels, pcp.Label{Name: name, Value: texts[r.IntN(len(texts))], Flags: uint8(kind)})
			}
		}
		return s
	}
	label := func(at pcp.Timestamp) {
		kind := []pcp.LabelKind{pcp.ContextLabels, pcp.DomainLabels, pcp.InDomLabels, pcp.InstanceLabels}[r.IntN(4)]
		ident := map[pcp.LabelKind]uint32{pcp.DomainLabels: 60, pcp.InDomLabels: uint32(domain), pcp.InstanceLabels: uint32(domain)}[kind]
		sets := []pcp.LabelSet{set(pcp.NullInst, kind)}
		if kind == pcp.ContextLabels {
			sets[0].Labels = append([]pcp.Label{{Name: "hostname", Value: `"` + host + `"`, Flags: uint8(kind)}}, sets[0].Labels...)
		}
		if kind == pcp.InstanceLabels {
			sets = nil
			for _, in := range insts {
				if r.IntN(4) > 0 {
					sets = append(sets, set(in, kind))
				}
			}
		}
		must(w.SetLabels(at, kind, ident, sets))
	}
	word := func(d pcp.Desc, n int) uint64 {
		v := r.IntN(1000)
		if d.Sem == pcp.Counter {
			v += 900 * n
		}
		switch d.Type {
		case pcp.Float:
			return uint64(math.Float32bits(float32(v) / 7))
		case pcp.Double:
			return math.Float64bits(float64(v) / 7)
		}
		return uint64(v)
	}
	for n := range 40 {
		at := pcp.Timestamp{Sec: start + int64(5*n), Nsec: int32(r.IntN(1_000_000_000))}
		if n == 0 {
			at.Nsec = 0 // metadata is not older than the first record
		}
		if n == 25 {
			must(w.Mark(pcp.Timestamp{Sec: at.Sec - 3}))
		}
		switch r.IntN(4) {
		case 0:
			if n == 0 {
				break
			}
			label(pcp.Timestamp{Sec: at.Sec - 2})
		case 1:
			label(at)
			label(at)
		}
		res := &pcp.Result{Time: at, Sets: []pcp.Values{{ID: one.ID, Type: one.Type, Insts: []int32{pcp.NullInst}, Words: []uint64{word(one, n)}}}}
		for _, d := range descs {
			v := pcp.Values{ID: d.ID, Type: d.Type}
			for _, in := range insts {
				if r.IntN(8) > 0 {
					v.Insts, v.Words = append(v.Insts, in), append(v.Words, word(d, n))
				}
			}
			if r.IntN(12) == 0 {
				v = pcp.Values{ID: d.ID, Type: d.Type, Err: pmerr.Again}
			}
			if len(v.Insts) > 0 || v.Err != nil {
				res.Sets = append(res.Sets, v)
			}
		}
		must(w.Put(res))
	}
	must(w.Close())
}

// TestSQLGroups: groups by labels that change within a recording are the same in databases. Archives of several
// hosts are in one directory of tables, half of each exported before the other half. PMTOOLS_RUNS is how
// many expressions there are, or 60; PMTOOLS_SEED is as for TestSQL.
func TestSQLGroups(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	engines := []*engine{duckEngine(root, dir), clickEngine(root, dir), sparkEngine(t, dir)}
	for _, e := range engines {
		if e.skip != "" {
			t.Logf("%s is skipped: %s", e.name, e.skip)
		}
	}
	engines = slices.DeleteFunc(engines, func(e *engine) bool { return e.skip != "" })
	if len(engines) == 0 {
		t.Skip("no database to compare with")
	}
	seed, runs := harness.Number("PMTOOLS_SEED", 1), harness.Number("PMTOOLS_RUNS", 60)
	const hosts = 4
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(filepath.Join(ours.Bin, "pmderive"), args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	r := &sqlRun{dir: dir, counts: map[string]int{}, queries: make(map[*engine][]string), cases: make(map[*engine][]*sqlCase)}
	tables := filepath.Join(dir, "tables")
	for i := range hosts {
		host := fmt.Sprint("host", i)
		path := filepath.Join(dir, host)
		labelledArchive(t, path, host, uint64(seed+i))
		if i%2 == 1 {
			run("-a", path, "export", "-o", tables, "-T", "90s")
		}
		run("-a", path, "export", "-o", tables)
		w := readWorld(t, ours, root, path)
		var texts []string
		for n := 0; len(texts) < (runs+hosts-1)/hosts; n++ {
			g := newGenerator(w, uint64(seed), uint64(i+n*hosts))
			g.syntax = check.Extended.Syntax()
			for range min(perBatch, (runs+hosts-1)/hosts-len(texts)) {
				texts = append(texts, g.grouped())
			}
		}
		r.hosts = []string{host}
		r.archive(t, path, "tables", texts, engines)
	}
	run("compact", tables)
	for _, e := range engines {
		r.compare(t, e)
	}
	r.report(t)
}

// TestSQLNumbers: groups that have the same number are told apart by their names.
func TestSQLNumbers(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	path := filepath.Join(dir, "same")
	w, err := archive.Create(path, &archive.WriterOptions{Host: "host", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d := pcp.Desc{ID: pcp.NewID(60, 0, 0), Type: pcp.Uint64, InDom: pcp.NewInDom(60, 1), Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
	must(w.AddMetric(d, "x"))
	start := pcp.Timestamp{Sec: 1_700_000_000}
	must(w.SetInDom(start, d.InDom, []pcp.Instance{{ID: 0, Name: "a"}, {ID: 1, Name: "b"}}))
	// The names k15231 and k25525, and r,3082 and r,89823, have the same first 31 bits of their MD5 sums.
	label := func(name, value string) pcp.Label {
		return pcp.Label{Name: name, Value: `"` + value + `"`, Flags: uint8(pcp.InstanceLabels)}
	}
	must(w.SetLabels(start, pcp.InstanceLabels, uint32(d.InDom), []pcp.LabelSet{
		{Inst: 0, Labels: []pcp.Label{label("kind", "k15231"), label("rack", "r"), label("row", "3082")}},
		{Inst: 1, Labels: []pcp.Label{label("kind", "k25525"), label("rack", "r"), label("row", "89823")}},
	}))
	for n := range uint64(5) {
		must(w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: start.Sec + 10*int64(n)}, Sets: []pcp.Values{
			{ID: d.ID, Type: d.Type, Insts: []int32{0, 1}, Words: []uint64{1000 + 10*n*n, 5000 + 300*n}}}}))
	}
	must(w.Close())
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(ours.Bin, "pmderive"), append([]string{"--extended"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("-a", path, "export", "-o", "tables")
	for _, e := range []*engine{duckEngine(root, dir), clickEngine(root, dir), sparkEngine(t, dir)} {
		if e.skip != "" {
			t.Logf("%s is skipped: %s", e.name, e.skip)
			continue
		}
		var exprs, queries []string
		for _, expr := range []string{
			"max(x) by (kind)", "rate(sum(x) by (kind))", "max(x) by (kind) - min(x) by (kind) + 1", "max_over(max(x) by (kind), 15s)",
			"shift(max(x) by (kind), 10s)", "max(sum(x) by (rack, row)) by (row)", "matchinst(/k1/, max(x) by (kind))", "topn(1, max(x) by (kind))",
			"max(x) by (kind) > 4000 ? max(x) by (kind) : min(x) by (kind) + 1",
		} {
			exprs = append(exprs, expr)
			queries = append(queries, "SELECT instance, CAST(value AS DOUBLE) FROM (\n"+run("sql", "--dialect", e.dialect, "-m", "tables", expr)+") AS q")
		}
		out, err := e.run(queries)
		must(err)
		for _, part := range strings.Split("\n"+string(out), "\n@query ")[1:] {
			number, part, _ := strings.Cut(part, "\n")
			i, err := strconv.Atoi(number)
			must(err)
			got, want := numbersByName(t, part, 1), numbersByName(t, run("-a", path, "eval", "-t", "record", "-o", "csv", exprs[i]), 3)
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %s: %q, want %q", e.name, exprs[i], got, want)
			}
		}
	}
}

// numbersByName returns the columns instance and value of CSV, sorted. The value is in the given column, the
// instance in the one before.
func numbersByName(t *testing.T, text string, column int) (list []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, row := range rows {
		if v, err := strconv.ParseFloat(row[column], 64); err == nil {
			list = append(list, fmt.Sprint(row[column-1], " ", v))
		}
	}
	slices.Sort(list)
	return list
}
