package describe

import (
	"context"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// A Record tells when a metric was recorded.
type Record struct {
	First, Last pcp.Timestamp
	Samples     int
	Interval    time.Duration // between two samples, the median; 0 for less than two of them
	Err         error         // why the rest of the recording was not read
}

// maxIntervals is how many intervals there are at most of which the median is taken.
const maxIntervals = 1 << 16

// recorded reads a recording from its start to its end. The error is that of ctx.
func (c *Catalogue) recorded(ctx context.Context, id pcp.ID) (*Record, error) {
	start, _, _ := c.Source.Line.Bounds(ctx) // the start is valid beside an error
	r := &Record{}
	var intervals []float64
	for f, err := range sampling.Fetches(ctx, c.Derived, &pmapi.Request{IDs: []pcp.ID{id}}, &sampling.Times{Start: start}) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.Err = err
			continue
		case f.Sets[0].Len() == 0 && !f.Sets[0].Empty:
			continue
		case r.Samples == 0:
			r.First = f.Time
		case len(intervals) < maxIntervals:
			intervals = append(intervals, f.Time.Sub(r.Last))
		}
		r.Last = f.Time
		r.Samples++
	}
	if slices.Sort(intervals); len(intervals) > 0 {
		r.Interval = time.Duration(intervals[len(intervals)/2] * float64(time.Second)).Round(time.Microsecond)
	}
	return r, nil
}
