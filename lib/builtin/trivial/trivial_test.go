package trivial

import (
	"context"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// TestTrivial checks the one metric.
func TestTrivial(t *testing.T) {
	p, err := New(Domain)
	if err != nil {
		t.Fatal(err)
	}
	ctx, c, id := context.Background(), new(pmda.Client), pcp.NewID(250, 0, 0)
	if n := p.Names(); len(n) != 1 || n[0] != (pmda.Name{Name: "trivial.time", ID: id}) {
		t.Errorf("names %v", n)
	}
	want := pcp.Desc{ID: id, Type: pcp.Uint64, InDom: pcp.NullInDom, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Sec}}
	if d, err := p.Desc(ctx, c, id); err != nil || d != want {
		t.Errorf("%v, %v", d, err)
	}
	var r pcp.Result
	before := time.Now().Unix()
	if err := p.Fetch(ctx, &pmda.Request{Client: c, IDs: []pcp.ID{id, pcp.NewID(250, 0, 1)}}, &r); err != nil {
		t.Fatal(err)
	}
	if got := int64(r.Sets[0].Words[0]); got < before || got > time.Now().Unix() {
		t.Errorf("time %d, was %d before", got, before)
	}
	if r.Sets[1].Err != pmerr.PMID {
		t.Errorf("other metric: %v", r.Sets[1].Err)
	}
	if err := p.(pmda.Storer).Store(ctx, c, []pcp.Values{r.Sets[0]}); err != pmerr.Permission {
		t.Errorf("store: %v", err)
	}
}
