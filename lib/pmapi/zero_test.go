package pmapi_test

import (
	"errors"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// TestZeroContext: a zero Context, and one over nothing, is closed.
func TestZeroContext(t *testing.T) {
	for name, c := range map[string]*pmapi.Context{"zero": new(pmapi.Context), "over nil": pmapi.Over(nil)} {
		_, fetched := c.Fetch(t.Context(), []pcp.ID{1})
		_, described := c.Metrics(t.Context(), []string{"x"})
		_, named := c.HostName(t.Context())
		_, zoned := c.Zone(t.Context())
		_, timed := c.Timeline()
		_, copied := c.Dup(t.Context())
		_, read := c.Source().Children(t.Context(), "")
		for i, err := range []error{fetched, described, named, zoned, timed, copied, read, c.Reconnect(t.Context()), c.SetMode(pcp.Interp, nil, 0)} {
			if !errors.Is(err, pmerr.NoContext) {
				t.Errorf("%s: %d: error %v", name, i, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
}
