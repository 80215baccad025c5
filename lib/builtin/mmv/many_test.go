package mmv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/mmv/mmvtest"
	"pmtools/lib/pcp"
)

// many writes n files without a cluster of their own.
func many(tb testing.TB, dir string, n int) {
	tb.Helper()
	s := mmvtest.Demo()
	s.Cluster = 0
	b := mmvtest.Build(s)
	first := filepath.Join(dir, "first")
	if err := os.WriteFile(first, b, 0o666); err != nil {
		tb.Fatal(err)
	}
	for i := range n - 1 {
		name := filepath.Join(dir, fmt.Sprintf("f%05d", i))
		if os.Link(first, name) == nil { // a hard link is quicker where it works
			continue
		}
		if err := os.WriteFile(name, b, 0o666); err != nil {
			tb.Fatal(err)
		}
	}
}

// TestManyFiles reads no more files than any user may make others read, and gives as many of them a
// cluster of their own as there are clusters.
func TestManyFiles(t *testing.T) {
	w := newWorld(t)
	many(t, w.dir, maxFiles+1)
	if err := w.Check(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	logged := strings.Contains(strings.Join(w.log, "\n"), fmt.Sprintf("%d files, of which only %d are read", maxFiles+1, maxFiles))
	if len(w.files) != maxFiles || len(w.clusters) != 1<<11-1 || !logged {
		t.Errorf("%d files, %d clusters, logged %t", len(w.files), len(w.clusters), logged)
	}
}

// BenchmarkMany reads all files and walks through their names. The time for each file does not
// depend on how many there are.
func BenchmarkMany(b *testing.B) {
	for _, n := range []int{500, 1000, 2000, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, ctx := b.TempDir(), context.Background()
			many(b, dir, n)
			for b.Loop() {
				p, err := New(&Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				c := p.(*collector)
				if err := c.Check(ctx, nil); err != nil {
					b.Fatal(err)
				}
				names, err := c.Leaves(ctx, nil, "mmv")
				if err != nil || len(names) < n {
					b.Fatal(len(names), err)
				}
				if _, err := c.Labels(ctx, nil, pcp.ItemLabels, uint32(c.byName[names[0]])); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/file")
		})
	}
}
