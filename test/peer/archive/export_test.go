package archive

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/test/peer/harness"
)

// A duck asks DuckDB about exported tables. It runs inside the reference's root, where peer-up
// installs it; the tables are there too.
type duck struct {
	t         *testing.T
	ours      harness.Side
	root, dir string
}

// newDuck returns a duck, or skips the test.
func newDuck(t *testing.T) *duck {
	t.Helper()
	ours, _, root := harness.Setup(t)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/duckdb")); err != nil {
		t.Skip("no duckdb in the reference's root: tables are not read by it")
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "export")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &duck{t, ours, root, dir}
}

// export exports an archive to a directory below that of d.
func (d *duck) export(archive, to string, args ...string) {
	d.t.Helper()
	words := append([]string{"-a", archive, "export", "-o", filepath.Join(d.dir, to)}, args...)
	out, err := exec.Command(filepath.Join(d.ours.Bin, "pmderive"), words...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("export %s: %v\n%s", archive, err, out)
	}
}

// ask returns the rows of a query.
func (d *duck) ask(sql string) [][]string {
	d.t.Helper()
	inside := "/tmp/" + filepath.Base(d.dir)
	cmd := exec.Command("chroot", d.root, "sh", "-c", "cd "+inside+" && exec duckdb -csv -noheader")
	cmd.Stdin = strings.NewReader("SET TimeZone='UTC'; " + sql)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s\n%v\n%s", sql, err, out)
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil {
		d.t.Fatalf("%s\n%v\n%s", sql, err, out)
	}
	return rows
}

// dumped returns how often pmlogdump shows each value of an archive: clock, metric, instance and
// value; and how many of each metric it shows.
func dumped(t *testing.T, theirs harness.Side, root, archive string) (values, counts map[string]int) {
	t.Helper()
	o, err := theirs.Run(harness.Command{Args: []string{"pmlogdump", "-Z", "UTC", archive}}, root)
	if err != nil {
		t.Fatal(err)
	}
	record := regexp.MustCompile(`^(\d\d:\d\d:\d\d\.\d+) `)
	single := regexp.MustCompile(`^    (\d+\.\d+\.\d+) \(.*\): (?:inst \[(\d+) or .*\] )?value (.*)$`)
	further := regexp.MustCompile(`^ {8,}inst \[(\d+) or .*\] value (.*)$`)
	head := regexp.MustCompile(`^    (\d+\.\d+\.\d+) \(.*\):`)
	values, counts = map[string]int{}, map[string]int{}
	at, id := "", ""
	for line := range strings.Lines(string(o.Stdout)) {
		line = strings.TrimRight(line, "\n")
		if m := record.FindStringSubmatch(line); m != nil {
			at = (m[1] + "000")[:18]
			continue
		}
		inst, value := "", ""
		if m := single.FindStringSubmatch(line); m != nil {
			id, inst, value = m[1], m[2], m[3]
		} else if m := further.FindStringSubmatch(line); m != nil {
			inst, value = m[1], m[2]
		} else {
			if m := head.FindStringSubmatch(line); m != nil {
				id = m[1]
			}
			continue
		}
		values[strings.Join([]string{at, id, inst, value}, " ")]++
		counts[id]++
	}
	return values, counts
}

// exportedArchives are those of the suite that are exported: both versions, compressed ones, marks,
// instances that change, strings, a host of the nineties.
var exportedArchives = []string{
	"disk-a", "20180416", "20041125", "gap", "count-mark", "changeinst", "dyninsts", "951127.23.01_v2", "bozo-disk", "chartqa1",
}

// TestExport: DuckDB finds in the tables what the reference's pmlogdump shows: as many values of
// each metric, and each integer at its time, to the nanosecond.
func TestExport(t *testing.T) {
	d := newDuck(t)
	_, theirs, _ := harness.Setup(t)
	total := 0
	for _, name := range exportedArchives {
		path := filepath.Join(d.root, "var/lib/pcp/testsuite/archives", name)
		values, counts := dumped(t, theirs, d.root, path)
		if len(values) == 0 {
			t.Errorf("pmlogdump shows nothing of %s", name)
		}
		d.export(path, name)
		tables := fmt.Sprintf("FROM '%s/values/**/*.parquet' v JOIN '%[1]s/metrics/*/*.parquet' m USING (metric) ", name)
		for _, row := range d.ask("SELECT pmid, count(*) " + tables + "WHERE type NOT LIKE '%event%' GROUP BY pmid") {
			if n := strconv.Itoa(counts[row[0]]); n != row[1] {
				t.Errorf("%s: %s values of %s, pmlogdump shows %s", name, row[1], row[0], n)
			}
			delete(counts, row[0])
		}
		for id, n := range counts {
			t.Errorf("%s: no values of %s, pmlogdump shows %d", name, id, n)
		}
		for _, row := range d.ask("SELECT epoch_ns(time), pmid, coalesce(inst::VARCHAR, ''), coalesce(i64::VARCHAR, u64::VARCHAR) AS value " + tables + "WHERE value IS NOT NULL") {
			ns, err := strconv.ParseInt(row[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			key := strings.Join([]string{time.Unix(0, ns).UTC().Format("15:04:05.000000000"), row[1], row[2], row[3]}, " ")
			if values[key] == 0 {
				t.Fatalf("%s: pmlogdump does not show %s", name, key)
			}
			values[key]--
			total++
		}
		for _, row := range d.ask("SELECT count(*), count(DISTINCT v.units) " + tables + "WHERE v.units IS DISTINCT FROM m.units") {
			if row[0] != "0" {
				t.Errorf("%s: %s values have other units than their metric", name, row[0])
			}
		}
	}
	t.Logf("%d integers in %d archives", total, len(exportedArchives))
}

// TestExportColumns: the columns have the types that docs/scale.md says.
func TestExportColumns(t *testing.T) {
	d := newDuck(t)
	d.export(filepath.Join(harness.Own(t, "demo"), "demo"), "out")
	want := map[string]string{
		"time": "TIMESTAMPTZ_NS", "metric": "VARCHAR", "inst": "INTEGER", "instance": "VARCHAR", "i64": "BIGINT", "u64": "UBIGINT",
		"f64": "DOUBLE", "text": "VARCHAR", "bytes": "BLOB", "seg": "INTEGER", "record": "INTEGER", "position": "INTEGER", "units": "VARCHAR", "date": "DATE", "host": "VARCHAR",
	}
	rows := d.ask("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM 'out/values/**/*.parquet')")
	for _, row := range rows {
		// Older ones have no type for a time with nanoseconds and a zone.
		if row[1] != want[row[0]] && !(row[0] == "time" && strings.HasPrefix(row[1], "TIMESTAMP")) {
			t.Errorf("column %s is %s, want %s", row[0], row[1], want[row[0]])
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d columns, want %d", len(rows), len(want))
	}
	for _, row := range d.ask("SELECT bloom_filter_offset IS NOT NULL, compression, stats_min_value <> '' FROM parquet_metadata('out/values/**/*.parquet') WHERE path_in_schema = 'metric'") {
		if strings.Join(row, " ") != "true ZSTD true" {
			t.Errorf("bloom filter, compression and statistics: %v", row)
		}
	}
}

// TestCompact: DuckDB finds the same rows before and after a compaction, in few files whose row groups it can skip.
func TestCompact(t *testing.T) {
	d := newDuck(t)
	sum := func(dir string) string {
		rows := d.ask("SELECT count(*), bit_xor(hash(time, metric, host, inst, instance, i64, u64, f64, text, bytes, seg, record, position, units)) FROM '" + dir + "/values/**/*.parquet'")
		return strings.Join(rows[0], " ")
	}
	for _, partition := range []string{"host,date", "date"} {
		for _, name := range []string{"20180416", "20041125", "count-mark"} {
			d.export(filepath.Join(d.root, "var/lib/pcp/testsuite/archives", name), partition, "--partition", partition)
		}
		before := sum(partition)
		out, err := exec.Command(filepath.Join(d.ours.Bin, "pmderive"), "compact", filepath.Join(d.dir, partition)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if after := sum(partition); after != before {
			t.Errorf("%s: rows and hash %s, were %s", partition, after, before)
		}
		sorted := d.ask("SELECT count(*) FROM parquet_kv_metadata('" + partition + "/values/**/*.parquet') WHERE key = 'pmtools.sorted'")
		if files := d.ask("SELECT count(*) FROM glob('" + partition + "/values/**/*.parquet')"); sorted[0][0] != files[0][0] {
			t.Errorf("%s: %s files are sorted, there are %s", partition, sorted[0][0], files[0][0])
		}
	}
}

// TestExportQuery: the query in docs/scale.md gives the rates that the engine gives.
func TestExportQuery(t *testing.T) {
	d := newDuck(t)
	text, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	sql := regexp.MustCompile("(?s)```sql\n(.*?)```").FindSubmatch(text)
	command := regexp.MustCompile(`(?m)^\$ pmderive -a demo export -o out (.*)$`).FindSubmatch(text)
	if sql == nil || command == nil {
		t.Fatal("docs/scale.md has no query")
	}
	d.export(filepath.Join(harness.Own(t, "demo"), "demo"), "out", strings.Fields(strings.ReplaceAll(string(command[1]), "'", ""))...)
	want := map[string]string{}
	for _, row := range d.ask("SELECT host, instance, time, f64 FROM 'out/values/**/*.parquet' WHERE metric = 'busy'") {
		want[strings.Join(row[:3], " ")] = row[3]
	}
	n := 0
	for _, row := range d.ask(string(sql[1])) {
		rate, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			continue // the first one of a stretch
		}
		busy, _ := strconv.ParseFloat(want[strings.Join(row[:3], " ")], 64)
		if math.Abs(rate-busy) > 1e-12*math.Abs(busy) {
			t.Errorf("%v, the engine has %v", row, busy)
		}
		n++
	}
	if n == 0 || n != len(want) {
		t.Errorf("%d rates, want %d", n, len(want))
	}
}
