package sampling

import (
	"context"
	"errors"
	"iter"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// Times say when a source is sampled.
type Times struct {
	// Interval is the time between samples. Over a recording, 0 stands for its records as they are.
	Interval time.Duration
	Start    pcp.Timestamp // in a recording; zero for its beginning
	End      pcp.Timestamp // no sample is later; zero for no bound
	Samples  int           // at most; 0 for no bound
	// Delay waits for the interval between samples of a recording too.
	Delay bool
	// Later puts the first live sample an interval after the beginning.
	Later bool
}

// An IdleError is the error of a context that ended while no request was pending, so that the
// connection remains usable.
type IdleError struct{ Err error }

// Error implements error.
func (e *IdleError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the context.
func (e *IdleError) Unwrap() error { return e.Err }

// Fetches yields results of req at the times of t: current values of a live source, or values of a
// recording from t.Start on. It ends at the end of a recording, or after it has yielded an error. req
// may change between fetches. Each result overwrites the previous one.
func Fetches(ctx context.Context, src pmapi.Source, req *pmapi.Request, t *Times) iter.Seq2[*pcp.Result, error] {
	return func(yield func(*pcp.Result, error) bool) {
		clock, err := t.begin(ctx, src)
		if err != nil {
			yield(nil, err)
			return
		}
		r := new(pcp.Result)
		for n := 0; t.Samples == 0 || n < t.Samples; n++ {
			err := ctx.Err()
			if clock.Interval > 0 {
				_, err = clock.Wait(ctx)
			}
			if err != nil {
				yield(nil, &IdleError{err})
				return
			}
			err = src.Fetch(ctx, req, r)
			switch {
			case errors.Is(err, pmerr.EOL):
				return
			case err != nil:
				yield(nil, err)
				return
			case t.End != (pcp.Timestamp{}) && r.Time.Compare(t.End) > 0:
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// begin positions a recording, and returns the clock of samples.
func (t *Times) begin(ctx context.Context, src pmapi.Source) (*when.Clock, error) {
	clock := &when.Clock{Interval: t.Interval}
	line, recorded := pmapi.As[pmapi.Timeline](src)
	if !recorded {
		if t.Later {
			clock.Due(time.Now())
		}
		return clock, nil
	}
	if !t.Delay {
		clock.Interval = 0
	}
	mode, start := pcp.Forward, t.Start
	if t.Interval > 0 {
		mode = pcp.Interp
	}
	if start == (pcp.Timestamp{}) && mode == pcp.Interp {
		start, _, _ = line.Bounds(ctx) // an error belongs to the end
	}
	return clock, line.SetMode(mode, &start, t.Interval)
}
