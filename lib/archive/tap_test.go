package archive_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestTap: all records and marks are heard, whatever is read of them, at places that rise.
func TestTap(t *testing.T) {
	for _, name := range []string{"marks", "volumes", "marks_v2"} {
		s := open(t, archivetest.Path(t, name))
		var all []archive.Raw
		c := s.Cursor()
		c.Tap(func(r *archive.Raw) {
			all = append(all, archive.Raw{Time: r.Time, Place: r.Place, Body: bytes.Clone(r.Body)})
		})
		var err error
		for err == nil {
			err = c.Skip(bg)
		}
		if !errors.Is(err, pmerr.EOL) {
			t.Fatal(err)
		}
		next, n := s.Cursor(), 0
		for dst := (pcp.Result{}); ; n++ {
			if err := next.Next(bg, &dst); err != nil {
				break
			}
			if n >= len(all) || all[n].Time != dst.Time || (all[n].Body == nil) != (len(dst.Sets) == 0) {
				t.Fatalf("%s: record %d at %v was not heard so", name, n, dst.Time)
			}
		}
		if n != len(all) || n == 0 || !slices.IsSortedFunc(all, func(a, b archive.Raw) int { return a.Place.Compare(b.Place) }) {
			t.Errorf("%s: %d of %d records were heard, or not in order", name, len(all), n)
		}
		if m := s.Members(); len(m) != 1 || m[0].Label != s.Label() {
			t.Errorf("members %+v", m)
		}
		if err := c.SetMode(pcp.Interp, nil, 1); err != nil || !errors.Is(c.Skip(bg), pmerr.Mode) {
			t.Errorf("a record of the mode Interp is skipped, %v", err)
		}
	}
}
