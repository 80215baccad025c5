package archive_test

import (
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// recordsOf returns the times of all records that hold a metric, with marks in brackets.
func recordsOf(t *testing.T, c *archive.Cursor, id pcp.ID) string {
	t.Helper()
	var times []string
	var dst pcp.Result
	for {
		mark, err := c.FetchOrMark(bg, []pcp.ID{id}, nil, &dst)
		if err != nil {
			wantCode(t, err, pmerr.EOL)
			return strings.Join(times, " ")
		}
		at := fmt.Sprintf("%g", dst.Time.Sub(seconds(0)))
		switch {
		case mark:
			at = "<" + at + ">"
			if len(dst.Sets) != 0 {
				t.Errorf("a mark has %d columns", len(dst.Sets))
			}
		case len(dst.Sets) != 1 || dst.Sets[0].ID != id:
			t.Errorf("got columns %v", dst.Sets)
		}
		times = append(times, at)
	}
}

func TestFetchOrMark(t *testing.T) {
	s := open(t, archivetest.Path(t, "marks"))
	id, err := s.Lookup("t.c")
	must(t, err)
	if got := recordsOf(t, s.Cursor(), id); !strings.Contains(got, "20 <25> 30") {
		t.Errorf("forward: %s", got)
	}
	if got := recordsOf(t, at(t, s, pcp.Back, 1e9), id); !strings.Contains(got, "30 <25> 20") {
		t.Errorf("back: %s", got)
	}
	var dst pcp.Result
	_, err = s.Cursor().FetchOrMark(bg, nil, nil, &dst)
	wantCode(t, err, pmerr.TooSmall)
}

// TestFetchOrMarkSet: there is a mark between the members of a set.
func TestFetchOrMarkSet(t *testing.T) {
	s := open(t, setPath(t, "setA", "setB"))
	var id pcp.ID
	must(t, s.Walk("", func(_ string, first pcp.ID) bool { id = first; return false }))
	if got := recordsOf(t, s.Cursor(), id); strings.Count(got, "<") != 1 {
		t.Errorf("got %s", got)
	}
}
