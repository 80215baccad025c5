package sourcetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	_ "pmtools/test/env"
)

// Sources that break the promises of the interface in one way each.
type (
	unnamed   struct{ *pmapi.Archive } // Names has no name
	childless struct{ *pmapi.Archive } // Children has none
	twice     struct{ *pmapi.Archive } // Instances has the first one twice
	mixed     struct{ *pmapi.Archive } // Fetch has the columns in another order
	stale     struct{ *pmapi.Archive } // Fetch leaves the time as it was
	oneWay    struct{ *pmapi.Archive } // SetMode knows no way back
	undead    struct{ *pmapi.Archive } // Close does not close
)

func (unnamed) Names(context.Context, pcp.ID) ([]string, error) { return nil, nil }

func (childless) Children(context.Context, string) ([]pcp.Child, error) { return nil, nil }

func (s twice) Instances(ctx context.Context, ds []pcp.InDom, at pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	found, err := s.Archive.Instances(ctx, ds, at)
	for i := range found {
		if v := &found[i].Value; len(*v) > 0 {
			*v = append(*v, (*v)[0])
		}
	}
	return found, err
}

func (s mixed) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := s.Archive.Fetch(ctx, req, dst)
	slices.Reverse(dst.Sets)
	return err
}

func (s stale) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	before := dst.Time
	err := s.Archive.Fetch(ctx, req, dst)
	dst.Time = before
	return err
}

func (s oneWay) SetMode(m pcp.Mode, when *pcp.Timestamp, _ time.Duration) error {
	if m == pcp.Back {
		m = pcp.Forward
	}
	return s.Archive.SetMode(m, when, 0)
}

func (undead) Close() error { return nil }

// TestLies runs the kit over Sources that break the contract, and over one that keeps it.
func TestLies(t *testing.T) {
	base := archivetest.Path(t, "labels")
	open := func(t *testing.T) *pmapi.Archive {
		a, err := pmapi.OpenArchive(t.Context(), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		return a
	}
	Run(t, func(t *testing.T) pmapi.Source { return open(t) })
	for want, lie := range map[string]func(a *pmapi.Archive) pmapi.Source{
		"names: Names(245.":                           func(a *pmapi.Archive) pmapi.Source { return unnamed{a} },
		"children: Walk shows":                        func(a *pmapi.Archive) pmapi.Source { return childless{a} },
		"instances: Instances(245.1): 0 is there":     func(a *pmapi.Archive) pmapi.Source { return twice{a} },
		"fetch: Fetch(":                               func(a *pmapi.Archive) pmapi.Source { return mixed{a} },
		"fetch: Fetch: the result is of":              func(a *pmapi.Archive) pmapi.Source { return stale{a} },
		"timeline end: backwards: sample 0":           func(a *pmapi.Archive) pmapi.Source { return oneWay{a} },
		"close: Fetch after Close: error <nil>, want": func(a *pmapi.Archive) pmapi.Source { return undead{a} },
	} {
		var said []string
		for _, c := range checks() {
			c.do(func() pmapi.Source { return lie(open(t)) }, func(format string, args ...any) {
				said = append(said, c.name+": "+fmt.Sprintf(format, args...))
			})
		}
		if !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("said %q, want %q", said, want)
		}
	}
}
