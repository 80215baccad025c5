package describe

import (
	"context"
	"slices"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/sampling"
)

// A Record tells when a metric was recorded.
type Record struct {
	Metric   string  `json:"metric"`
	First    string  `json:"first,omitempty"`
	Last     string  `json:"last,omitempty"`
	Samples  int     `json:"samples"`
	Interval float64 `json:"interval,omitempty"` // seconds between two samples, the median; 0 for less than two of them
	Error    string  `json:"error,omitempty"`    // why the rest of the recording was not read

	first, last pcp.Timestamp
	intervals   []float64
}

// maxIntervals is how many intervals there are at most of which the median is taken.
const maxIntervals = 1 << 16

// recorded reads a recording from its start to its end. For a derived metric it returns the Record of the
// metric with the fewest samples of those that it is made of, or nil if it needs none. The error is that
// of ctx or of the look-up of names.
func (c *Catalogue) recorded(ctx context.Context, d *Description) (*Record, error) {
	list, ids := []Record{{Metric: d.Metric}}, []pcp.ID{d.desc.ID}
	if d.Expression != "" {
		list, ids = nil, nil
		found, err := c.Derived.Lookup(ctx, d.Base)
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if f.Err == nil {
				list, ids = append(list, Record{Metric: d.Base[i]}), append(ids, f.Value)
			}
		}
		if list == nil {
			return nil, nil
		}
	}
	start, _, _ := c.Source.Line.Bounds(ctx) // the start is valid beside an error
	var failed error
	for f, err := range sampling.Fetches(ctx, c.Source, &pmapi.Request{IDs: ids}, &sampling.Times{Start: start}) {
		if failed = err; err != nil {
			break
		}
		for i := range list {
			if f.Sets[i].Len() > 0 || f.Sets[i].Empty {
				list[i].add(f.Time)
			}
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rarest := slices.MinFunc(list, func(a, b Record) int { return a.Samples - b.Samples })
	if slices.Sort(rarest.intervals); len(rarest.intervals) > 0 {
		median := rarest.intervals[len(rarest.intervals)/2]
		rarest.Interval = time.Duration(median * float64(time.Second)).Round(time.Microsecond).Seconds()
	}
	if rarest.Samples > 0 {
		rarest.First, rarest.Last = answer.Time(rarest.first, c.Zone), answer.Time(rarest.last, c.Zone)
	}
	if failed != nil {
		rarest.Error = failed.Error()
	}
	return &rarest, nil
}

// add counts a sample.
func (r *Record) add(at pcp.Timestamp) {
	if r.Samples == 0 {
		r.first = at
	} else if len(r.intervals) < maxIntervals {
		r.intervals = append(r.intervals, at.Sub(r.last))
	}
	r.last = at
	r.Samples++
}
