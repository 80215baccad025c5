package derive_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A clocked is a fake whose requests take time, and whose clock is set.
type clocked struct {
	*fake
	set  time.Duration
	took time.Duration
}

// Fetch implements pmapi.Source. The answer is made in the middle of its time.
func (c *clocked) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	time.Sleep(c.took / 2)
	err := c.fake.Fetch(ctx, req, dst)
	dst.Time = pcp.TimestampOf(time.Now().Add(c.set))
	time.Sleep(c.took / 2)
	return err
}

// TestClock sets the clock of a live source before its third sample: no rate is made of a time that has not passed.
func TestClock(t *testing.T) {
	for _, tt := range []struct {
		name     string
		set      time.Duration
		interval time.Duration
		took     time.Duration
		off      bool
		want     string
	}{
		{"never", 0, time.Second, 0, false, "none 1 1 1"},
		{"back", -time.Hour, time.Second, 0, false, "none 1 none 1"},
		{"back to the same time", -time.Second, time.Second, 0, false, "none 1 none 1"},
		{"on", time.Hour, time.Second, 0, false, "none 1 none 1"},
		{"on by little", 200 * time.Millisecond, time.Second, 0, false, "none 1 none 1"},
		{"corrected", 20 * time.Millisecond, time.Second, 0, false, "none 1 0.9803921568627451 1"},
		{"corrected for an hour", 5 * time.Minute, time.Hour, 0, false, "none 0.0002777777777777778 0.0002564102564102564 0.0002777777777777778"},
		{"within the time of requests", 2 * time.Second, time.Second, 4 * time.Second, false, "none 0.2 0.1428571428571428 0.2"},
		{"beyond the time of requests", 6 * time.Second, time.Second, 4 * time.Second, false, "none 0.2 none 0.2"},
		{"as the reference", -3 * time.Second, time.Second, 0, true, "none 1 -0.5 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &clocked{fake: newFake("a|32|-|counter||1;2;3;4\n"), took: tt.took}
				src := derive.NewSource(c, nil, &derive.Options{Clock: !tt.off})
				p, err := derive.Compile("x.rate", "rate(a)")
				if err != nil {
					t.Fatal(err)
				}
				id := src.Define(p)[0]
				var got []string
				for i := range 4 {
					if i == 2 {
						c.set = tt.set
					}
					got = append(got, fetch(t, c.fake, src, id)...)
					time.Sleep(tt.interval)
				}
				if text := strings.Join(got, " "); text != tt.want {
					t.Errorf("%s, want %s", text, tt.want)
				}
			})
		})
	}
}
