package export

import (
	"path/filepath"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
)

// BenchmarkWrite exports an archive of 17 MB.
func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	if err := archivetest.BuildBig(dir, "big", 500); err != nil {
		b.Fatal(err)
	}
	values := int64(0)
	for b.Loop() {
		a, err := pmapi.OpenArchive(b.Context(), filepath.Join(dir, "big"), nil)
		if err != nil {
			b.Fatal(err)
		}
		recs, err := NewRecords(a)
		if err != nil {
			b.Fatal(err)
		}
		sum, err := Write(b.Context(), recs, recs, &Config{Dir: b.TempDir(), Name: "big"})
		if err != nil {
			b.Fatal(err)
		}
		values += sum.Values
		a.Close()
	}
	b.ReportMetric(float64(values)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}
