package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// open opens an archive to export it.
func open(t *testing.T, path string) *Records {
	t.Helper()
	a, err := pmapi.OpenArchive(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	recs, err := NewRecords(a)
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

// line returns a value as text: time, metric, instance, type and value.
func line(at int64, metric string, inst any, column, value string) string {
	return fmt.Sprintf("%d %s %v %s=%s", at, metric, inst, column, value)
}

// exported returns the values in files, sorted, and checks the order within each file.
func exported(t *testing.T, files []string) (list []string) {
	t.Helper()
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, _ := f.Stat()
		pf, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range pf.RowGroups() {
			rows := make([]parquet.Row, g.NumRows())
			r := g.Rows()
			n, _ := r.ReadRows(rows)
			if int64(n) != g.NumRows() {
				t.Fatalf("%s: %d of %d rows", file, n, g.NumRows())
			}
			var before string
			for _, row := range rows {
				key := fmt.Sprintf("%s %011d %020d", row[colMetric], row[colInst].Int32(), row[colTime].Int64())
				if key < before {
					t.Errorf("%s: %s stands behind %s", file, key, before)
				}
				before = key
				list = append(list, lineOf(row, pf.Schema()))
			}
			r.Close()
		}
	}
	slices.Sort(list)
	return list
}

// lineOf returns a row as line does.
func lineOf(row parquet.Row, schema *parquet.Schema) string {
	inst := "-"
	if !row[colInst].IsNull() {
		inst = fmt.Sprint(row[colInst].Int32(), " ", row[colInstance])
	}
	for k := range kinds {
		v := row[colI64+int(k)]
		if v.IsNull() {
			continue
		}
		text := ""
		switch k {
		case signed:
			text = fmt.Sprint(v.Int64())
		case unsigned:
			text = fmt.Sprint(v.Uint64())
		case float:
			text = fmt.Sprintf("%x", math.Float64bits(v.Double()))
		default:
			text = fmt.Sprintf("%q", v.ByteArray())
		}
		return line(row[colTime].Int64(), row[colMetric].String(), inst, schema.Columns()[colI64+int(k)][0], text)
	}
	return "no value"
}

// recorded returns the values of an archive, read by a walk of its records, sorted.
func recorded(t *testing.T, path string) (list []string) {
	t.Helper()
	a, err := pmapi.OpenArchive(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var req pmapi.Request
	names := map[pcp.ID]string{}
	a.Walk(t.Context(), "", true, func(name string, id pcp.ID) bool {
		if names[id] == "" {
			names[id] = name
			req.IDs = append(req.IDs, id)
		}
		return true
	})
	descs, _ := a.Describe(t.Context(), req.IDs)
	var res pcp.Result
	for {
		if err := a.Fetch(t.Context(), &req, &res); errors.Is(err, pmerr.EOL) {
			slices.Sort(list)
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		for i := range res.Sets {
			v := &res.Sets[i]
			for j := range v.Insts {
				inst := "-"
				if d := descs[i].Value.InDom; d != pcp.NullInDom {
					insts, _ := pmapi.InstancesOf(t.Context(), a, d, pmapi.At(res.Time))
					inst = fmt.Sprint(v.Insts[j], " <null>")
					for _, in := range insts {
						if in.ID == v.Insts[j] {
							inst = fmt.Sprint(in.ID, " ", in.Name)
						}
					}
				}
				if _, err := pcp.UnpackEvents(v.Value(j)); err == nil {
					continue // of the table of events
				}
				column, text := valueText(v.Value(j))
				if v.Odd != nil && v.Odd[j].Bad {
					column, text = "bytes", fmt.Sprintf("%q", v.Odd[j].Blob)
				}
				list = append(list, line(res.Time.Time().UnixNano(), names[v.ID], inst, column, text))
			}
		}
	}
}

// valueText returns the column of a value, and the value as line has it.
func valueText(v pcp.Value) (column, text string) {
	switch v.Type() {
	case pcp.Int32, pcp.Int64:
		n, _ := v.Int64()
		return "i64", fmt.Sprint(n)
	case pcp.Uint32, pcp.Uint64:
		n, _ := v.Uint64()
		return "u64", fmt.Sprint(n)
	case pcp.Float, pcp.Double:
		f, _ := v.Float64()
		return "f64", fmt.Sprintf("%x", math.Float64bits(f))
	case pcp.String:
		if !utf8.Valid(v.Bytes()) {
			break
		}
		return "text", fmt.Sprintf("%q", v.Bytes())
	}
	return "bytes", fmt.Sprintf("%q", v.Bytes())
}

// TestWrite: the tables have exactly the values of the archives.
func TestWrite(t *testing.T) {
	for _, name := range archivetest.Names() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := archivetest.Path(t, name)
			recs := open(t, path)
			sum, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: name})
			if errors.Is(err, errNoMetrics) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			recs = open(t, path)
			if err := Check(t.Context(), recs, recs, &Config{Dir: dir, Name: name}, &sum); err != nil {
				t.Error(err)
			}
			if sum.Damage != nil {
				t.Skip(sum.Damage)
			}
			got, want := exported(t, sum.Files), recorded(t, path)
			if !slices.Equal(got, want) {
				t.Errorf("%d values, want %d", len(got), len(want))
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("value %d\n got %s\nwant %s", i, got[i], want[i])
					}
				}
			}
			if sum.Values != int64(len(want)) {
				t.Errorf("Summary says %d values of %d", sum.Values, len(want))
			}
			if left, _ := filepath.Glob(filepath.Join(dir, manifestDir, "*", "export-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// filesOf returns the files of a table, in the order of their names.
func filesOf(dir, table string) (list []string) {
	filepath.WalkDir(filepath.Join(dir, table), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	})
	slices.SortFunc(list, func(a, b string) int {
		a, b = filepath.Base(a), filepath.Base(b)
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return list
}

// TestAgain: an archive that is exported again, under another name too, adds nothing. With other metrics it
// replaces what it has written.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	path := archivetest.Path(t, "demo")
	write := func(name string, metrics ...string) Summary {
		recs := open(t, path)
		sum, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: name, Metrics: metrics})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	all := write("demo")
	before := tree(t, dir)
	for _, name := range []string{"demo", "demo-2"} {
		if sum := write(name); sum.Values != 0 || !slices.Equal(tree(t, dir), before) {
			t.Errorf("%s again: %d values, files %q, were %q", name, sum.Values, tree(t, dir), before)
		}
	}
	if disk := write("demo", "disk"); disk.Values == 0 || disk.Values >= all.Values || int64(len(exported(t, filesOf(dir, "values")))) != disk.Values {
		t.Errorf("%d values of %d, and in the files %d", disk.Values, all.Values, len(exported(t, filesOf(dir, "values"))))
	}
	if write("demo"); !slices.Equal(exported(t, filesOf(dir, "values")), recorded(t, path)) {
		t.Error("not the values of the archive")
	}
}

// tree returns the files below a directory.
func tree(t *testing.T, dir string) (list []string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, name)
		}
		return err
	})
	return list
}

// TestFailures: after a failure there are no files.
func TestFailures(t *testing.T) {
	path := archivetest.Path(t, "demo")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		what string
		ctx  context.Context
		cfg  Config
	}{
		{"no such metric", t.Context(), Config{Metrics: []string{"no.such"}}},
		{"interrupted", ended, Config{}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			recs := open(t, path)
			tt.cfg.Dir, tt.cfg.Name = t.TempDir(), "demo"
			if _, err := Write(tt.ctx, recs, recs, &tt.cfg); err == nil {
				t.Error("no error")
			}
			if left := tree(t, tt.cfg.Dir); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestDamage: what precedes the damage is exported, and the table of metrics says why no more is.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	path := archivetest.Path(t, "demo")
	data, err := os.ReadFile(path + ".0")
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0xff
	for i := len(data) / 2; i < len(data)/2+64; i++ {
		data[i] = 0xff
	}
	for _, end := range []string{".meta", ".index"} {
		text, _ := os.ReadFile(path + end)
		os.WriteFile(filepath.Join(dir, "demo"+end), text, 0o666)
	}
	os.WriteFile(filepath.Join(dir, "demo.0"), data, 0o666)
	recs := open(t, filepath.Join(dir, "demo"))
	sum, err := Write(t.Context(), recs, recs, &Config{Dir: filepath.Join(dir, "out"), Name: "demo"})
	if err != nil || sum.Damage == nil || sum.Values == 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "out/metrics/*/demo.parquet"))
	f, err := os.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	pf, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := pf.Lookup("pmtools.incomplete"); text != sum.Damage.Error() {
		t.Errorf("metadata %q, want %q", text, sum.Damage)
	}
	if all := exported(t, sum.Files); int64(len(all)) != sum.Values {
		t.Errorf("%d values, want %d", len(all), sum.Values)
	}
}

// TestCheck: Check finds a table that is of another recording, has fewer rows or more of them, and one that is not there.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := archivetest.Path(t, "demo")
	recs := open(t, path)
	sum, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: "demo", Metrics: []string{"disk.dev.total"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		metric string
		spoil  func() error
		want   string
	}{
		{"disk.dev.total", func() error { return nil }, ""},
		{"disk.dev.read", func() error { return nil }, sum.Files[0] + ": row 1, metric: disk.dev.total, want disk.dev.read"},
		{"disk", func() error { return nil }, sum.Files[0] + ": row 1, metric: disk.dev.total, want disk.dev.read"},
		{"disk.dev.total", func() error { return os.Truncate(sum.Files[0], 100) }, sum.Files[0] + ": "},
		{"disk.dev.total", func() error { return os.Remove(sum.Files[0]) }, sum.Files[0]},
	} {
		if err := tt.spoil(); err != nil {
			t.Fatal(err)
		}
		recs := open(t, path)
		err := Check(t.Context(), recs, recs, &Config{Dir: dir, Name: "demo", Metrics: []string{tt.metric}}, &sum)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %s", tt.metric, err, tt.want)
		}
	}
	for _, tt := range []struct{ wrote, checked, want string }{
		{"disk.dev.read", "disk", "there are fewer rows than the recording has values"},
		{"disk", "disk.dev.read", "there are more rows than the recording has values"},
	} {
		recs, cfg := open(t, path), &Config{Dir: t.TempDir(), Name: "demo", Metrics: []string{tt.wrote}}
		sum, err := Write(t.Context(), recs, recs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Metrics, recs = []string{tt.checked}, open(t, path)
		if err := Check(t.Context(), recs, recs, cfg, &sum); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, read as %s: %v, want %s", tt.wrote, tt.checked, err, tt.want)
		}
	}
}

// TestStretch: the numbers of stretches rise at marks, also if the clock goes back, and records of one time
// are numbered.
func TestStretch(t *testing.T) {
	var s stretch
	at := time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	first := int32(at.Unix() - epoch)
	for i, c := range []struct {
		after    time.Duration
		mark     bool
		seg, nth int32
	}{
		{0, false, first, 0}, {0, false, first, 1}, {0, false, first, 2}, {time.Minute, false, first, 0},
		{90 * time.Second, true, first + 90, 0}, {90 * time.Second, false, first + 90, 1}, {0, true, first + 91, 0},
	} {
		if c.mark {
			s.mark()
		}
		if seg := s.at(at.Add(c.after).UnixNano()); seg != c.seg || s.nth != c.nth {
			t.Errorf("record %d: stretch %d, number %d; want %d, %d", i+1, seg-first, s.nth, c.seg-first, c.nth)
		}
	}
}

// TestPartition: hosts do not leave their directory.
func TestPartition(t *testing.T) {
	for host, want := range map[string]string{
		"web-1.example.com": "web-1.example.com", "": "__HIVE_DEFAULT_PARTITION__", "../x y": "..%2Fx%20y", "a=b%": "a%3Db%25",
		"null": "%6Eull", "NuLL": "%4EuLL", "nullable": "nullable", noValue: "%5F_HIVE_DEFAULT_PARTITION__",
	} {
		if got := partition(host); got != want {
			t.Errorf("partition(%q) = %q, want %q", host, got, want)
		}
		if got, err := partitioned(want); got != host || err != nil {
			t.Errorf("partitioned(%q) = %q, %v, want %q", want, got, err, host)
		}
	}
}
