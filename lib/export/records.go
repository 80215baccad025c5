package export

import (
	"context"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Records is a Source that reads record by record and counts the marks on the way. Derived metrics
// go over it. The records are those of a recording, of one that grows ([Following]), or the values of a
// live source ([Sample]).
type Records struct {
	pmapi.Source
	origin  origin
	state   stretch
	from    pcp.Timestamp // see Within
	until   pcp.Timestamp
	request pmapi.Request // of the last fetch, for records

	cover *coverage // what is exported; nil if the records are not those of an archive
	tally tally
	tick  int64         // of the tables
	queue []heard       // that accept counts
	place archive.Place // of the last record or mark
	jump  jump

	last   heard     // the last record that was counted, if the records are a snapshot
	before stretch   // before the records of its time
	resume *bookmark // where the export before has ended; may be nil
}

// A jump goes to the first gap of a coverage. Where the clock went back the search for a time may end after
// it; then reading begins at the start.
type jump uint8

const (
	landed jump = iota
	jumping
	missed
)

type origin interface {
	// rewind goes to the first record that is not before a time. A live source and a recording that
	// grows ignore the time.
	rewind(from pcp.Timestamp) error
	// next reads the next record, or a mark: a result with Gap. pmerr.EOL is the end.
	next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error
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
	return s.Source.Close()
}

// Fetch implements pmapi.Source: the next record.
func (s *Records) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	s.request = pmapi.Request{IDs: req.IDs, Profile: req.Profile, Records: true}
	gap := false
	for {
		if s.cover != nil && s.cover.ended(s.place) {
			return s.ended()
		}
		err := s.origin.next(ctx, &s.request, dst)
		switch {
		case s.jump != landed && ctx.Err() == nil: // it has read nothing, or too late a record
			if err := s.rewind(); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case s.until != (pcp.Timestamp{}) && dst.Time.Compare(s.until) > 0:
			return pmerr.EOL
		case !dst.Gap:
			dst.Gap = gap
			return nil
		}
		if gap = true; s.cover == nil {
			s.state.mark()
		}
	}
}

// rewind goes to the first record.
func (s *Records) rewind() error {
	s.state, s.queue, s.place, s.jump, s.last = stretch{tick: s.tick}, s.queue[:0], archive.Place{}, landed, heard{}
	if s.cover != nil {
		s.cover.at, s.tally = 0, tally{members: s.tally.members}
	}
	return s.origin.rewind(s.from)
}

// attach makes s export the records that are not covered, and sum up those that it reads. It goes to the
// first of them, unless values depend on those before.
func (s *Records) attach(a *pmapi.Archive, cover *coverage, derived bool) error {
	s.cover, s.tally = cover, tally{members: a.Set().Members()}
	a.Tap(s.hear)
	first := &cover.gaps[0]
	if derived || first.start == (pcp.Timestamp{}) {
		return nil
	}
	s.state, s.jump = first.state, jumping
	return s.origin.rewind(first.start)
}

// hear is called for each record and mark of an archive.
func (s *Records) hear(raw *archive.Raw) {
	at, err := nanoseconds(raw.Time)
	if err != nil {
		return // reading ends there
	}
	if s.jump == jumping {
		if s.jump = landed; raw.Place.Compare(s.cover.gaps[0].first) > 0 {
			s.jump = missed
		}
	}
	s.place = raw.Place
	h := heard{at: at, place: raw.Place, mark: raw.Body == nil}
	outside := raw.Time.Compare(s.from) < 0 && s.from != pcp.Timestamp{} || raw.Time.Compare(s.until) > 0 && s.until != pcp.Timestamp{}
	if !h.mark && !outside && s.cover.has(raw.Place) {
		h.counts, h.gap = true, s.cover.at
	}
	if !h.mark {
		h.sum = recordSum(at, raw.Body)
	}
	if !s.grows() {
		s.settle()
	}
	s.queue = append(s.queue, h)
}

// settle counts the records that were heard.
func (s *Records) settle() (wanted bool) {
	for i := range s.queue {
		h := &s.queue[i]
		if h.mark {
			s.state.mark()
			continue
		}
		if h.at != s.last.at || !s.state.begun {
			s.before = s.state
		}
		s.state.at(h.at)
		if wanted = h.counts; wanted {
			s.tally.add(h)
		}
		s.last = *h
	}
	s.queue = s.queue[:0]
	return wanted
}

// accept counts the record that was read last and those before it. It reports whether that record, of a
// time, is to be exported.
func (s *Records) accept(at int64) bool {
	if s.cover == nil {
		s.state.at(at)
		return true
	}
	return s.settle()
}

// record returns the record that was accepted last.
func (s *Records) record(at int64) record { return record{at, s.state.seg, s.state.nth} }

// end counts the records after the last one that was wanted. An archive that grows is read again from there, if
// they may need metadata that have not been read.
func (s *Records) end() {
	now, snap := s.origin.(*snapshot)
	if !s.grows() || snap && now.done {
		s.settle()
	}
}

// wanted reports whether the record that was read last is to be exported.
func (s *Records) wanted() bool {
	return s.cover == nil || len(s.queue) > 0 && s.queue[len(s.queue)-1].counts
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

func (r recording) rewind(from pcp.Timestamp) error { return r.line.SetMode(pcp.Forward, &from, 0) }

func (r recording) next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	return r.src.Fetch(ctx, req, dst)
}

func (r recording) instances(ctx context.Context, d *domain, at pcp.Timestamp, _ []int32) ([]pcp.Instance, error) {
	return pmapi.InstancesOf(ctx, r.src, d.id, pmapi.At(at))
}

func (r recording) endless() bool { return false }
