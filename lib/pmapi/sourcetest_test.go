package pmapi_test

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmapi/sourcetest"
)

// open opens archives that archivetest makes, one or several as a set.
func open(t *testing.T, names ...string) *pmapi.Archive {
	t.Helper()
	dir := t.TempDir()
	list := ""
	for i, name := range names {
		if err := archivetest.Build(dir, name); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			list += ","
		}
		list += filepath.Join(dir, name)
	}
	a, err := pmapi.OpenArchive(t.Context(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestConformance runs the kit over archives of all traits.
func TestConformance(t *testing.T) {
	for _, names := range [][]string{
		{"ta"}, {"ta_v2"}, {"sample"}, {"sample_v2"}, {"derived"}, {"alltypes"}, {"alltypes_v2"}, {"events"}, {"events_v2"},
		{"oldfloat"}, {"indoms"}, {"indoms_v2"}, {"labels"}, {"labels_v2"}, {"domains"}, {"volumes"}, {"volumes_v2"},
		{"gaps"}, {"marks"}, {"noindex"}, {"interp"}, {"demo"}, {"names"}, {"names_v2"}, {"setA", "setB"}, {"setB_v2", "setA"},
	} {
		t.Run(names[len(names)-1], func(t *testing.T) {
			sourcetest.Run(t, func(t *testing.T) pmapi.Source { return open(t, names...) })
		})
	}
}

// TestOverSet reads files that are opened once with an Archive for each of many goroutines.
func TestOverSet(t *testing.T) {
	set := open(t, "setA", "setB").Set()
	sourcetest.Run(t, func(t *testing.T) pmapi.Source { return pmapi.OverSet(set) })
	read := func() (times []pcp.Timestamp) {
		a := pmapi.OverSet(set)
		defer a.Close()
		var res pcp.Result
		for a.Fetch(t.Context(), &pmapi.Request{}, &res) == nil {
			times = append(times, res.Time)
		}
		return times
	}
	want := read()
	if len(want) < 5 {
		t.Fatalf("%d records", len(want))
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got := read(); !slices.Equal(got, want) {
				t.Errorf("the times are %v, want %v", got, want)
			}
		})
	}
	all.Wait()
}
