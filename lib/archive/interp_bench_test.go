package archive_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// metricsOf returns the first so many metrics of s in the order of their identifiers.
func metricsOf(t testing.TB, s *archive.Set, prefix string, n int) []pcp.ID {
	t.Helper()
	var ids []pcp.ID
	for i := range n {
		id, err := s.Lookup(fmt.Sprintf(prefix, i))
		must(t, err)
		ids = append(ids, id)
	}
	return ids
}

// run interpolates from the start to the end, and returns the number of results and of values.
func run(t testing.TB, c *archive.Cursor, ids []pcp.ID, dst *pcp.Result, step time.Duration) (results, values int) {
	t.Helper()
	start := seconds(0)
	must(t, c.SetMode(pcp.Interp, &start, step))
	for c.Fetch(bg, ids, nil, dst) == nil {
		results++
		for i := range dst.Sets {
			values += dst.Sets[i].Len()
		}
	}
	return results, values
}

// BenchmarkInterp runs over archives of one, four and sixteen times the length.
func BenchmarkInterp(b *testing.B) {
	for _, scale := range []int{1, 4, 16} {
		dir := b.TempDir()
		must(b, archivetest.BuildSparse(dir, "sparse", 1250*scale), archivetest.BuildBig(dir, "big", 100*scale))
		sparse, big := open(b, filepath.Join(dir, "sparse")), open(b, filepath.Join(dir, "big"))
		cases := []struct {
			name string
			set  *archive.Set
			ids  []pcp.ID
			step time.Duration
		}{
			{"big", big, metricsOf(b, big, "big.c%02d", 1), 10 * time.Second},
			{"big-long-steps", big, metricsOf(b, big, "big.c%02d", 1), 60 * time.Second},
			{"sparse-1", sparse, metricsOf(b, sparse, "sparse.m%04d", 1999)[1998:], 10 * time.Second},
			{"sparse-2000", sparse, metricsOf(b, sparse, "sparse.m%04d", 2000), 10 * time.Second},
		}
		for _, bc := range cases {
			b.Run(fmt.Sprintf("%s/%d", bc.name, scale), func(b *testing.B) {
				c := bc.set.Cursor()
				var dst pcp.Result
				results := 0
				b.ReportAllocs()
				for b.Loop() {
					results, _ = run(b, c, bc.ids, &dst, bc.step)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*results), "ns/result")
			})
		}
	}
}
