package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Helpers of several tests of the reader.

// bg is a context without an end.
var bg = context.Background()

// raw is an archive as bytes, to be damaged before it is written to files.
type raw struct{ meta, index, data []byte }

// rawLabel returns the label of the archive of newRaw for one of its files.
func rawLabel(version int, volume int32) []byte {
	return archive.AppendLabel(nil, &archive.Label{
		Version: version, PID: 4242, Start: seconds(0), Volume: volume, Host: "specbox", Zone: "UTC",
	})
}

// newRaw returns an archive of the metric mini.x with five records that hold 0 to 4, ten seconds
// apart. Its index points to the first, the third and the last one (archive.md A10).
func newRaw(version int) *raw {
	r := &raw{meta: rawLabel(version, -1), index: rawLabel(version, -2), data: rawLabel(version, 0)}
	r.meta = archive.AppendDesc(r.meta, miniDesc, "mini.x")
	for i := range 5 {
		t := seconds(int64(10 * i))
		if i%2 == 0 {
			r.index = archive.AppendIndexEntry(r.index, version, t, 0, int64(len(r.meta)), int64(len(r.data)))
		}
		rec, err := archive.AppendRecord(nil, version, mini(t, int32(i)))
		if err != nil {
			panic(err)
		}
		r.data = append(r.data, rec...)
	}
	return r
}

// memory returns the files of an archive called f.
func (r *raw) memory() fs.FS {
	return memory{"f": {"meta": r.meta, "index": r.index, "0": r.data}}.FS("f")
}

// write makes files of r; a nil file is left out. It returns the base name.
func (r *raw) write(t testing.TB) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "raw")
	for suffix, b := range map[string][]byte{".meta": r.meta, ".index": r.index, ".0": r.data} {
		if b != nil {
			must(t, os.WriteFile(base+suffix, b, 0o666))
		}
	}
	return base
}

// open opens an archive until the end of the test.
func open(t testing.TB, name string) *archive.Set {
	t.Helper()
	s, err := archive.Open(bg, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// after returns the time in seconds since that of the examples.
func after(t pcp.Timestamp) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", t.Sub(seconds(0))), "0"), ".")
}

// replay reads records until two errors, and prints their times, marks as <t>, and the errors as
// codes.
func replay(c *archive.Cursor) string {
	var parts []string
	var dst pcp.Result
	for failed := 0; failed < 2 && len(parts) < 10000; {
		switch err := c.Next(bg, &dst); {
		case err != nil:
			failed++
			parts = append(parts, strings.TrimPrefix(pmerr.Of(err).Name(), "PM_ERR_"))
		case len(dst.Sets) == 0:
			parts = append(parts, "<"+after(dst.Time)+">")
		default:
			parts = append(parts, after(dst.Time))
		}
	}
	return strings.Join(parts, " ")
}

// follow fetches metrics until two errors, and prints time=value of the first column, or the codes
// of the errors.
func follow(c *archive.Cursor, ids ...pcp.ID) string {
	var parts []string
	var dst pcp.Result
	for failed := 0; failed < 2 && len(parts) < 10000; {
		if err := c.Fetch(bg, ids, nil, &dst); err != nil {
			failed++
			parts = append(parts, strings.TrimPrefix(pmerr.Of(err).Name(), "PM_ERR_"))
			continue
		}
		value := "none"
		switch v := &dst.Sets[0]; {
		case v.Err != nil:
			value = fmt.Sprint(int(pmerr.Of(v.Err)))
		case v.Len() > 0 && v.Type.Arithmetic():
			value = fmt.Sprint(int64(v.Words[0]))
		case v.Len() > 0:
			value = fmt.Sprintf("%q", v.Blobs[0])
		}
		parts = append(parts, after(dst.Time)+"="+value)
	}
	return strings.Join(parts, " ")
}

// at returns a Cursor of s in a mode from a time in seconds.
func at(t testing.TB, s *archive.Set, m pcp.Mode, sec int64) *archive.Cursor {
	t.Helper()
	c := s.Cursor()
	when := seconds(sec)
	must(t, c.SetMode(m, &when, 0))
	return c
}

// wantCode fails the test unless err has a code.
func wantCode(t testing.TB, err error, want pmerr.Code) {
	t.Helper()
	if pmerr.Of(err) != want || want != 0 && !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
