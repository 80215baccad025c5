package pmapi

import (
	"time"

	"pmtools/lib/pmcd"
)

// A Retry decides when to connect again to a daemon that is down: after each failure it waits longer. A lost connection is replaced at
// once. The zero Retry has the Dialer's delays: 5, 10, 20, 40 and then always 80 seconds.
type Retry struct {
	Delays []time.Duration // pauses after the first failure, the second, ...; the last one repeats

	down *Down // the last failure
}

// A Down is the error of a request while there is no connection.
type Down struct {
	Attempts int       // failures since the last success
	Next     time.Time // no attempt is made before
	Err      error     // of the last attempt
}

// Error returns the cause.
func (d *Down) Error() string { return d.Err.Error() }

// Unwrap returns the cause.
func (d *Down) Unwrap() error { return d.Err }

// Wait returns a *Down if it is too early for another attempt, otherwise nil.
func (r *Retry) Wait() error {
	if r.down != nil && time.Now().Before(r.down.Next) {
		return r.down
	}
	return nil
}

// Failed notes a failure. It returns a *Down.
func (r *Retry) Failed(err error) error {
	delays := r.Delays
	if len(delays) == 0 {
		delays = new(pmcd.Dialer).ReconnectDelays()
	}
	before := 0
	if r.down != nil {
		before = r.down.Attempts
	}
	r.down = &Down{Attempts: before + 1, Next: time.Now().Add(delays[min(before, len(delays)-1)]), Err: err}
	return r.down
}

// Reset notes a success.
func (r *Retry) Reset() { r.down = nil }
