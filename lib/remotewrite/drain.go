package remotewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Backoff bounds the pauses between attempts.
type Backoff struct{ First, Most time.Duration }

// parallel is the number of requests that may be under way at the same time. Each has a connection of its own.
const parallel = 8

// Drain sends the requests of a queue in their order, those of a batch at the same time, until it is finished and empty, or ctx ends.
// A request that fails for a time is sent again with growing pauses. After a lost connection the
// queue gives out the last requests once more, because the server may have been killed; it gets
// samples twice then, but identical ones. Drain calls warn with each report for the user, from several goroutines but not at once.
func Drain(ctx context.Context, q *Queue, c *Client, b Backoff, warn func(error)) (Report, error) {
	d := &drain{q: q, c: c, backoff: b, warn: warn}
	errs := make([]error, parallel)
	var ended sync.WaitGroup
	for i := range errs {
		ended.Go(func() { errs[i] = d.run(ctx, i) })
	}
	ended.Wait()
	return q.report(), cmp.Or(errs...)
}

type drain struct {
	q       *Queue
	c       *Client
	backoff Backoff

	mu      sync.Mutex
	warn    func(error) // guarded by mu, as what follows
	warned  bool        // the failure has been reported
	next    time.Time   // when the next failure may be reported
	refusal bool        // a refusal has been reported
	doubt   bool        // so has a strange answer, after which all samples count as taken
}

const quiet = time.Minute

// A lane sends one request after the other.
type lane struct {
	*drain
	conn  *conn
	pause time.Duration // after the next failure
	last  time.Time     // of the last answer
}

func (d *drain) run(ctx context.Context, number int) error {
	l := &lane{drain: d, conn: d.c.conn(), pause: d.backoff.First}
	defer l.conn.close()
	for {
		e, err := d.q.take(ctx, number)
		if e == nil || err != nil {
			return err
		}
		if err := l.send(ctx, e); err != nil {
			return err
		}
	}
}

// send makes one attempt. Its error is that of ctx.
func (l *lane) send(ctx context.Context, e *entry) error {
	b, err := l.q.load(e)
	if err != nil {
		l.report(err)
		l.q.leave(e)
		return nil
	}
	lost, err := l.conn.post(ctx, b)
	// A connection that has long been idle says nothing about what others have sent since.
	if lost && (l.last.IsZero() || time.Since(l.last) <= l.q.opt.Keep) {
		l.q.doubt()
	}
	if failure, ok := errors.AsType[*Failure](err); ok {
		return l.failed(ctx, e, failure)
	}
	refusal, refused := errors.AsType[*Refusal](err)
	if err != nil && !refused {
		return err
	}
	l.recovered()
	if refused && !(l.q.repeated(e) || e.unsure && refusal.old()) {
		taken := refusal.Written >= b.Samples
		if l.refused(refusal, taken); !taken {
			l.q.refuse(e, refusal.Written)
			return nil
		}
	}
	l.q.acknowledge(e)
	return nil
}

// report hands an error to the user.
func (d *drain) report(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.warn(err)
}

func (l *lane) failed(ctx context.Context, e *entry, f *Failure) error {
	l.q.failed(e, f.Unknown)
	l.mu.Lock()
	if now := time.Now(); !l.warned && !now.Before(l.next) {
		l.warned, l.next = true, now.Add(quiet)
		l.warn(fmt.Errorf("%s: %w; trying again", l.c.Name(), f))
	}
	l.mu.Unlock()
	wait := time.NewTimer(max(f.After, l.pause/2+rand.N(l.pause/2+1)))
	defer wait.Stop()
	l.pause = min(2*l.pause, l.backoff.Most)
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lane) recovered() {
	l.pause, l.last = l.backoff.First, time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.warned {
		l.warn(fmt.Errorf("%s answers again", l.c.Name()))
	}
	l.warned = false
}

func (d *drain) refused(err error, taken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	told := &d.refusal
	if taken {
		told = &d.doubt
	}
	if !*told {
		*told = true
		d.warn(fmt.Errorf("%s: %w", d.c.Name(), err))
	}
}

// old reports whether a server refuses samples because it has them or newer ones: the usual reason after a
// lost answer.
func (r *Refusal) old() bool {
	text := strings.ToLower(strings.ReplaceAll(r.Text, "-", " "))
	return (r.Code == http.StatusBadRequest || r.Code == http.StatusConflict || r.Code == http.StatusUnprocessableEntity) &&
		(strings.Contains(text, "out of order") || strings.Contains(text, "duplicate"))
}
