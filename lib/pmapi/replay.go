package pmapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Replay is a Catalog with a past: embed it in a Source of your own over records that you have, in
// memory or in a file, and it is a [Timeline]. Its Fetch is Next, for the record that is wanted, and
// [Catalog.Columns], for the values in it:
//
//	func (r *rooms) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) (err error) {
//		var i int
//		if i, dst.Time, err = r.Next(); err != nil {
//			return err
//		}
//		return r.Columns(req, dst, func(id pcp.ID, inst int32) (pcp.Value, error) {
//			return pcp.DoubleValue(r.lines[i][inst]), nil
//		})
//	}
//
// In the mode pcp.Interp a value holds until the next record: nothing is interpolated.
type Replay struct {
	Catalog
	Times []pcp.Timestamp // of the records, ascending; they do not change after the first request

	mode  pcp.Mode // 0 is as Forward, from the first record on
	at    pcp.Timestamp
	delta time.Duration
	read  int // the index of the record that was read at the position, plus 1
}

// SetMode implements Timeline.
func (r *Replay) SetMode(m pcp.Mode, when *pcp.Timestamp, delta time.Duration) error {
	switch {
	case r.Closed():
		return pmerr.NoContext
	case m < pcp.Interp || m > pcp.Back:
		return pmerr.Mode
	}
	at := r.Origin()
	if when != nil {
		at = *when
	}
	r.mode, r.at, r.delta, r.read = m, at, delta, 0
	return nil
}

// Origin implements Timeline.
func (r *Replay) Origin() pcp.Timestamp {
	if r.mode == 0 && r.read == 0 && len(r.Times) > 0 {
		return r.Times[0]
	}
	return r.at
}

// Bounds implements Timeline.
func (r *Replay) Bounds(context.Context) (start, end pcp.Timestamp, err error) {
	switch n := len(r.Times); {
	case r.Closed():
		return start, end, pmerr.NoContext
	case n == 0:
		return start, end, pmerr.NoData
	default:
		return r.Times[0], r.Times[n-1], nil
	}
}

// Next moves the position to the next record in the direction that SetMode set, and returns its index
// in Times and its time. In the mode pcp.Interp i is the last record that is
// not later than the position, at is the position, and the position then moves by the delta of SetMode. The
// end is pmerr.EOL.
func (r *Replay) Next() (i int, at pcp.Timestamp, err error) {
	if r.Closed() {
		return 0, at, pmerr.NoContext
	}
	at, n := r.Origin(), len(r.Times)
	first, _ := slices.BinarySearchFunc(r.Times, at, pcp.Timestamp.Compare) // not before the position
	after, _ := slices.BinarySearchFunc(r.Times, at, func(t, at pcp.Timestamp) int { return cmp.Or(t.Compare(at), -1) })
	switch {
	case r.mode == pcp.Interp:
		r.at = at.Add(r.delta)
		if i = after - 1; i == n-1 && first == n {
			i = n
		}
		if i < 0 || i == n {
			return 0, at, pmerr.EOL
		}
		return i, at, nil
	case r.mode == pcp.Back && r.read > 0:
		i = r.read - 2
	case r.mode == pcp.Back:
		i = after - 1
	case r.read > 0:
		i = r.read
	default:
		i = first
	}
	if i < 0 || i >= n {
		if n > 0 {
			end := min(max(i, 0), n-1)
			r.at, r.read = r.Times[end], end+1
		}
		return 0, at, pmerr.EOL
	}
	r.at, r.read = r.Times[i], i+1
	return i, r.at, nil
}
