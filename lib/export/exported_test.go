package export

import (
	"os"
	"path/filepath"
	"testing"
)

// catalogOf returns the catalog of the tables in a directory, or of a file.
func catalogOf(t *testing.T, path string, names ...string) (*Fleet, error) {
	t.Helper()
	tables := &Tables{Store: Dir(path)}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		tables = &Tables{Store: Dir(filepath.Dir(path)), File: filepath.Base(path)}
	}
	return tables.Catalog(t.Context(), names...)
}

// TestTablesOf finds the tables of which a table of metrics is a part.
func TestTablesOf(t *testing.T) {
	for catalog, want := range map[string]string{
		"": "export", "out": "out", "s3://b": "s3://b", "s3://b/p": "s3://b/p",
		"s3://metrics/pcp": "s3://metrics/pcp", "s3://metrics/pcp/metrics/a.parquet": "s3://metrics/pcp", "s3://metrics/pcp/": "s3://metrics/pcp/",
		filepath.Join("metrics", "pcp"):     filepath.Join("metrics", "pcp"),
		"s3://b/p/metrics/host=h/a.parquet": "s3://b/p", "s3://b/metrics/h-a.parquet": "s3://b",
		filepath.Join("out", "metrics", "host=h", "a.parquet"): "out", filepath.Join("x", "out", "metrics", "h-a.parquet"): filepath.Join("x", "out"),
	} {
		if got := TablesOf(catalog); got != want {
			t.Errorf("%s: %s, want %s", catalog, got, want)
		}
	}
}
