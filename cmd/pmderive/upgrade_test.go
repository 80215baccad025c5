package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"pmtools/cmd/internal/clitest"
	"pmtools/cmd/internal/history"
	"pmtools/internal/remotewritetest"
	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/safefile/safefiletest"
	"pmtools/test/golden"
)

// This file reads what earlier versions wrote and users still have: test/upgrade/testdata has a directory for each version, which
// TestMakeUpgrade has written with a pmderive of that version.
//
//	exports/*.zip  tables of exports
//	queue.zip      a queue of push, and in queue.txt the samples that it has
//	user           files of a user's home directory
//	answers        what the version said of these

const upgradeDir = "../../test/upgrade/testdata"

// An upgradeExport is tables that a version has written.
type upgradeExport struct {
	name      string
	archive   string   // or a directory of archives
	options   []string // of each export into these tables
	metrics   []string
	first     []string // options of the earlier version only
	half      bool     // with these it wrote the first half
	compacted bool
	sql       bool // queries are compared
	// killed is a command that was killed when the tables were there, at each call that leaves something: its tables have their number after the name.
	killed []string
}

var upgradeExports = []upgradeExport{
	{name: "plain", archive: "archives/demo", sql: true},
	{name: "wide", archive: "archives/demo", options: []string{"--wide"}},
	{name: "micros", archive: "archives/demo", options: []string{"--us"}, sql: true},
	{name: "events", archive: "one/events"},
	{name: "derived", archive: "archives/demo", metrics: []string{"disk", "busy=rate(disk.dev.total)"}},
	{name: "hosts", archive: "archives", options: []string{"--partition", "date"}, sql: true},
	{name: "merged", archive: "archives", options: []string{"--partition", "date"}, compacted: true, sql: true},
	{name: "half", archive: "archives/demo", first: untilHalf, half: true, sql: true},
	{name: "half-compacted", archive: "archives/demo", first: untilHalf, half: true, compacted: true},
	{name: "followed", archive: "archives/demo", metrics: []string{"kernel.all.load", "mem"}, first: following, sql: true},
	{name: "followed-compacted", archive: "archives/demo", metrics: []string{"kernel.all.load", "mem"}, first: following, compacted: true, sql: true},
	{name: "export-killed", archive: "archives/demo", metrics: []string{"kernel.all.load", "mem"}, first: untilHalf, half: true,
		killed: []string{"-a", "archives/demo", "export", "-o", "out", "kernel.all.load", "mem"}},
	{name: "compact-killed", archive: "archives/demo", metrics: []string{"kernel.all.load", "mem"}, first: following, killed: []string{"compact", "out"}},
}

var untilHalf = []string{"-T", "@22:18:15"}

var following = []string{"--follow", "--idle", "100ms", "-t", "5min"}

// line returns the arguments of an export, without metrics.
func (x *upgradeExport) line(out string) []string {
	return append([]string{"-a", x.archive, "export", "-o", out}, x.options...)
}

// upgradePush is a push that sends what is in a queue, and one sample of its own.
func upgradePush(url string) []string {
	return []string{"-a", "archives/demo", "push", "--to", url, "-s", "1", "hinv.ncpu"}
}

// samplesOf returns what a database has, a line for each series.
func samplesOf(d *remotewritetest.Database) string {
	var lines []string
	for labels, list := range d.Series() {
		for _, s := range list {
			labels += " " + strconv.FormatInt(s.MS, 10) + "=" + strconv.FormatFloat(s.Value, 'g', -1, 64)
		}
		lines = append(lines, labels+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// twoZones is /proc/zoneinfo when the earlier version numbers zones, and oneZone is today's.
const (
	twoZones = "Node 0, zone      DMA\n  pages free     2816\n        min      33\n" + oneZone
	oneZone  = "Node 0, zone   Normal\n  pages free     2000\n        min      55\n"
)

// upgradeFiles are files that users write by hand.
var upgradeFiles = map[string]string{
	"reads.conf": "# Sizes of transfers.\nx.size = rate(disk.dev.read_bytes) / rate(disk.dev.read)\nx.size(oneline) = size of a read\n",
	"reads.cases": "definitions reads.conf\nstep 10s\n\nmetric disk.dev.read_bytes u64 counter Kbyte indom 60.1\n  sda  0+300x4\nmetric disk.dev.read u32 counter count indom 60.1\n" +
		"  sda  4294967270+10x4\n\ncase size\n  eval x.size\n",
	"site.conf": "[memory]\nprecision = 1\nmem.util.used = used,,MB\npct = mem.used_pct\npct.label = %%used\npct.formula = 100 * mem.util.used / mem.physmem\nkernel.all.load = load,1 minute\n\n" +
		"[transfers]\ncolxrow = disk\ndisk.dev.read_bytes = read,,KB\nsize = disk.dev.size\nsize.formula = rate(disk.dev.total_bytes) / rate(disk.dev.total)\n",
}

// upgradeLines are commands that read the user's files.
var upgradeLines = []string{
	"pmderive --config site.conf -a archives/demo eval -t 2min -s 3 -o csv :memory",
	"pmderive --config site.conf -a archives/demo eval -t 2min -s 3 -o csv :transfers",
	"pmderive -c saved.conf -a archives/demo eval -o csv m.used",
	"pmderive -c saved.conf -a archives/demo describe -o json m.used",
	"pmderive --extended -c extended.conf -a archives/demo eval -t 1min -o csv m.top",
	"pmderive -c .config/pmderive/derived -a archives/demo eval -t 1min -o csv x.size",
	"pmderive -c .config/pmderive/derived list -o csv",
	"pmderive test -v reads.cases",
	"pmderive -a derived eval -t 1min -o csv kernel.all.load m.used",
	"pmderive -a rec eval -t record -o csv sample.bin",
}

// upgradeVersion copies the files of a user, goes there, and returns the directory of the version.
func upgradeVersion(t *testing.T, version string) (dir string) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(upgradeDir, version))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS(filepath.Join(dir, "user"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home)
	return dir
}

// unpack returns a directory with the files of a zip file.
func unpack(t *testing.T, name string) (dir string) {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir = filepath.Join(t.TempDir(), "out")
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

// runToday runs today's command, which must succeed.
func runToday(t *testing.T, args ...string) string {
	t.Helper()
	got := golden.Entry{}
	safefiletest.Quiet(func() { got = clitest.RunWith("pmderive", newCommand, "", args, nil) })
	if got.Status != 0 || got.Stderr != "" {
		t.Fatalf("%q: status %d, %s", args, got.Status, got.Stderr)
	}
	return got.Stdout
}

// TestUpgrade reads what earlier versions wrote.
func TestUpgrade(t *testing.T) {
	versions, err := os.ReadDir(upgradeDir)
	if err != nil || len(versions) == 0 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	for _, v := range versions {
		t.Run(v.Name(), func(t *testing.T) {
			dir := upgradeVersion(t, v.Name())
			for _, x := range upgradeExports {
				t.Run(x.name, func(t *testing.T) { x.upgrade(t, dir) })
			}
			t.Run("live", func(t *testing.T) { upgradeTablesOfDaemon(t, dir) })
			t.Run("queue", func(t *testing.T) { upgradeQueue(t, dir) })
			t.Run("answers", func(t *testing.T) { upgradeAnswers(t, dir) })
			t.Run("prompt", upgradePrompt)
			t.Run("numbers", upgradeNumbers)
		})
	}
}

// exchanges reports whether directories can be exchanged, as compact does.
func exchanges() bool { return runtime.GOOS == "linux" || runtime.GOOS == "darwin" }

// upgrade reads tables as they are, and goes on with them: their rows are those that today's export writes of the archives.
func (x *upgradeExport) upgrade(t *testing.T, dir string) {
	pattern := x.name + ".zip"
	if x.killed != nil {
		pattern = x.name + "-*.zip"
	}
	files, _ := filepath.Glob(filepath.Join(dir, "exports", pattern))
	if len(files) == 0 {
		t.Fatal("there are none")
	}
	whole := filepath.Join(t.TempDir(), "whole")
	runToday(t, x.again(whole)...)
	want := rowsOf(t, whole)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if !x.half {
				x.same(t, "as it is", rowsOf(t, unpack(t, file)), want)
			}
			if x.sql {
				sql := func(dir string) string {
					return strings.ReplaceAll(runToday(t, "sql", "-m", dir, "sum(kernel.all.load)"), dir, "DIR")
				}
				if diff := cmp.Diff(sql(unpack(t, file)), sql(whole)); diff != "" {
					t.Errorf("SQL:\n%s", diff)
				}
			}
			x.goOn(t, file, want)
		})
	}
}

// again returns the arguments of an export of all records.
func (x *upgradeExport) again(out string) []string { return append(x.line(out), x.metrics...) }

// goOn exports into tables, and compacts them before and after that.
func (x *upgradeExport) goOn(t *testing.T, file string, want map[string][]string) {
	exported, compacted := unpack(t, file), unpack(t, file)
	runToday(t, x.again(exported)...)
	x.same(t, "exported again", rowsOf(t, exported), want)
	if said := runToday(t, x.again(exported)...); strings.Count(said, ": nothing new\n") != strings.Count(said, "\n") {
		t.Errorf("once more: %s", said)
	}
	if !exchanges() {
		return
	}
	for _, out := range []string{exported, compacted} {
		runToday(t, "compact", out)
		if !x.half {
			x.same(t, "compacted", rowsOf(t, out), want)
		}
		runToday(t, x.again(out)...)
		x.same(t, "compacted and exported again", rowsOf(t, out), want)
		if left, _ := filepath.Glob(filepath.Join(out, "_pmtools/*/*-*")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}

// same compares rows. An export that goes on says once more which labels and instances hold.
func (x *upgradeExport) same(t *testing.T, what string, got, want map[string][]string) {
	t.Helper()
	if x.half {
		got, want = withoutBegins(got), withoutBegins(want)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s:\n%.4000s", what, diff)
	}
}

// withoutBegins returns rows, those of labels and instances without the times from which on they hold.
func withoutBegins(rows map[string][]string) map[string][]string {
	rows = maps.Clone(rows)
	for _, table := range []string{"labels", "instances"} {
		list := slices.Clone(rows[table])
		for i := range list {
			list[i] = regexp.MustCompile(`\btime=\S+`).ReplaceAllString(list[i], "")
		}
		slices.Sort(list)
		rows[table] = slices.Compact(list)
	}
	return rows
}

// upgradeLive is how often a daemon was asked whose counter has the squares of numbers.
const upgradeLive = 5

// upgradeTablesOfDaemon reads the tables of a daemon. Compaction keeps their values.
func upgradeTablesOfDaemon(t *testing.T, dir string) {
	out := unpack(t, filepath.Join(dir, "exports", "live.zip"))
	before := rowsOf(t, out)
	for n := range upgradeLive {
		if want := fmt.Sprintf("u64=%d ", n*n); len(before["values"]) != upgradeLive || !strings.Contains(strings.Join(before["values"], "\n"), want) {
			t.Errorf("there is no %s in %q", want, before["values"])
		}
	}
	if !exchanges() {
		return
	}
	runToday(t, "compact", out)
	if diff := cmp.Diff(rowsOf(t, out), before); diff != "" {
		t.Errorf("compacted:\n%s", diff)
	}
}

// rowsOf returns the rows of each table as text, sorted: the columns that are not null, and the host of the directory.
func rowsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".parquet" {
			if d != nil && d.Name() == "_pmtools" {
				return fs.SkipDir
			}
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		table, below, _ := strings.Cut(filepath.ToSlash(rel), "/")
		host := ""
		if strings.HasPrefix(below, "host=") {
			host, _, _ = strings.Cut(below, "/")
		}
		list, err := tableRows(path, host)
		if len(list) > 0 {
			rows[table] = append(rows[table], list...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range rows {
		slices.Sort(list)
	}
	return rows
}

// tableRows returns the rows of a file.
func tableRows(path, host string) (list []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	pf, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	columns := pf.Schema().Columns()
	for _, g := range pf.RowGroups() {
		r := g.Rows()
		rows := make([]parquet.Row, g.NumRows())
		if n, err := r.ReadRows(rows); int64(n) != g.NumRows() {
			return nil, fmt.Errorf("%s: %d of %d rows: %w", path, n, g.NumRows(), err)
		}
		for _, row := range rows {
			cells := []string{host}
			for _, v := range row {
				if !v.IsNull() && columns[v.Column()][0] != "since" { // which metrics of 0.2 do not have
					cells = append(cells, fmt.Sprintf("%s=%v", strings.Join(columns[v.Column()], "."), v))
				}
			}
			slices.Sort(cells)
			list = append(list, strings.Join(cells, " "))
		}
		r.Close()
	}
	return list, nil
}

// upgradeQueue sends what a queue has: each sample comes once.
func upgradeQueue(t *testing.T, dir string) {
	queue := unpack(t, filepath.Join(dir, "queue.zip"))
	want, err := os.ReadFile(filepath.Join(dir, "queue.txt"))
	if err != nil {
		t.Fatal(err)
	}
	d, url := database(t)
	said := runToday(t, append(upgradePush(url), "--queue", queue)...)
	if diff := cmp.Diff(strings.Split(samplesOf(d), "\n"), strings.Split(string(want), "\n")); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(string(want), "="); n < 500 || !strings.HasSuffix(said, " samples sent\n") {
		t.Error(n, said)
	}
	if left, _ := os.ReadDir(queue); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// upgradeAnswers asks about the user's files.
func upgradeAnswers(t *testing.T, dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "answers"))
	if err != nil {
		t.Fatal(err)
	}
	_, entries, err := golden.Parse(string(text))
	if err != nil || len(entries) != len(upgradeLines) {
		t.Fatalf("%d answers to %d questions, %v", len(entries), len(upgradeLines), err)
	}
	for _, e := range entries {
		if diff := cmp.Diff(runToday(t, e.Args[1:]...), e.Stdout); diff != "" {
			t.Errorf("%s\n%s", e.Line, diff)
		}
	}
}

// upgradePrompt reads what the prompt keeps.
func upgradePrompt(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"HOME": home}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	want := []string{"sample.bin", ":record start rec/session 0.5 sample.bin", "sum((sample.bin ))", "sample.bin * 2", ":record stop", ":quit"}
	if got := history.Open(lookup).Items; !slices.Equal(got, want) {
		t.Errorf("the history is %q, not %q", got, want)
	}
}

// upgradeNumbers: an instance keeps the number that it had.
func upgradeNumbers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are no collectors of instances here")
	}
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "proc", "zoneinfo"), []byte(oneZone), 0o666); err != nil {
		t.Fatal(err)
	}
	src := builtin.Default(&builtin.Options{Root: root, CacheDir: filepath.Join(".cache", "pmtools", "pmda")})
	defer src.Close()
	insts, err := pmapi.InstancesOf(t.Context(), src, pcp.NewInDom(60, 32), pmapi.Now())
	if err != nil || len(insts) != 1 || insts[0] != (pcp.Instance{ID: 1, Name: "Normal::node0"}) {
		t.Errorf("%v, %v", insts, err)
	}
}
