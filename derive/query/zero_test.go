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

// TestZeroHosts runs queries over no hosts and no recordings, and over some by what opens them if nothing is said.
func TestZeroHosts(t *testing.T) {
	var f query.Fleet
	if _, err := f.Run(t.Context(), nil, nil); err == nil {
		t.Error("a zero Fleet has samples")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	q := &query.Query{Exprs: []string{"hinv.ncpu"}, Once: true}
	st, err := query.NewFleet([]string{"nowhere.invalid"}).Run(t.Context(), nil, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range st.Samples {
		if !errors.Is(err, query.ErrHosts) {
			t.Errorf("error %v", err)
		}
	}
	for n, names := range [][]string{nil, {archivetest.Path(t, "demo")}} {
		st, err := (&query.Recordings{Names: names}).Run(t.Context(), nil, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range st.Samples {
			if n--; err != nil {
				t.Error(err)
			}
		}
		if n != 0 {
			t.Errorf("%v: %d samples are missing", names, n)
		}
	}
	if _, err := new(query.Source).Bind(nil, true).Compile(t.Context(), "hinv.ncpu"); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("error %v", err)
	}
	if names := new(query.Source).Catalogue(t.Context()); names != nil {
		t.Errorf("names %v", names)
	}
}
