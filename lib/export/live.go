package export

import (
	"context"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// Sample returns the Records of a live source: its values at an interval, as many times as samples
// says, or if that is 0 until the context of Write is done.
func Sample(src pmapi.Source, interval time.Duration, samples int) *Records {
	return &Records{Source: src, origin: &live{src: src, clock: when.Clock{Interval: interval}, samples: samples}}
}

type live struct {
	src     pmapi.Source
	clock   when.Clock
	samples int // 0 for any number
	taken   int // of them
}

func (l *live) rewind(pcp.Timestamp) error { return nil }

func (l *live) next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if l.samples > 0 && l.taken == l.samples {
		return pmerr.EOL
	}
	if _, err := l.clock.Wait(ctx); err != nil {
		return err
	}
	if err := l.src.Fetch(ctx, req, dst); err != nil {
		return err
	}
	for i := range dst.Sets { // all that was asked for is recorded
		v := &dst.Sets[i]
		v.Empty = v.Len() == 0 && v.Err == nil
	}
	l.taken++
	return nil
}

// instances asks again if an instance with values was not in the last answer.
func (l *live) instances(ctx context.Context, d *domain, _ pcp.Timestamp, of []int32) ([]pcp.Instance, error) {
	for _, inst := range of {
		if _, known := d.names[inst]; !known {
			return pmapi.InstancesOf(ctx, l.src, d.id, pmapi.Now())
		}
	}
	return d.list, nil
}

func (l *live) endless() bool { return true }
