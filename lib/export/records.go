package export

import (
	"context"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Records is a Source over a recording that reads it record by record and counts the marks on the
// way. Derived metrics go over it.
type Records struct {
	pmapi.Source
	records pmapi.Recorder
	marked  bool  // since the last record
	seg     int32 // of the stretch that is read
	begun   bool
}

// NewRecords returns Records over src. A source of live metrics is pmerr.NotArchive.
func NewRecords(src pmapi.Source) (*Records, error) {
	rec, ok := pmapi.As[pmapi.Recorder](src)
	if !ok {
		return nil, pmerr.NotArchive
	}
	return &Records{Source: src, records: rec}, nil
}

// Unwrap returns the Source below.
func (s *Records) Unwrap() pmapi.Source { return s.Source }

// Fetch implements pmapi.Source: the next record.
func (s *Records) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	for {
		mark, err := s.records.FetchRecord(ctx, req, dst)
		if err != nil || !mark {
			return err
		}
		s.marked = true
	}
}

// rewind goes to the start of the recording.
func (s *Records) rewind(line pmapi.Timeline) error {
	s.marked, s.begun = false, false
	return line.SetMode(pcp.Forward, &pcp.Timestamp{}, 0)
}

// epoch is the beginning of the year 2000, where the numbers of stretches begin: they fit 32 bits
// until 2068.
const epoch = 946684800

// stretch returns the number of the stretch without interruption that a record of some second
// belongs to. It is the second in which the stretch begins, so that those of different recordings
// of a host differ, and greater than the one before.
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
