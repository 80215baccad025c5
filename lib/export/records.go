package export

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Records is a Source that reads record by record and counts the marks on the way. Derived metrics
// go over it. The records are those of a recording, of one that grows ([Follow]), or the values of a
// live source ([Sample]).
type Records struct {
	pmapi.Source
	origin origin
	marked bool  // since the last record
	seg    int32 // of the stretch that is read
	begun  bool
	from   pcp.Timestamp // see Within
	until  pcp.Timestamp
}

type origin interface {
	host(ctx context.Context) (name, zone string)
	// rewind goes to the first record that is not before a time. A live source and a recording that
	// grows ignore the time.
	rewind(from pcp.Timestamp) error
	// next reads the next record, or a mark. pmerr.EOL is the end.
	next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) (mark bool, err error)
	// instances returns the instances of a domain at the time of the last record. of are those with values,
	// nil if they are those of the record before.
	instances(ctx context.Context, d *domain, at pcp.Timestamp, of []int32) ([]pcp.Instance, error)
	// endless reports whether only the context ends the records.
	endless() bool
}

// NewRecords returns the Records of a recording. A source of live metrics is pmerr.NotArchive.
func NewRecords(src pmapi.Source) (*Records, error) {
	o, err := newRecording(src)
	if err != nil {
		return nil, err
	}
	return &Records{Source: src, origin: o}, nil
}

// Within limits the records of a recording to those from one time to another. Zero means no bound.
func (s *Records) Within(from, until pcp.Timestamp) { s.from, s.until = from, until }

// Unwrap returns the Source below.
func (s *Records) Unwrap() pmapi.Source { return s.Source }

// Close implements pmapi.Source.
func (s *Records) Close() error {
	if f, ok := s.origin.(*followed); ok {
		closeAll(f.src)
		return nil
	}
	return s.Source.Close()
}

// Fetch implements pmapi.Source: the next record.
func (s *Records) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	for {
		mark, err := s.origin.next(ctx, req, dst)
		switch {
		case err != nil:
			return err
		case s.until != (pcp.Timestamp{}) && dst.Time.Compare(s.until) > 0:
			return pmerr.EOL
		case !mark:
			return nil
		}
		s.marked = true
	}
}

func (s *Records) rewind() error {
	s.marked, s.begun = false, false
	return s.origin.rewind(s.from)
}

// epoch is the year 2000, where the numbers of stretches begin: they fit 32 bits until 2068.
const epoch = 946684800

// stretch returns the number of the uninterrupted stretch of a record at a second: the second in which the
// stretch begins, so that the numbers of a host's recordings differ, but greater than the number before.
func (s *Records) stretch(sec int64) int32 {
	if s.begun && !s.marked {
		return s.seg
	}
	n := int32(min(max(sec-epoch, -1<<31), 1<<31-1))
	if s.begun && n <= s.seg {
		n = s.seg + 1
	}
	s.begun, s.marked, s.seg = true, false, n
	return n
}

type recording struct {
	src  pmapi.Source
	line pmapi.Timeline
}

func newRecording(src pmapi.Source) (recording, error) {
	line, ok := pmapi.As[pmapi.Timeline](src)
	if !ok {
		return recording{}, pmerr.NotArchive
	}
	return recording{src, line}, nil
}

func (r recording) host(context.Context) (name, zone string) { return r.src.Host() }

func (r recording) rewind(from pcp.Timestamp) error { return r.line.SetMode(pcp.Forward, &from, 0) }

func (r recording) next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) (mark bool, err error) {
	return r.line.FetchRecord(ctx, req, dst)
}

func (r recording) instances(ctx context.Context, d *domain, at pcp.Timestamp, _ []int32) ([]pcp.Instance, error) {
	return r.line.InstancesAt(ctx, d.id, at)
}

func (r recording) endless() bool { return false }
