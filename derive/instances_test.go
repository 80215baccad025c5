package derive_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// TestNamesOfValues selects instances of a domain that changes with every record. In the mode
// Interp the position of a recording is that of the next sample when values are evaluated, but
// patterns see the names of the time of the values (derived.md D8.6); the other functions are as in
// the reference.
func TestNamesOfValues(t *testing.T) {
	ctx := context.Background()
	tests := []struct {
		expr string
		want []string
	}{
		{"matchinst(/./, t.i)", []string{"[10 20 30]", "[10 25 30]", "[10 25 40]", "[10 50]", "[10]"}},
		{"matchinst(!/two/, t.i)", []string{"[10 30]", "[10 30]", "[10 40]", "[10 50]", "[10]"}},
		{"matchinst(/two/, t.i)", []string{"[20]", "[25]", "[25]", "[]", "[]"}},
		{"t.i[two]", []string{"[]", "[25]", "[25]", "[]", "[]"}},
		{"mkconst(1, type=32, meta=t.i)", []string{"[10 25 30]", "[10 25 40]", "[50]", "[10]", "[10]"}},
	}
	for _, tt := range tests {
		src := derive.NewSource(recorded(t, "indoms"), nil, nil)
		if err := src.Add(ctx, "x", tt.expr); err != nil {
			t.Fatal(err)
		}
		line, _ := pmapi.As[pmapi.Timeline](src)
		if err := line.SetMode(pcp.Interp, nil, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		var res pcp.Result
		for i, want := range tt.want {
			if err := src.Fetch(ctx, &pmapi.Request{IDs: []pcp.ID{lookup(t, src, "x")}}, &res); err != nil {
				t.Fatal(err)
			}
			slices.Sort(res.Sets[0].Insts)
			if got := fmt.Sprint(res.Sets[0].Insts); got != want {
				t.Errorf("%s, sample %d: instances %s, want %s", tt.expr, i, got, want)
			}
		}
	}
}
