package when

import (
	"context"
	"time"
)

// A Clock schedules live samples: the first is due at once, each later one an interval after its
// predecessor was due, so that times do not drift. A sample that is late by less than an interval is
// due at once; times further in the past are skipped.
//
// The zero Clock has no interval: every sample is due at once. A Clock belongs to one goroutine.
type Clock struct {
	Interval time.Duration
	// Exact spends up to two milliseconds of a wait in the system instead of in Go's timers, which may
	// be late by the millisecond in which the poller counts, and by more on a busy machine.
	Exact bool

	next time.Time // when the next sample is due; zero before the first
}

// exact is the end of a wait that is left to the system.
const exact = 2 * time.Millisecond

// Due returns the time of the first sample due after now, and advances the schedule beyond it.
func (c *Clock) Due(now time.Time) time.Time {
	switch late := now.Sub(c.next); {
	case c.next.IsZero() || c.Interval <= 0:
		c.next = now
	case late >= c.Interval:
		c.next = c.next.Add(late.Truncate(c.Interval))
	}
	due := c.next
	c.next = due.Add(c.Interval)
	return due
}

// Wait waits until the next sample is due and returns that time. It returns the error of ctx, even if
// it need not wait.
func (c *Clock) Wait(ctx context.Context) (due time.Time, err error) {
	now := time.Now()
	due = c.Due(now)
	wait := due.Sub(now)
	if c.Exact {
		wait -= exact
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return due, err
	}
	if c.Exact {
		pause(time.Until(due))
	}
	return due, nil
}
