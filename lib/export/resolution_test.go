package export

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

func micros(c *Config) { c.Micros = true }

// lines returns rows of values in files, with times in microseconds and decimals as unsigned integers.
func lines(t *testing.T, files []string) (list []string) {
	t.Helper()
	for _, file := range files {
		f, table, err := openTable(t.Context(), Dir(""), file)
		if err != nil {
			t.Fatal(err)
		}
		us := parquet.EqualNodes(table.Schema(), place{micros: true}.schema(valueRow{}))
		convert := place{micros: true}.conversions(valueRow{})
		for _, g := range table.RowGroups() {
			rows := make([]parquet.Row, g.NumRows())
			r := g.Rows()
			if n, _ := r.ReadRows(rows); n != len(rows) {
				t.Fatalf("%s: %d of %d rows", file, n, len(rows))
			}
			for _, row := range rows {
				for k, c := range convert {
					if us {
						row[k] = c.back(row[k])
					}
				}
				row[colTime] = parquet.Int64Value(floor(row[colTime].Int64(), 1000))
				list = append(list, fmt.Sprintf("%+v", row))
			}
			r.Close()
		}
		f.Close()
	}
	slices.Sort(list)
	return list
}

// TestMicros: tables of microseconds have the values of those of nanoseconds, before and after they are compacted.
func TestMicros(t *testing.T) {
	for _, name := range []string{"demo", "alltypes", "odd", "events", "labels", "wraps"} {
		if !slices.Contains(archivetest.Names(), name) {
			continue
		}
		path := archivetest.Path(t, name)
		for _, by := range []Partition{{}, {NoHost: true, NoDate: true}} {
			nano, dir := t.TempDir(), t.TempDir()
			if err := writeTo(t, nano, path, func(c *Config) { c.Partition = by }); err != nil {
				t.Fatal(err)
			}
			cfg := &Config{Dir: dir, Name: name, Partition: by, Micros: true}
			recs, again := open(t, path), open(t, path)
			sum, err := Write(t.Context(), recs, recs, cfg)
			if err == nil {
				err = Check(t.Context(), again, again, cfg, &sum)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if want := lines(t, filesOf(nano, "values")); !by.NoHost && !slices.Equal(lines(t, filesOf(dir, "values")), want) {
				t.Errorf("%s: other values than in nanoseconds", name)
			}
			before := exported(t, filesOf(dir, "values"))
			compact(t, dir)
			if after := exported(t, filesOf(dir, "values")); !slices.Equal(after, before) {
				t.Errorf("%s: %d values after compaction, were %d", name, len(after), len(before))
			}
			if err := writeTo(t, dir, path, func(c *Config) { c.Partition = by; c.Micros = true }); err != nil {
				t.Error(err)
			}
			c, err := catalogOf(t, dir)
			if err != nil || !c.Micros {
				t.Errorf("%s: the catalog does not know of microseconds: %v", name, err)
			}
			if got, us, err := (&Tables{Store: Dir(dir)}).Layout(t.Context()); err != nil || !us || got != by && len(before) > 0 {
				t.Errorf("%s: the layout is %v, %v, %v", name, got, us, err)
			}
		}
	}
}

// within writes an archive whose records are n nanoseconds apart.
func within(t *testing.T, n int32, values ...uint64) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "within")
	w, err := archive.Create(base, &archive.WriterOptions{Host: "h"})
	l := &logger{t: t, w: w}
	l.must(err)
	id := pcp.NewID(60, 0, 1)
	l.must(w.AddMetric(pcp.Desc{ID: id, Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter}, "a.count"))
	for i, v := range values {
		at := pcp.Timestamp{Sec: 1700000000, Nsec: int32(i) * n}
		l.must(w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{{ID: id, Type: pcp.Uint64, Insts: []int32{pcp.NullInst}, Words: []uint64{v}}}}))
	}
	l.must(w.Close())
	return base
}

// TestMicrosApart: records of one microsecond are numbered, also where an export goes on in the middle of it.
func TestMicrosApart(t *testing.T) {
	const most = 1<<64 - 1
	want := map[string]bool{}
	for i, v := range []uint64{most, 1, 2, 1 << 63, 4, 5} {
		want[fmt.Sprintf("%d %d %d", int64(1700000000)*1000000+int64(i*300/1000), []int{0, 1, 2, 3, 0, 1}[i], v)] = true
	}
	dir := t.TempDir()
	for _, values := range [][]uint64{{most, 1}, {most, 1, 2, 1 << 63, 4, 5}} {
		if err := writeTo(t, dir, within(t, 300, values...), micros); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		found := 0
		for _, file := range filesOf(dir, "values") {
			f, table, err := openTable(t.Context(), Dir(""), file)
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]parquet.Row, table.NumRows())
			r := table.RowGroups()[0].Rows()
			n, _ := r.ReadRows(rows)
			for _, row := range rows[:n] {
				found++
				if key := fmt.Sprintf("%d %d %d", row[colTime].Int64(), row[colRecord].Int32(), toDecimal.back(row[colI64+int(unsigned)]).Uint64()); !want[key] {
					t.Errorf("%s: there should not be %s", file, key)
				}
			}
			r.Close()
			f.Close()
		}
		if found != len(want) {
			t.Errorf("%d rows, want %d", found, len(want))
		}
		compact(t, dir)
	}
}

// TestResolution: an export with another resolution is an error that says what to do, for the same host and for others, and a directory
// in which nothing is exported has none.
func TestResolution(t *testing.T) {
	demo, other := archivetest.Path(t, "demo"), archivetest.Path(t, "labels")
	plain := func(*Config) {}
	for _, tt := range []struct {
		what          string
		first, second func(*Config)
		then          string // the archive of the second export
		want          string
	}{
		{"the same host", plain, micros, demo, "the times of its tables are nanoseconds (without --us), those of this export microseconds (--us): leave out --us, or export into another directory"},
		{"another host", plain, micros, other, "leave out --us, or export into another directory"},
		{"back", micros, plain, demo, "the times of its tables are microseconds (--us), those of this export nanoseconds (without --us): add --us, or export into another directory"},
		{"another host back", micros, plain, other, "add --us, or export into another directory"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			for _, head := range []bool{true, false} { // a directory from before there was a file for all
				dir := t.TempDir()
				if err := writeTo(t, dir, demo, tt.first); err != nil {
					t.Fatal(err)
				}
				if !head {
					if err := os.Remove(filepath.Join(dir, manifestDir, manifestFile)); err != nil {
						t.Fatal(err)
					}
				}
				before := tree(t, dir)
				if err := writeTo(t, dir, tt.then, tt.second); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir+": ") {
					t.Errorf("%v, want %s", err, tt.want)
				}
				if after := tree(t, dir); !slices.Equal(after, before) {
					t.Errorf("files %q, were %q", after, before)
				}
				if err := writeTo(t, dir, tt.then, tt.first); err != nil {
					t.Error(err)
				}
			}
		})
	}
	dir := t.TempDir()
	if err := writeTo(t, dir, demo, func(c *Config) { c.Metrics = []string{"none.such"} }); err == nil {
		t.Fatal("an export of a metric that is not there")
	}
	if err := os.MkdirAll(filepath.Join(dir, manifestDir), 0o777); err != nil {
		t.Fatal(err)
	}
	head := filepath.Join(dir, manifestDir, manifestFile)
	for text, want := range map[string]string{`{"version": 2}`: "", `{"version": 9}`: "has version 9", `{`: "the manifest is damaged"} {
		if err := os.WriteFile(head, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		switch err := writeTo(t, dir, demo, micros); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err := os.RemoveAll(filepath.Join(dir, manifestDir, "host=demo")); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"values", "metrics", "records", "instances", "labels", "missing"} {
			os.RemoveAll(filepath.Join(dir, table))
		}
	}
}

// back returns the value that was converted, without what was lost.
func (c conversion) back(v parquet.Value) parquet.Value {
	switch {
	case v.IsNull():
		return v
	case c == toMicros:
		return parquet.Int64Value(v.Int64()*1000).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	case c == toDecimal:
		n := uint64(0)
		for _, b := range v.ByteArray() {
			n = n<<8 | uint64(b)
		}
		return parquet.Int64Value(int64(n)).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	}
	return v
}
