package derive

import (
	"time"

	"pmtools/lib/pcp"
)

// A clock finds jumps of the clock of a live Source. Between two fetches it goes on by as much as the time here, to within the time that
// the requests took: their answers were made after they were sent and before they arrived.
type clock struct {
	sent, received time.Time // of the last fetch; zero before the first
	at             pcp.Timestamp
	epoch          int // counts jumps
}

// slack is how much a clock may go wrong without a jump: a tenth of the time, which corrections of slow and fast clocks do not exceed,
// and 50 ms for times that the daemon rounds or takes elsewhere.
func slack(elapsed time.Duration) time.Duration { return elapsed/10 + 50*time.Millisecond }

// note takes a fetch.
func (c *clock) note(sent time.Time, at pcp.Timestamp) {
	received := time.Now()
	if !c.received.IsZero() {
		least, most := max(0, sent.Sub(c.received)), received.Sub(c.sent)
		went, extra := at.Time().Sub(c.at.Time()), slack(most)
		if went <= 0 || went < least-extra || went > most+extra {
			c.epoch++
		}
	}
	c.sent, c.received, c.at = sent, received, at
}
