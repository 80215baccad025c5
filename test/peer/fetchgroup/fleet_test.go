package fetchgroup

import (
	"strings"
	"testing"
	"time"

	"pmtools/lib/fetchgroup"
	"pmtools/test/peer/harness"
)

// TestFleet reads twenty daemons of the reference on one schedule.
func TestFleet(t *testing.T) {
	_, _, root := harness.Setup(t)
	const n, rounds, interval = 20, 8, 500 * time.Millisecond
	var hosts []string
	for range n {
		for _, e := range harness.StartDaemon(t, root) {
			if port, ok := strings.CutPrefix(e, "PMCD_PORT="); ok {
				hosts = append(hosts, "127.0.0.1:"+port)
			}
		}
	}
	type sample struct {
		Time   time.Time               `pcp:",time"`
		Ten    int                     `pcp:"sample.long.ten"`
		Hullo  string                  `pcp:"sample.string.hullo"`
		Millis fetchgroup.Opt[float64] `pcp:"sample.milliseconds,unit=sec/sec"`
		Bins   map[string]int          `pcp:"sample.bin"`
	}
	good, rates := 0, 0
	var latest time.Duration
	for row := range fetchgroup.Fleet[sample](t.Context(), hosts, &fetchgroup.FleetOptions{Interval: interval, Rounds: rounds}) {
		if row.Err != nil {
			t.Logf("%s, round %d: %v", row.Host, row.Round, row.Err)
			continue
		}
		if v := row.Value; v.Ten != 10 || v.Hullo != "hullo world!" {
			t.Errorf("%s, round %d: %+v", row.Host, row.Round, v)
		} else if len(v.Bins) != 9 || v.Bins["bin-300"] != 300 || v.Time.IsZero() {
			t.Errorf("%s, round %d: %+v", row.Host, row.Round, v)
		}
		if rate, err := row.Value.Millis.Get(); err == nil {
			if rates++; rate < 0.9 || rate > 1.1 {
				t.Errorf("%s, round %d: %v seconds a second", row.Host, row.Round, rate)
			}
		}
		latest = max(latest, row.Late)
		good++
	}
	if good < n*(rounds-1) || rates < n*(rounds-2) {
		t.Errorf("%d good rows and %d rates of %d", good, rates, n*rounds)
	}
	t.Logf("%d daemons, %d of %d rows good, the latest after %v", n, good, n*rounds, latest)
}
