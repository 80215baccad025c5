package pmapi_test

import (
	"context"
	"testing"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmapi/sourcetest"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
)

// TestHostConformance runs the kit over scripted daemons: one of today, and one without the
// features that came later.
func TestHostConformance(t *testing.T) {
	for name, features := range map[string]uint16{"today": pmcdtest.Features, "old": pmcdtest.Features &^ (pmcdtest.Labels | pmcdtest.HighRes | pmcdtest.Descs)} {
		t.Run(name, func(t *testing.T) {
			s := pmcdtest.NewServer(pmcdtest.Sample())
			s.SetFeatures(features)
			t.Cleanup(func() { s.Close() })
			sourcetest.Run(t, func(t *testing.T) pmapi.Source {
				h, err := pmapi.OpenHost(context.Background(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { h.Close() })
				return h
			})
		})
	}
}
