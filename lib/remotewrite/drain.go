package remotewrite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Backoff is how long pauses between attempts are.
type Backoff struct{ First, Most time.Duration }

// A Report is what became of samples.
type Report struct {
	Sent    int // taken by the server
	Refused int // for good
	Damaged int // in files of the queue that are not as they were written
}

// Drain sends the requests of a queue in their order, until it is finished and empty, or ctx ends.
// What fails for a time is sent again with growing pauses, and all that was sent not long ago with
// it, because the server may have been killed; it gets samples more than once then, but identical
// ones. Each text for the user is given to say.
func Drain(ctx context.Context, q *Queue, c *Client, b Backoff, say func(error)) (Report, error) {
	d := &drain{q: q, c: c, backoff: b, say: say}
	for {
		e, err := q.first(ctx)
		if e == nil || err != nil {
			return d.report, err
		}
		if err := d.send(ctx, e); err != nil {
			return d.report, err
		}
	}
}

// A drain is the state of Drain.
type drain struct {
	q       *Queue
	c       *Client
	backoff Backoff
	say     func(error)
	report  Report
	said    bool // that the server refuses
}

// send sends a request until it is taken or refused.
func (d *drain) send(ctx context.Context, e *entry) error {
	body, err := d.q.read(e)
	if err != nil {
		d.report.Damaged += e.samples
		d.say(err)
		d.q.done(e, false)
		return nil
	}
	pause, maybe, gone := d.backoff.First, e.old, false
	for try := 0; ; try++ {
		err := d.c.Post(ctx, body)
		if err == nil {
			d.taken(e)
			if try > 0 {
				d.say(fmt.Errorf("%s takes samples again", d.c.Name()))
			}
			if gone {
				d.q.resend()
			}
			return nil
		}
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			switch {
			case !e.sent.IsZero(), maybe && refusal.old():
				d.taken(e)
			default:
				d.refused(e, refusal)
			}
			return nil
		}
		failure, ok := errors.AsType[*Failure](err)
		if !ok {
			return err
		}
		if try == 0 {
			d.say(fmt.Errorf("%s: %w; trying again", d.c.Name(), failure))
		}
		maybe, gone = maybe || failure.Unknown, gone || failure.Gone
		wait := max(failure.After, pause/2+rand.N(pause/2+1))
		pause = min(2*pause, d.backoff.Most)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// taken notes that the server has a request.
func (d *drain) taken(e *entry) {
	if e.sent.IsZero() {
		d.report.Sent += e.samples
	}
	d.q.done(e, true)
}

// refused notes that the server will not take a request, and says why the first time.
func (d *drain) refused(e *entry, err error) {
	d.report.Refused += e.samples
	if !d.said {
		d.said = true
		d.say(fmt.Errorf("%s: %w", d.c.Name(), err))
	}
	d.q.done(e, false)
}

// old reports whether a server refuses samples because it has them, or newer ones, which it says of
// a request that it has taken without our hearing of it.
func (r *Refusal) old() bool {
	text := strings.ToLower(strings.ReplaceAll(r.Text, "-", " "))
	return (r.Code == http.StatusBadRequest || r.Code == http.StatusConflict || r.Code == http.StatusUnprocessableEntity) &&
		(strings.Contains(text, "out of order") || strings.Contains(text, "duplicate"))
}
