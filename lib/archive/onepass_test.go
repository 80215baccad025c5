package archive_test

import (
	"path/filepath"
	"testing"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// counted opens an archive and counts the records that are looked at.
func counted(t *testing.T, base string) (*archive.Set, *int) {
	t.Helper()
	n := new(int)
	see := func(bool, int32, int64, int64, pcp.Timestamp) { *n++ }
	s, err := archive.Open(bg, base, &archive.Options{Observer: archive.Observer{Record: see}})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s, n
}

// metrics returns all metrics of a Set.
func metrics(t *testing.T, s *archive.Set) (ids []pcp.ID) {
	t.Helper()
	must(t, s.Walk("", func(_ string, id pcp.ID) bool { ids = append(ids, id); return true }))
	return ids
}

// TestOnePass shows the first value of each of 2,000 metrics, one after the other as pminfo does,
// which are spread over all records: these are read once to find them, and once more at most for
// each metric.
func TestOnePass(t *testing.T) {
	const records = 2000
	dir := t.TempDir()
	must(t, archivetest.BuildSparse(dir, "sparse", records))
	s, n := counted(t, filepath.Join(dir, "sparse"))
	ids, start := metrics(t, s), s.Label().Start
	c := s.Cursor()
	var r pcp.Result
	for _, id := range ids {
		must(t, c.SetMode(pcp.Forward, &start, 0))
		must(t, c.Fetch(bg, []pcp.ID{id}, nil, &r))
		if r.Sets[0].Len() != 1 {
			t.Fatalf("%v: %d values", id, r.Sets[0].Len())
		}
	}
	if most := records + len(ids); *n > most {
		t.Errorf("%d records were read, at most %d are needed", *n, most)
	}
}

// TestOnePassInterp interpolates 100 metrics at a time between the records of an archive: each is
// read a few times, however many metrics there are.
func TestOnePassInterp(t *testing.T) {
	const records = 500
	dir := t.TempDir()
	must(t, archivetest.BuildWide(dir, "wide", 100, records))
	s, n := counted(t, filepath.Join(dir, "wide"))
	ids := metrics(t, s)
	for _, count := range []int{1, len(ids)} {
		*n = 0
		c := s.Cursor()
		must(t, c.SetMode(pcp.Interp, nil, 1500*time.Millisecond))
		var r pcp.Result
		fetches := 0
		for c.Fetch(bg, ids[:count], nil, &r) == nil {
			fetches++
		}
		if *n > 8*records || fetches < records/2 {
			t.Errorf("%d metrics: %d records were read for %d of an archive, %d fetches", count, *n, records, fetches)
		}
		t.Logf("%d metrics: %.1f reads of each record", count, float64(*n)/records)
	}
}
