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

// Backoff bounds the pauses between attempts.
type Backoff struct{ First, Most time.Duration }

// Drain sends the requests of a queue in their order, until it is finished and empty, or ctx ends.
// A request that fails for a time is sent again with growing pauses. After a lost connection the
// queue gives out the last requests once more, because the server may have been killed; it gets
// samples twice then, but identical ones. Drain calls warn with each report for the user.
func Drain(ctx context.Context, q *Queue, c *Client, b Backoff, warn func(error)) (Report, error) {
	d := &drain{q: q, c: c, backoff: b, pause: b.First, warn: warn}
	for {
		e, err := q.first(ctx)
		if e == nil || err != nil {
			return q.report(), err
		}
		if err := d.send(ctx, e); err != nil {
			return q.report(), err
		}
	}
}

type drain struct {
	q       *Queue
	c       *Client
	backoff Backoff
	warn    func(error)
	pause   time.Duration // after the next failure
	warned  bool          // the failure has been reported
	next    time.Time     // when the next failure may be reported
	refusal bool          // a refusal has been reported
}

const quiet = time.Minute

// send makes one attempt. Its error is that of ctx.
func (d *drain) send(ctx context.Context, e *entry) error {
	body, err := d.q.spool.read(e)
	if err != nil {
		d.warn(err)
		d.q.leave(e)
		return nil
	}
	lost, err := d.c.post(ctx, body)
	if lost {
		d.q.doubt()
	}
	if failure, ok := errors.AsType[*Failure](err); ok {
		return d.failed(ctx, e, failure)
	}
	refusal, refused := errors.AsType[*Refusal](err)
	if err != nil && !refused {
		return err
	}
	d.recovered()
	if refused && !(d.q.repeated(e) || e.unsure && refusal.old()) {
		d.refused(e, refusal)
	} else {
		d.q.acknowledge(e)
	}
	return nil
}

func (d *drain) failed(ctx context.Context, e *entry, f *Failure) error {
	d.q.failed()
	e.unsure = e.unsure || f.Unknown
	if now := time.Now(); !d.warned && !now.Before(d.next) {
		d.warned, d.next = true, now.Add(quiet)
		d.warn(fmt.Errorf("%s: %w; trying again", d.c.Name(), f))
	}
	wait := time.NewTimer(max(f.After, d.pause/2+rand.N(d.pause/2+1)))
	defer wait.Stop()
	d.pause = min(2*d.pause, d.backoff.Most)
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *drain) recovered() {
	if d.warned {
		d.warn(fmt.Errorf("%s answers again", d.c.Name()))
	}
	d.warned, d.pause = false, d.backoff.First
}

func (d *drain) refused(e *entry, err error) {
	if !d.refusal {
		d.refusal = true
		d.warn(fmt.Errorf("%s: %w", d.c.Name(), err))
	}
	d.q.refuse(e)
}

// old reports whether a server refuses samples because it has them or newer ones: the usual reason after a
// lost answer.
func (r *Refusal) old() bool {
	text := strings.ToLower(strings.ReplaceAll(r.Text, "-", " "))
	return (r.Code == http.StatusBadRequest || r.Code == http.StatusConflict || r.Code == http.StatusUnprocessableEntity) &&
		(strings.Contains(text, "out of order") || strings.Contains(text, "duplicate"))
}
