package export

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// wideLines returns the values in wide tables: time, name of the column, type and value.
func wideLines(t *testing.T, files []string) (list []string) {
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
		columns := pf.Schema().Columns()
		for _, g := range pf.RowGroups() {
			rows := make([]parquet.Row, g.NumRows())
			r := g.Rows()
			if n, _ := r.ReadRows(rows); int64(n) != g.NumRows() {
				t.Fatalf("%s: %d of %d rows", file, n, g.NumRows())
			}
			for _, row := range rows {
				for i, v := range row[wideFirst:] {
					if v.IsNull() {
						continue
					}
					name := columns[wideFirst+i][0]
					leaf, _ := pf.Schema().Lookup(name)
					list = append(list, fmt.Sprint(row[wideTime].Int64(), " ", name, " ", cellText(leaf.Node, v)))
				}
			}
			r.Close()
		}
	}
	slices.Sort(list)
	return list
}

// cellText returns the type and the value of a cell.
func cellText(n parquet.Node, v parquet.Value) string {
	logical := n.Type().LogicalType()
	switch {
	case v.Kind() == parquet.Double:
		return fmt.Sprintf("f64=%x", math.Float64bits(v.Double()))
	case v.Kind() == parquet.ByteArray && logical != nil:
		return fmt.Sprintf("text=%q", v.ByteArray())
	case v.Kind() == parquet.ByteArray:
		return fmt.Sprintf("bytes=%q", v.ByteArray())
	case logical != nil && strings.Contains(n.Type().String(), "false"):
		return fmt.Sprint("u64=", v.Uint64())
	}
	return fmt.Sprint("i64=", v.Int64())
}

// TestWide: a wide table has exactly the values of the archives, each in the column of its instance.
func TestWide(t *testing.T) {
	parts := regexp.MustCompile(`(?s)^(\d+) (\S+) (?:-|(-?\d+) (.*)) ((?:i64|u64|f64|text|bytes)=.*)$`)
	tables := 0
	for _, name := range archivetest.Names() {
		path := archivetest.Path(t, name)
		cfg := &Config{Dir: t.TempDir(), Name: name, Partition: Partition{NoDate: true}}
		recs := open(t, path)
		w, err := Columns(t.Context(), recs, recs, cfg)
		if err != nil {
			continue // no metrics
		}
		recs = open(t, path)
		sum, err := w.Write(t.Context(), recs, recs, cfg)
		if err != nil && strings.Contains(err.Error(), "without --wide") || sum.Damage != nil {
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want []string
		for _, line := range recorded(t, path) {
			m := parts.FindStringSubmatch(line)
			column := m[2]
			switch {
			case m[4] == "<null>":
				column += "[" + m[3] + "]"
			case m[3] != "":
				column += "[" + m[4] + "]"
			}
			want = append(want, m[1]+" "+column+" "+m[5])
		}
		slices.Sort(want)
		if got := wideLines(t, sum.Files); !slices.Equal(got, want) || len(sum.Files) > 1 {
			t.Errorf("%s: %d files, %d values, want %d", name, len(sum.Files), len(got), len(want))
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("value %d\n got %s\nwant %s", i, got[i], want[i])
				}
			}
		}
		tables++
	}
	if tables < 10 {
		t.Errorf("only %d archives have wide tables", tables)
	}
}

// TestWideMistakes: values that a wide table cannot hold are errors that say what to do instead.
func TestWideMistakes(t *testing.T) {
	for _, tt := range []struct {
		what  string
		insts []string
		blob  []byte
		want  string
	}{
		{"two instances of one name", []string{"x", "x"}, []byte("a"), `a.b has two instances that are called "x" at 2023-11-14 22:13:20 UTC: export without --wide`},
		{"not UTF-8", []string{"x", "y"}, []byte{0xff}, "a.b[x] has a value that does not fit the type of its column: export without --wide"},
		{"too many columns", make([]string, MaxColumns+1), []byte("a"), "at most 10000 columns of values: choose fewer metrics, or export without --wide"},
	} {
		base := t.TempDir() + "/odd"
		a, err := archive.Create(base, nil)
		if err != nil {
			t.Fatal(err)
		}
		id, d, at := pcp.NewID(60, 0, 1), pcp.InDom(60<<22|1), pcp.Timestamp{Sec: 1700000000}
		v := pcp.Values{ID: id, Type: pcp.String}
		var insts []pcp.Instance
		for i, name := range tt.insts {
			if name == "" {
				name = fmt.Sprint(i)
			}
			insts = append(insts, pcp.Instance{ID: int32(i), Name: name})
			v.Insts, v.Blobs = append(v.Insts, int32(i)), append(v.Blobs, tt.blob)
		}
		for _, err := range []error{
			a.AddMetric(pcp.Desc{ID: id, Type: pcp.String, InDom: d}, "a.b"), a.SetInDom(at, d, insts),
			a.Put(&pcp.Result{Time: at, Sets: []pcp.Values{v}}), a.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		cfg := &Config{Dir: base + ".out", Name: "odd"}
		recs := open(t, base)
		w, err := Columns(t.Context(), recs, recs, cfg)
		if err == nil {
			recs = open(t, base)
			_, err = w.Write(t.Context(), recs, recs, cfg)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.what, err, tt.want)
		}
		if left := tree(t, cfg.Dir); left != nil {
			t.Errorf("%s: left behind: %v", tt.what, left)
		}
	}
}

// TestWideAgain: an archive that has grown gets another file with the new records, beside the long tables.
func TestWideAgain(t *testing.T) {
	base, dir := filepath.Join(t.TempDir(), "grows"), t.TempDir()
	l := newLogger(t, base)
	cfg := &Config{Dir: dir, Name: "grows", Partition: Partition{NoDate: true}}
	write := func() []string {
		t.Helper()
		recs := open(t, base)
		w, err := Columns(t.Context(), recs, recs, cfg)
		l.must(err)
		recs = open(t, base)
		sum, err := w.Write(t.Context(), recs, recs, cfg)
		l.must(err)
		recs = open(t, base)
		_, err = Write(t.Context(), recs, recs, cfg)
		l.must(err)
		return sum.Files
	}
	var times []string
	for i, want := range []string{"grows.parquet", "", "grows-0001.parquet", "grows-0002.parquet"} {
		if i != 1 {
			l.put(3)
		}
		files := write()
		if want == "" && len(files) > 0 || want != "" && (len(files) != 1 || filepath.Base(files[0]) != want) {
			t.Errorf("files %q, want %s", files, want)
		}
		for _, line := range wideLines(t, files) {
			if strings.Contains(line, " a.text ") {
				at, _, _ := strings.Cut(line, " ")
				times = append(times, at)
			}
		}
	}
	l.must(l.w.Close())
	if n := len(slices.Compact(slices.Sorted(slices.Values(times)))); n != 9 || len(times) != 9 {
		t.Errorf("%d rows of %d times, want 9", len(times), n)
	}
	if got := exported(t, filesOf(dir, "values")); !slices.Equal(got, recorded(t, base)) {
		t.Errorf("long tables have %d values", len(got))
	}
}

// TestWideOthers: a table with other columns takes the place of the one before.
func TestWideOthers(t *testing.T) {
	dir, base := t.TempDir(), archivetest.Path(t, "demo")
	for _, metric := range []string{"disk.dev", "mem", "mem"} {
		cfg := &Config{Dir: dir, Name: "demo", Metrics: []string{metric}, Partition: Partition{NoDate: true}}
		recs := open(t, base)
		w, err := Columns(t.Context(), recs, recs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		recs = open(t, base)
		if _, err := w.Write(t.Context(), recs, recs, cfg); err != nil {
			t.Fatal(err)
		}
		if got := tree(t, dir+"/wide/host=demo"); len(got) != 1 || got[0] != "demo.parquet" {
			t.Errorf("%s: %q", metric, got)
		}
	}
}
