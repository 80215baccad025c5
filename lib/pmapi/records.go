package pmapi

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Recorder is a Source whose records can be read as they were written.
type Recorder interface {
	// FetchRecord reads the next record that holds a metric of the request, in the
	// direction that SetMode said, or the next mark: a place where recording was
	// interrupted. For a mark the result is true and dst has no columns. Metrics
	// that are not in the record have no values. The end is pmerr.EOL.
	FetchRecord(ctx context.Context, req *Request, dst *pcp.Result) (mark bool, err error)
}

// FetchRecord implements Recorder.
func (a *Archive) FetchRecord(_ context.Context, req *Request, dst *pcp.Result) (mark bool, err error) {
	if a.closed {
		return false, pmerr.NoContext
	}
	return a.cursor.FetchOrMark(req.IDs, req.Profile, dst)
}
