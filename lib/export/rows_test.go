package export

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// TestHosted: without the partition host each row has its host in a column, and each file has it
// in its metadata in any case. The tables are read back by Check.
func TestHosted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"demo", "events"} {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"host,date", "date", "none"} {
			p, err := ParsePartition(by)
			if err != nil {
				t.Fatal(err)
			}
			cfg := &Config{Dir: filepath.Join(dir, "tables-"+name, by), Name: name, Partition: p}
			recs := open(t, filepath.Join(dir, name))
			sum, err := Write(t.Context(), recs, recs, cfg)
			if err != nil {
				t.Fatal(err)
			}
			again := open(t, filepath.Join(dir, name))
			if err := Check(t.Context(), again, again, cfg, &sum); err != nil {
				t.Errorf("%s, %s: %v", name, by, err)
			}
			if got, us, err := (&Tables{Store: Dir(cfg.Dir)}).Layout(t.Context()); name == "demo" && got != p || us || err != nil {
				t.Errorf("%s: the partition is %v, want %v; %v", by, got, p, err)
			}
			host, _ := pmapi.HostName(t.Context(), recs)
			hasHosts(t, cfg.Dir, host, p.NoHost)
		}
	}
}

func hasHosts(t *testing.T, dir, host string, column bool) {
	for _, table := range []string{"values", "metrics", "instances", "labels", "missing", "events"} {
		var files []string
		for _, below := range []string{"", "*", "*/*"} {
			found, err := filepath.Glob(filepath.Join(dir, table, below, "*.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
		rows := 0
		for _, name := range files {
			f, p, err := openTable(t.Context(), Dir(""), name)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := p.Lookup("pmtools.host"); got != host {
				t.Errorf("%s: the metadata have the host %q", name, got)
			}
			if got, _ := p.Lookup("pmtools.schema"); got != "2" {
				t.Errorf("%s: the metadata have the version %q", name, got)
			}
			rows += hostRows(t, name, p, host, column)
			f.Close()
		}
		if table == "metrics" && rows == 0 {
			t.Errorf("%s/%s has no rows", dir, table)
		}
	}
}

// hostRows returns the number of rows, each of which has the host if there is a column.
func hostRows(t *testing.T, name string, p *parquet.File, host string, column bool) int {
	leaf, ok := p.Schema().Lookup("host")
	if ok != column {
		t.Fatalf("%s: there is a column: %v", name, ok)
	}
	all, err := parquet.ReadFile[struct {
		Host string `parquet:"host"`
	}](name)
	if err != nil && column {
		t.Fatal(name, err)
	}
	for _, row := range all {
		if column && row.Host != host {
			t.Fatalf("%s: column %d has the host %q", name, leaf.ColumnIndex, row.Host)
		}
	}
	return int(p.NumRows())
}

// TestPaths: each file names the columns of its chunks, by which Spark finds them.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildMixedHost(dir, "mixed", 0); err != nil { // until after midnight
		t.Fatal(err)
	}
	for _, wide := range []bool{false, true} {
		job := &Job{Config: &Config{Dir: filepath.Join(dir, "out"), Name: "mixed"}, Wide: wide, Open: func(context.Context) (pmapi.Source, *Records, error) {
			recs := open(t, filepath.Join(dir, "mixed"))
			return recs, recs, nil
		}}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "out", "*", "host=*", "*", "*.parquet"))
	if err != nil || len(files) != 4 { // values and wide
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, table, err := openTable(t.Context(), Dir(""), name)
		if err != nil {
			t.Fatal(err)
		}
		columns := table.Schema().Columns()
		for _, group := range table.Metadata().RowGroups {
			for i, column := range group.Columns {
				if !slices.Equal(column.MetaData.PathInSchema, columns[i]) {
					t.Errorf("%s: column %d has the path %q, want %q", name, i, column.MetaData.PathInSchema, columns[i])
				}
			}
		}
		f.Close()
	}
}
