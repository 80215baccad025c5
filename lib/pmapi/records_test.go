package pmapi_test

import (
	"context"
	"errors"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestRecords: records of a metric and marks come in turn, to the end; not from a closed
// archive.
func TestRecords(t *testing.T) {
	a, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "marks"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx := context.Background()
	rs, err := a.Lookup(ctx, []string{"t.c"})
	if err != nil || rs[0].Err != nil {
		t.Fatal(err, rs)
	}
	req := pmapi.Request{IDs: []pcp.ID{rs[0].Value}, Records: true}
	var dst pcp.Result
	records, marks := 0, 0
	for {
		err := a.Fetch(ctx, &req, &dst)
		if errors.Is(err, pmerr.EOL) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if dst.Gap {
			marks++
		} else {
			records++
		}
	}
	if records != 7 || marks != 1 {
		t.Errorf("%d records, %d marks", records, marks)
	}
	a.Close()
	if err := a.Fetch(ctx, &req, &dst); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("after Close: %v", err)
	}
}

// TestFetchNothing: a request without metrics moves on in the mode Interp too.
func TestFetchNothing(t *testing.T) {
	a, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "marks"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	start, _, err := a.Bounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetMode(pcp.Interp, &start, 15e9); err != nil {
		t.Fatal(err)
	}
	var dst pcp.Result
	n := 0
	for ; ; n++ {
		err := a.Fetch(context.Background(), &pmapi.Request{}, &dst)
		if errors.Is(err, pmerr.EOL) {
			break
		}
		if err != nil || dst.Time.Sub(start) != float64(15*n) || len(dst.Sets) != 0 {
			t.Fatalf("fetch %d: %v, %v", n, dst, err)
		}
	}
	if n != 5 {
		t.Errorf("%d fetches", n)
	}
}
