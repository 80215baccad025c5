package query

import (
	"context"
	"strconv"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/derive/internal/insts"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A Source is an open source of metrics, and over a recording the position from which samples are
// taken. It belongs to one goroutine at a time. [NewSource] makes one; without a Source in it there are no metrics, and
// Run and Compile fail with pmerr.NoContext.
type Source struct {
	pmapi.Source
	Line pmapi.Timeline // nil over live metrics
	At   pcp.Timestamp  // the position
	Step time.Duration  // between samples of a recording; 0 for the records as they are
	// Equivalent reports whether operators may combine two instance domains, see derive.Options.
	Equivalent func(a, b pcp.InDom) bool

	names []string // of all metrics; nil if they have not been asked for
}

// NewSource returns the Source over src, which is at its start. Over nil every method fails with pmerr.NoContext.
func NewSource(src pmapi.Source) *Source {
	if src == nil {
		src = pmapi.Over(nil).Source()
	}
	s := &Source{Source: insts.Over(src)}
	if s.Line, _ = pmapi.As[pmapi.Timeline](src); s.Line != nil {
		s.At = s.Line.Origin() // of a source just opened
	}
	return s
}

// Unwrap implements pmapi.Wrapper.
func (s *Source) Unwrap() pmapi.Source { return s.Source }

// Forget drops cached names, after a reconnection or a change of the position.
func (s *Source) Forget() { s.names = nil }

// Seek makes the source read from the position on.
func (s *Source) Seek() error {
	if s.Line == nil {
		return nil
	}
	mode := pcp.Forward
	if s.Step > 0 {
		mode = pcp.Interp
	}
	if err := s.Line.SetMode(mode, &s.At, s.Step); err != nil {
		return diagnose.From(err)
	}
	return nil
}

// Empty returns the error for a window without samples. Over a recording it shows the span of that.
func (s *Source) Empty(ctx context.Context, zone *time.Location) *diagnose.Problem {
	p := Problemf("there are no samples in that time")
	if s.Line != nil {
		if from, to, err := s.Line.Bounds(ctx); err == nil {
			p.Notes = append(p.Notes, "recorded: "+format.Span(from.Time(), to.Time(), zone))
		}
	}
	return p
}

// Catalogue returns the names of the metrics of the source; an error gives none.
func (s *Source) Catalogue(ctx context.Context) []string {
	if s.names == nil && s.Source != nil {
		names, err := pmapi.Leaves(ctx, s, "")
		if err != nil {
			return nil
		}
		s.names = names
	}
	return s.names
}

// Number returns the identifier of an instance as text.
func Number(inst int32) string { return strconv.Itoa(int(inst)) }
