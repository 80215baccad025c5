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
	Start    pcp.Timestamp // of a recording
	End      pcp.Timestamp // no sample is later; zero for no bound
	Samples  int           // at most; 0 for no bound
	// Delay waits for the interval between samples of a recording too.
	Delay bool
	// Later puts the first live sample an interval after the beginning.
	Later bool
	// Marks yields the marks of a recording that is read record by record: the places where it was
	// interrupted.
	Marks bool
}

// A Fetch has the values of a source at one time. The next Fetch overwrites it.
type Fetch struct {
	pcp.Result
	Mark bool // see Times.Marks; there are no values then
}

// An IdleError is that of a context which has ended while no request was under way, so that a
// connection is as good as before.
type IdleError struct{ Err error }

// Error implements error.
func (e *IdleError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the context.
func (e *IdleError) Unwrap() error { return e.Err }

// Fetches fetches the metrics of req again and again, at the times that t says: the values that a live
// source has now, or those of a recording from t.Start on. The end of the recording ends the loop, and
// so does the first error, which is the last thing that is yielded. req may change between fetches.
func Fetches(ctx context.Context, src pmapi.Source, req *pmapi.Request, t *Times) iter.Seq2[*Fetch, error] {
	return func(yield func(*Fetch, error) bool) {
		clock, fetch, err := t.begin(src)
		if err != nil {
			yield(nil, err)
			return
		}
		f := new(Fetch)
		for n := 0; t.Samples == 0 || n < t.Samples; n++ {
			err := ctx.Err()
			if clock.Interval > 0 {
				_, err = clock.Wait(ctx)
			}
			if err != nil {
				yield(nil, &IdleError{err})
				return
			}
			err = fetch(ctx, req, f)
			switch {
			case errors.Is(err, pmerr.EOL):
				return
			case err != nil:
				yield(nil, err)
				return
			case t.End != (pcp.Timestamp{}) && f.Time.Compare(t.End) > 0:
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// begin positions a recording, and returns the clock and the fetch of samples.
func (t *Times) begin(src pmapi.Source) (*when.Clock, func(context.Context, *pmapi.Request, *Fetch) error, error) {
	clock := &when.Clock{Interval: t.Interval}
	fetch := func(ctx context.Context, req *pmapi.Request, f *Fetch) error { return src.Fetch(ctx, req, &f.Result) }
	line, recorded := pmapi.As[pmapi.Timeline](src)
	if !recorded {
		if t.Later {
			clock.Due(time.Now())
		}
		return clock, fetch, nil
	}
	if !t.Delay {
		clock.Interval = 0
	}
	mode, start := pcp.Forward, t.Start
	if t.Interval > 0 {
		mode = pcp.Interp
	} else if t.Marks {
		fetch = func(ctx context.Context, req *pmapi.Request, f *Fetch) (err error) {
			f.Mark, err = line.FetchRecord(ctx, req, &f.Result)
			return err
		}
	}
	return clock, fetch, line.SetMode(mode, &start, t.Interval)
}
