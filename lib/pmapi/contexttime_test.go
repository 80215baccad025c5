package pmapi_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"pmtools/derive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestDupFails has a Source that can be opened once.
func TestDupFails(t *testing.T) {
	src, n := open(t, "ta"), 0
	c := newContext(t, func(context.Context) (pmapi.Source, error) {
		if n++; n > 1 {
			return nil, os.ErrPermission
		}
		return src, nil
	})
	if d, err := c.Dup(background); d != nil || !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v, %v", d, err)
	}
}

// TestReconnectArchive reconnects without a connection: the state is kept.
func TestReconnectArchive(t *testing.T) {
	c := archiveContext(t, "ta")
	start := sample(t, c, 1)
	if err := c.Reconnect(background); err != nil {
		t.Fatal(err)
	}
	if got := sample(t, c, 1); got[0] <= start[0] {
		t.Errorf("at %v after %v", got, start)
	}
}

// sample fetches all metrics of a recording n times and returns the seconds since its start; -1 is
// the end.
func sample(t *testing.T, c *pmapi.Context, n int) []float64 {
	t.Helper()
	var ids []pcp.ID
	err := c.Source().Walk(background, "", true, func(_ string, id pcp.ID) bool {
		ids = append(ids, id)
		return true
	})
	if err != nil || len(ids) == 0 {
		t.Fatal(ids, err)
	}
	timeline, err := c.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	start, _, _ := timeline.Bounds(t.Context())
	var out []float64
	for range n {
		r, err := c.Fetch(background, ids)
		switch {
		case errors.Is(err, pmerr.EOL):
			out = append(out, -1)
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, r.Time.Sub(start))
		}
	}
	return out
}

// dupSources returns functions that open archives, and derived metrics over one.
func dupSources(t *testing.T) map[string]func(context.Context) (pmapi.Source, error) {
	t.Helper()
	sources := make(map[string]func(context.Context) (pmapi.Source, error))
	for _, name := range []string{"ta", "ta_v2", "marks", "noindex", "volumes"} {
		base := archivetest.Path(t, name)
		sources[name] = func(context.Context) (pmapi.Source, error) { return pmapi.OpenArchive(t.Context(), base, nil) }
	}
	definitions := derive.NewRegistry(nil)
	if err := definitions.Register("sum.a", "t.a + t.a"); err != nil {
		t.Fatal(err)
	}
	sources["derived"] = func(ctx context.Context) (pmapi.Source, error) {
		src, err := sources["ta"](ctx)
		if err != nil {
			return nil, err
		}
		return derive.NewSource(src, definitions.Set(), nil), nil
	}
	return sources
}

// TestDup reads on in a copy and in the original, which must go on as if there were no copy. The
// times are those of the reference for the same steps: its copies too go on with the next record,
// also after a change of direction and at the end.
func TestDup(t *testing.T) {
	later := pcp.Timestamp{Sec: archivetest.Start + 3}
	const all = 100
	tests := []struct {
		name string
		mode pcp.Mode
		when *pcp.Timestamp
		step time.Duration
		read int // before the copy is made
	}{
		{"fresh", pcp.Forward, nil, 0, 0},
		{"forward", pcp.Forward, nil, 0, 2},
		{"from a time", pcp.Forward, &later, 0, 0},
		{"behind a time", pcp.Forward, &later, 0, 1},
		{"at the end", pcp.Forward, nil, 0, all},
		{"back from a time", pcp.Back, &later, 0, 0},
		{"back", pcp.Back, &later, 0, 2},
		{"back at the start", pcp.Back, &later, 0, all},
		{"interpolated", pcp.Interp, &later, 1500 * time.Millisecond, 0},
		{"interpolated further", pcp.Interp, nil, 1500 * time.Millisecond, 3},
		{"interpolated backwards", pcp.Interp, &later, -time.Second, 1},
	}
	for archive, open := range dupSources(t) {
		for _, tt := range tests {
			t.Run(archive+"/"+tt.name, func(t *testing.T) {
				c, alone := newContext(t, open), newContext(t, open)
				for _, c := range []*pmapi.Context{c, alone} {
					if err := c.SetMode(tt.mode, tt.when, tt.step); err != nil {
						t.Fatal(err)
					}
					sample(t, c, tt.read)
				}
				want := sample(t, alone, 5)
				d, err := c.Dup(background)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				if got := sample(t, d, 5); !slices.Equal(got, want) {
					t.Errorf("copy: %v, want %v", got, want)
				}
				if got := sample(t, c, 5); !slices.Equal(got, want) {
					t.Errorf("original: %v, want %v", got, want)
				}
				e, err := d.Dup(background)
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				d.Close()
				if got, want := sample(t, e, 3), sample(t, alone, 3); !slices.Equal(got, want) {
					t.Errorf("copy of the copy: %v, want %v", got, want)
				}
			})
		}
	}
}

// TestDupTurns turns around through a Timeline, which the Context must notice.
func TestDupTurns(t *testing.T) {
	c := archiveContext(t, "ta")
	forward := sample(t, c, 3)
	timeline, err := c.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.SetMode(pcp.Back, nil, 0); err != nil {
		t.Fatal(err)
	}
	d, err := c.Dup(background)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	slices.Reverse(forward)
	for _, c := range []*pmapi.Context{d, c} {
		if got := sample(t, c, 3); !slices.Equal(got, forward) {
			t.Errorf("%v, want %v", got, forward)
		}
	}
}

// opaque is a recording of which a Context knows no more than the interfaces.
type opaque struct {
	pmapi.Source
	pmapi.Timeline
}

// TestDupOpaque makes copies over a recording that is not an Archive: its position is known by the
// time alone.
func TestDupOpaque(t *testing.T) {
	base := archivetest.Path(t, "ta")
	open := func(context.Context) (pmapi.Source, error) {
		a, err := pmapi.OpenArchive(t.Context(), base, nil)
		return opaque{a, a}, err
	}
	for _, mode := range []pcp.Mode{pcp.Forward, pcp.Back, pcp.Interp} {
		for n := range 8 {
			c := newContext(t, open)
			when := pcp.Timestamp{Sec: archivetest.Start + 4}
			if err := c.SetMode(mode, &when, time.Second); err != nil {
				t.Fatal(err)
			}
			sample(t, c, n)
			d, err := c.Dup(background)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			e, err := d.Dup(background)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			want := sample(t, c, 4)
			for _, c := range []*pmapi.Context{d, e} {
				if got := sample(t, c, 4); !slices.Equal(got, want) {
					t.Errorf("mode %d after %d: %v, want %v", mode, n, got, want)
				}
			}
		}
	}
}
