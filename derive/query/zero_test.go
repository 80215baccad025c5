package query_test

import (
	"errors"
	"testing"

	"pmtools/derive/query"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestZero runs queries that lack something.
func TestZero(t *testing.T) {
	for name, src := range map[string]*query.Source{"nil": nil, "zero": new(query.Source), "over nil": query.NewSource(nil)} {
		if _, err := query.Run(t.Context(), src, nil, &query.Query{Exprs: []string{"hinv.ncpu"}}); !errors.Is(err, pmerr.NoContext) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	base, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "demo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	src := query.NewSource(base)
	if st, err := query.Run(t.Context(), src, nil, nil); err == nil {
		for range st.Samples {
		}
	}
	st, err := query.Run(t.Context(), src, nil, &query.Query{Exprs: []string{"hinv.ncpu"}, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range st.Samples {
		if err != nil {
			t.Error(err)
		}
	}
}
