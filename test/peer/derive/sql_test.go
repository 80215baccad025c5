package derive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/sql"
	"pmtools/derive/syntax"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/test/peer/harness"
)

// sqlArchives are those whose expressions are run as SQL: both versions, all types, counters that
// wrap and fall, marks, instances that come and go, errors, metrics in records of their own.
var sqlSuite, sqlOwn = strings.Fields("sample_expr omnibus_v3 uwrap markmerge mirage-1 bozo-disk"), strings.Fields("ta alltypes wrap gaps demo")

// An engine runs queries over tables, many in one process.
type engine struct {
	name    string
	dialect string
	skip    string // why it does not
	// run runs queries and returns their rows of time, instance and value as CSV, each query's behind
	// a line "@query NUMBER". Where one fails, its message is there.
	run     func(queries []string) ([]byte, error)
	rows    string // makes such rows of a query
	ofHosts string // the same with the host before the instance
}

// TestSQL: what the engine finds record by record in an archive, databases find in its tables.
// A third of the expressions is of the extended language. PMTOOLS_RUNS is how many expressions there
// are, or 400; the seed is in PMTOOLS_SEED, or 1.
func TestSQL(t *testing.T) {
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
	var archives []string
	for _, a := range sqlSuite {
		archives = append(archives, filepath.Join(root, "var/lib/pcp/testsuite/archives", a))
	}
	for _, a := range sqlOwn {
		archives = append(archives, filepath.Join(harness.Own(t, "all"), a))
	}
	seed, runs := harness.Number("PMTOOLS_SEED", 1), harness.Number("PMTOOLS_RUNS", 400)
	r := &sqlRun{dir: dir, counts: map[string]int{}, queries: make(map[*engine][]string), cases: make(map[*engine][]*sqlCase)}
	for i, a := range archives {
		w := readWorld(t, ours, root, a)
		name := filepath.Base(a)
		if out, err := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", a, "export", "-o", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("export %s: %v\n%s", a, err, out)
		}
		g := newGenerator(w, uint64(seed), uint64(i))
		var texts []string
		for n := 0; len(texts) < (runs+len(archives)-1)/len(archives); n++ {
			if n%perBatch == 0 {
				g = newGenerator(w, uint64(seed), uint64(i+n*len(archives)))
			}
			g.syntax = check.Extended.Syntax()
			text := g.expression()
			if n%3 == 0 {
				text = g.extension()
			}
			if _, ok := g.typeOf(text); ok && !beyondTables.MatchString(text) {
				texts = append(texts, text)
			}
		}
		r.archive(t, a, name, texts, engines)
	}
	for _, e := range engines { // once for all archives: an engine takes seconds to start
		r.compare(t, e)
	}
	r.report(t)
}

// signless matches what becomes DuckDB's arg_min, which forgets the sign of a zero; unordered matches what sorts
// values, among which zeros of both signs have any order.
var (
	signless  = regexp.MustCompile(`min\(|max\(|scalar\(|quantile_over\(`)
	unordered = regexp.MustCompile(`quantile\(|median\(`)
)

// beyondTables matches the metrics of events, which have no values, and no records.
var beyondTables = regexp.MustCompile(`event\.`)

// A sqlRun compares archives and counts what came of it.
type sqlRun struct {
	dir     string
	hosts   []string // to which queries are limited
	counts  map[string]int
	shown   int
	queries map[*engine][]string
	cases   map[*engine][]*sqlCase // of the queries
}

// A sqlCase is an expression that can be said in SQL.
type sqlCase struct {
	text   string
	tables string // the directory of their tables
	typ    check.Type
	want   map[string]uint64 // or the text, by time and instance

	unsigned bool // the sign of a zero does not count
}

// archive adds the queries for expressions over an archive.
func (r *sqlRun) archive(t *testing.T, path, name string, texts []string, engines []*engine) {
	a, err := pmapi.OpenArchive(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	firstNames := firstName(t, a)
	for _, text := range texts {
		p, err := derive.CompileIn(check.Extended, "", text)
		if err != nil {
			t.Fatal(text, err)
		}
		src := derive.NewSource(a, nil, &derive.Options{})
		found, err := src.Check(t.Context(), src.Define(p)...)
		if err != nil {
			t.Fatal(text, err)
		}
		if found[0].Err != nil {
			continue // units that differ in what their text does not show
		}
		r.counts["expressions"]++
		if syntax.Extension(p.Expr()) != nil {
			r.counts["expressions of the extended language"]++
		}
		var c *sqlCase
		for _, e := range engines {
			q, err := sql.Query(found[0].Expr, found[0].Info, &sql.Options{Dialect: e.dialect, Tables: name, Hosts: r.hosts, NameOf: firstNames})
			if bad, ok := errors.AsType[*check.Error](err); ok {
				r.counts["refused by "+e.name]++
				r.counts["refused by "+e.name+", "+bad.Text]++
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if c == nil {
				c = &sqlCase{text: text, tables: name, typ: found[0].Info.Root}
				if c.want, err = byRecord(t.Context(), a, p); err != nil {
					t.Fatal(text, err)
				}
			}
			r.queries[e] = append(r.queries[e], fmt.Sprintf(e.rows, q))
			r.cases[e] = append(r.cases[e], c)
		}
	}
}

// firstName returns a function for the name of a metric that comes first.
func firstName(t *testing.T, a *pmapi.Archive) func(pcp.ID, string) string {
	first := make(map[pcp.ID]string)
	if err := a.Walk(t.Context(), "", true, func(name string, id pcp.ID) bool {
		first[id] = cmp.Or(first[id], name)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return func(id pcp.ID, _ string) string { return first[id] }
}

// byRecord evaluates an expression in each record that has one of its metrics. After an interruption
// of the recording it begins anew.
func byRecord(ctx context.Context, a *pmapi.Archive, p *derive.Definition) (map[string]uint64, error) {
	if err := a.SetMode(pcp.Forward, &pcp.Timestamp{}, 0); err != nil {
		return nil, err
	}
	values := make(map[string]uint64)
	for {
		recs := &stretch{Archive: a}
		src := derive.NewSource(recs, nil, &derive.Options{})
		ids := src.Define(p)
		for !recs.ended {
			var r pcp.Result
			switch err := src.Fetch(ctx, &pmapi.Request{IDs: ids}, &r); {
			case errors.Is(err, pmerr.EOL):
				return values, nil
			case err != nil && !recs.ended:
				return nil, err
			case err != nil || r.Sets[0].Err != nil:
				continue
			}
			for i, inst := range r.Sets[0].Insts {
				key := fmt.Sprintf("%d,%d", r.Time.Sec*1e9+int64(r.Time.Nsec), inst)
				switch {
				case r.Sets[0].Type != pcp.String:
					values[key] = r.Sets[0].Words[i]
				case utf8.Valid(r.Sets[0].Blobs[i]):
					values[key+","+string(r.Sets[0].Blobs[i])] = 0
				default: // bytes in the tables
					values[key+",NULL"] = 0
				}
			}
		}
	}
}

// A stretch is the records up to the next mark.
type stretch struct {
	*pmapi.Archive
	ended bool
}

// Fetch implements pmapi.Source.
func (s *stretch) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := s.Archive.Fetch(ctx, &pmapi.Request{IDs: req.IDs, Profile: req.Profile, Records: true}, dst)
	if err == nil && dst.Gap {
		s.ended = true
		return errors.New("a mark")
	}
	if len(req.IDs) == 0 {
		dst.Reset(0)
	}
	return err
}

// Unwrap returns the archive, for what it can do besides.
func (s *stretch) Unwrap() pmapi.Source { return s.Archive }

// compare runs the queries of an engine and compares what they find.
func (r *sqlRun) compare(t *testing.T, e *engine) {
	out, err := e.run(r.queries[e])
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", e.name, err, out)
	}
	found := make(map[int]string)
	for part := range strings.SplitSeq("\n"+string(out), "\n@query ") {
		n, rows, _ := strings.Cut(part, "\n")
		if i, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
			found[i] = rows
		}
	}
	for i, c := range r.cases[e] {
		rows, ok := found[i]
		if !ok {
			rows = "no rows at all"
		}
		c.unsigned = e.dialect == "duckdb" && signless.MatchString(c.text) || unordered.MatchString(c.text)
		diff := c.differs(rows)
		if diff == "" {
			r.counts["equal in "+e.name]++
			r.counts["values in "+e.name] += len(c.want)
			if len(c.want) > 0 {
				r.counts["equal with values in "+e.name]++
			}
			continue
		}
		r.counts["different in "+e.name]++
		if r.shown++; r.shown <= harness.Number("PMTOOLS_SHOW", 10) {
			t.Errorf("%s, %s: %s\n%s\n%s", e.name, c.tables, c.text, diff, r.queries[e][i])
		} else {
			t.Fail()
		}
	}
}

// differs says how rows differ from what is wanted, "" for not at all.
func (c *sqlCase) differs(text string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err.Error() + "\n" + text
	}
	left := maps.Clone(c.want)
	for _, row := range rows {
		if len(row) != 3 {
			return fmt.Sprintf("%d columns: %q", len(row), row)
		}
		if row[1] == "NULL" || row[1] == `\N` {
			row[1] = "-1"
		}
		key := row[0] + "," + row[1]
		var word uint64
		if c.typ.Type == pcp.String {
			key += "," + strings.Replace(row[2], `\N`, "NULL", 1)
		} else if word, err = wordOf(c.typ.Type, row[2]); err != nil {
			return err.Error()
		}
		want, ok := left[key]
		switch {
		case !ok:
			return fmt.Sprintf("%s = %s has no value; there are %d values, %d rows", key, row[2], len(c.want), len(rows))
		case word != want && !c.same(word, want):
			return fmt.Sprintf("%s = %s, want %s", key, row[2], textOf(c.typ.Type, want))
		}
		delete(left, key)
	}
	for key, want := range left {
		return fmt.Sprintf("no row of %s, want %s; there are %d values, %d rows", key, textOf(c.typ.Type, want), len(c.want), len(rows))
	}
	return ""
}

// same reports whether both are no number, or zeros if the sign of a zero does not count.
func (c *sqlCase) same(a, b uint64) bool {
	var f, g float64
	switch c.typ.Type {
	case pcp.Double:
		f, g = math.Float64frombits(a), math.Float64frombits(b)
	case pcp.Float:
		f, g = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))
	default:
		return false
	}
	return f != f && g != g || c.unsigned && f == 0 && g == 0
}

// wordOf returns a number as a result of a fetch has it.
func wordOf(t pcp.Type, text string) (uint64, error) {
	switch text = strings.TrimPrefix(text, "-"[:strings.Count(text, "-nan")]); t {
	case pcp.Double:
		f, err := strconv.ParseFloat(text, 64)
		return math.Float64bits(f), err
	case pcp.Float:
		f, err := strconv.ParseFloat(text, 32)
		return uint64(math.Float32bits(float32(f))), err
	case pcp.Uint64:
		return strconv.ParseUint(text, 10, 64)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return uint64(n), err
}

// textOf returns a number as text.
func textOf(t pcp.Type, word uint64) string {
	switch t {
	case pcp.Double:
		return fmt.Sprint(math.Float64frombits(word))
	case pcp.Float:
		return fmt.Sprint(math.Float32frombits(uint32(word)))
	case pcp.Uint64, pcp.String:
		return fmt.Sprint(word)
	}
	return fmt.Sprint(int64(word))
}

// report logs the counts and fails if too much was refused.
func (r *sqlRun) report(t *testing.T) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		t.Logf("%7d %s", r.counts[what], what)
	}
	if r.counts["expressions"] < 3000 {
		return // the share refused is a matter of luck
	}
	for _, e := range []string{"DuckDB", "ClickHouse", "Spark"} {
		if n := r.counts["refused by "+e]; n*10 > r.counts["expressions"] {
			t.Errorf("%s: %d of %d expressions are refused", e, n, r.counts["expressions"])
		}
	}
}

// duckEngine is DuckDB, which peer-up installs in the reference's root.
func duckEngine(root, dir string) *engine {
	e := &engine{name: "DuckDB", dialect: "duckdb", rows: "SELECT epoch_ns(time), inst, value FROM (\n%s) AS q",
		ofHosts: "SELECT epoch_ns(time), concat(host, ' ', coalesce(inst, -1)), value FROM (\n%s) AS q"}
	if _, err := os.Stat(filepath.Join(root, "usr/bin/duckdb")); err != nil {
		e.skip = "there is no duckdb in the reference's root"
	}
	e.run = func(queries []string) ([]byte, error) {
		var b bytes.Buffer
		for i, q := range queries {
			fmt.Fprintf(&b, ".print @query %d\n%s;\n", i, q) // a message goes where its rows would
		}
		cmd := exec.Command("chroot", root, "sh", "-c", "cd "+strings.TrimPrefix(dir, root)+" && exec duckdb -csv -noheader 2>&1")
		cmd.Stdin = &b
		var bad bytes.Buffer
		cmd.Stderr = &bad
		out, err := cmd.Output()
		return append(out, bad.Bytes()...), ranErr(err)
	}
	return e
}

// ranErr returns an error unless a program ran: it goes on after a query that fails.
func ranErr(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil
	}
	return err
}

// clickScript runs queries from standard input, behind lines as engine.run has them.
const clickScript = `
const { Session } = require('chdb');
const session = new Session();
const parts = require('fs').readFileSync(0, 'utf8').split(/^@query (\d+)\n/m);
for (let i = 1; i < parts.length; i += 2) {
  process.stdout.write('@query ' + parts[i] + '\n');
  try {
    process.stdout.write(session.query(parts[i + 1], 'CSV'));
  } catch (e) {
    process.stdout.write(String(e) + '\n');
  }
}`

// clickEngine is ClickHouse as a library for node, which peer-up installs in the reference's root if
// there is npm.
func clickEngine(root, dir string) *engine {
	e := &engine{name: "ClickHouse", dialect: "clickhouse", rows: "SELECT toUnixTimestamp64Nano(time), inst, value FROM (\n%s) AS q"}
	node, err := exec.LookPath("node")
	modules := filepath.Join(root, "opt/chdb/node_modules")
	if err != nil {
		e.skip = "there is no node"
	} else if _, err := os.Stat(filepath.Join(modules, "chdb")); err != nil {
		e.skip = "there is no chdb below " + modules
	}
	e.run = func(queries []string) ([]byte, error) {
		var b bytes.Buffer
		for i, q := range queries {
			fmt.Fprintf(&b, "@query %d\n%s\n", i, q)
		}
		cmd := exec.Command(node, "-e", clickScript)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "NODE_PATH="+modules)
		cmd.Stdin = &b
		var bad bytes.Buffer
		cmd.Stderr = &bad
		out, err := cmd.Output()
		if err != nil {
			return bad.Bytes(), err
		}
		return out, nil
	}
	return e
}

// TestSQLHosts: a query over the tables of several hosts, of which one was started again at noon,
// finds what the engine finds in the archive of each.
func TestSQLHosts(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir := sqlDir(t, root)
	for _, e := range []*engine{duckEngine(root, dir), sparkCluster(t, dir)} {
		t.Run(e.name, func(t *testing.T) {
			if e.skip != "" {
				t.Skip(e.skip)
			}
			queryHosts(t, ours, dir, e)
		})
	}
}

// sqlDir returns a directory below the root, where the databases find tables.
func sqlDir(t *testing.T, root string) string {
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "sql")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func queryHosts(t *testing.T, ours harness.Side, dir string, e *engine) {
	tables := "tables-" + e.dialect
	texts := []string{
		"rate(disk.dev.avactive)", "sum(disk.dev.read) + 0 * sum(disk.dev.write)", "delta(disk.dev.read_bytes) / delta(disk.dev.read)",
		"matchinst(/[a-f]$/, disk.dev.read) > 100", "(rate(disk.dev.read))[sdg]",
	}
	var queries []string
	want := make([]map[string]uint64, len(texts))
	types := make([]pcp.Type, len(texts))
	for _, number := range []int{8, 9, 10} {
		host := archivetest.FleetHost(number)
		if err := archivetest.BuildFleetHost(dir, number); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, host)
		if out, err := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-a", path, "export", "-o", filepath.Join(dir, tables)).CombinedOutput(); err != nil {
			t.Fatalf("export: %v\n%s", err, out)
		}
		a, err := pmapi.OpenArchive(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		for i, text := range texts {
			p, err := derive.Compile("", text)
			if err != nil {
				t.Fatal(err)
			}
			src := derive.NewSource(a, nil, &derive.Options{})
			found, err := src.Check(t.Context(), src.Define(p)...)
			if err != nil || found[0].Err != nil {
				t.Fatal(text, err, found[0].Err)
			}
			if want[i] == nil {
				q, err := sql.Query(found[0].Expr, found[0].Info, &sql.Options{Dialect: e.dialect, Tables: tables})
				if err != nil {
					t.Fatal(err)
				}
				queries = append(queries, fmt.Sprintf(e.ofHosts, q))
				want[i], types[i] = make(map[string]uint64), found[0].Info.Root.Type
			}
			values, err := byRecord(t.Context(), a, p)
			if err != nil {
				t.Fatal(err)
			}
			for key, word := range values {
				time, inst, _ := strings.Cut(key, ",")
				want[i][time+","+host+" "+inst] = word
			}
		}
	}
	r := &sqlRun{counts: map[string]int{}, queries: map[*engine][]string{e: queries}, cases: make(map[*engine][]*sqlCase)}
	for i, text := range texts {
		if len(want[i]) < 3*1000 {
			t.Errorf("%s has %d values", text, len(want[i]))
		}
		r.cases[e] = append(r.cases[e], &sqlCase{text: text, tables: tables, typ: check.Type{Type: types[i]}, want: want[i]})
	}
	r.compare(t, e)
	t.Log(r.counts)
}
