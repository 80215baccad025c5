package export

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestCatalogCancelled: a catalog of which not all files were read is none.
func TestCatalogCancelled(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	recs := open(t, filepath.Join(dir, "demo"))
	if _, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: "demo"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 { // a file that was read may still come
		if _, err := (&Tables{Store: Dir(dir)}).Catalog(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// TestCatalog: a table of metrics says of each what the archive says.
func TestCatalog(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"demo", "units", "alltypes"} {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
		recs := open(t, filepath.Join(dir, name))
		out := filepath.Join(dir, "out", name)
		if _, err := Write(t.Context(), recs, recs, &Config{Dir: out, Name: name}); err != nil {
			t.Fatal(err)
		}
		c, err := catalogOf(t, out)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = c.Walk(t.Context(), "", true, func(leaf string, id pcp.ID) bool {
			n++
			got, err := c.Describe(t.Context(), []pcp.ID{id})
			if err != nil || got[0].Err != nil {
				t.Fatal(leaf, err, got)
			}
			ids, err := recs.Lookup(t.Context(), []string{leaf})
			if err != nil {
				t.Fatal(err)
			}
			want, err := recs.Describe(t.Context(), []pcp.ID{ids[0].Value})
			if err != nil {
				t.Fatal(err)
			}
			d := want[0].Value
			if got[0].Value.Units.String() != d.Units.String() { // scales of dimensions that are 0 have no text
				t.Errorf("%s: %s, want %s", leaf, got[0].Value.Units, d.Units)
			}
			if d.ID, d.Units = id, got[0].Value.Units; got[0].Value != d {
				t.Errorf("%s: %v, want %v", leaf, got[0].Value, d)
			}
			return true
		})
		if err != nil || n == 0 {
			t.Error(n, err)
		}
		if _, err := c.Describe(t.Context(), []pcp.ID{pcp.NullID}); err != nil {
			t.Error(err)
		}
		if err := c.Fetch(t.Context(), &pmapi.Request{}, new(pcp.Result)); !errors.Is(err, pmerr.NoContext) {
			t.Error(err)
		}
	}
}

// TestCatalogErrors: files that are not tables of metrics are errors.
func TestCatalogErrors(t *testing.T) {
	for _, c := range []struct {
		rows []any // the tables
		want string
	}{
		{nil, "no table of metrics"},
		{[]any{[]instanceRow{{}}}, "no column metric"},
		{[]any{"no Parquet"}, ".parquet"},
	} {
		dir := t.TempDir()
		for i, rows := range c.rows {
			file := filepath.Join(dir, "metrics", "host="+string(rune('a'+i)), "x.parquet")
			var err error
			switch rows := rows.(type) {
			case []instanceRow:
				err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), parquet.WriteFile(file, rows))
			case string:
				err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(rows), 0o666))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := catalogOf(t, dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.rows, err, c.want)
		}
	}
}

// TestMissing: metrics that a record has without values are rows of a table of their own.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "ta"); err != nil {
		t.Fatal(err)
	}
	recs := open(t, filepath.Join(dir, "ta"))
	if _, err := Write(t.Context(), recs, recs, &Config{Dir: dir, Name: "ta"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "missing", "host=*", "ta-*.parquet"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	rows, err := parquet.ReadFile[missingRow](files[0])
	if err != nil {
		t.Fatal(err)
	}
	// Record 2 has an error for t.a, and record 4 has no values; t.s has an error in record 1.
	want := []missingRow{
		{Time: 1000000001_000000000, Metric: "t.s", Error: int32(pmerr.Value)},
		{Time: 1000000002_000000000, Metric: "t.a", Error: int32(pmerr.Again)},
		{Time: 1000000004_000000000, Metric: "t.a"},
	}
	if len(rows) != len(want) {
		t.Fatal(rows)
	}
	for i, row := range rows {
		if row.Seg = 0; row != want[i] {
			t.Errorf("row %d: %v, want %v", i, row, want[i])
		}
	}
}
