package pmda

import (
	"errors"
	"strings"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestWriteNames checks name space files.
func TestWriteNames(t *testing.T) {
	var b strings.Builder
	err := writeNames(&b, []Name{
		{"simple.numfetch", pcp.NewID(253, 0, 0)}, {"simple.time.user", pcp.NewID(253, 1, 2)}, {"simple.now", pcp.NewID(253, 2, 4)},
		{"simple.time.sys", pcp.NewID(253, 1, 3)}, {"simple.dyn", RootID(253)}, {"other", pcp.NewID(2, 0, 0)},
	})
	want := "root {\n\tsimple\n\tother\t2:0:0\n}\n\nsimple {\n\tnumfetch\t253:0:0\n\ttime\n\tnow\t253:2:4\n\tdyn\t253:*:*\n}\n\n" +
		"simple.time {\n\tuser\t253:1:2\n\tsys\t253:1:3\n}\n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
}

// TestBadNames checks names that no file can have.
func TestBadNames(t *testing.T) {
	for _, names := range [][]string{{""}, {"a."}, {".a"}, {"a..b"}, {"a", "a"}, {"a", "a.b"}, {"a.b", "a"}} {
		var list []Name
		for _, n := range names {
			list = append(list, Name{n, 1})
		}
		if err := writeNames(new(strings.Builder), list); !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("%q: %v", names, err)
		}
	}
	var b strings.Builder
	if err := writeNames(&b, nil); err != nil || b.String() != "root {\n}\n" {
		t.Errorf("no names: %v, %q", err, b.String())
	}
}
