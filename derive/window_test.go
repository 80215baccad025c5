package derive_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestWindowMarks covers functions over time across a mark at 25 seconds: values of records, and
// interpolated ones, in both directions, also of a metric whose values do not show the mark.
func TestWindowMarks(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.Build(dir, "marks"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode pcp.Mode
		from int64
		step time.Duration
		expr string
		want string
	}{
		{pcp.Forward, 0, 0, "max_over(-t.i, 1hour)", "-100 -100 -100 -130 -130 -130 -130"},
		{pcp.Forward, 0, 0, "avg_over(t.i, 20s)", "100 105 115 130 135 145 155"},
		{pcp.Forward, 0, 0, "shift(t.c, 10s)", "- 100 110 - 130 140 150"},
		{pcp.Interp, 0, 10 * time.Second, "max_over(-t.i, 1hour)", "-100 -100 -100 -130 -130 -130 -130"},
		{pcp.Interp, 0, 20 * time.Second, "min_over(t.i, 1hour)", "100 100 140 140"},
		{pcp.Interp, 0, 10 * time.Second, "smooth(t.i, 10s)", "100 105 112.5 130 135 142.5 151.25"},
		{pcp.Interp, 60, -20 * time.Second, "max_over(t.i, 1hour)", "160 140 120 100"},
	} {
		a, err := pmapi.OpenArchive(t.Context(), filepath.Join(dir, "marks"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		start, _, err := a.Bounds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		start = start.Add(time.Duration(tt.from) * time.Second)
		if err := a.SetMode(tt.mode, &start, tt.step); err != nil {
			t.Fatal(err)
		}
		p, err := derive.CompileIn(check.Extended, "", tt.expr)
		if err != nil {
			t.Fatal(err)
		}
		src := derive.NewSource(a, nil, nil)
		ids := src.Define(p)
		var got []string
		for {
			var r pcp.Result
			if err := src.Fetch(t.Context(), &pmapi.Request{IDs: ids}, &r); errors.Is(err, pmerr.EOL) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			text := "-"
			if r.Sets[0].Len() > 0 {
				f, _ := r.Sets[0].Value(0).Float64()
				text = fmt.Sprint(f)
			}
			got = append(got, text)
		}
		if want := strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("%s, mode %v, every %v: %q, want %q", tt.expr, tt.mode, tt.step, got, want)
		}
	}
}
