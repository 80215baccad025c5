package repl

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/when"
)

// errNotRecorded is the error of commands about time over live metrics.
func errNotRecorded() error {
	return query.Problemf("the source is live; only archives have a time to go to")
}

func (s *Session) showTime(t pcp.Timestamp) string {
	layout := time.DateTime
	if t.Nsec%1e6 != 0 {
		layout += ".000000"
	} else if t.Nsec != 0 {
		layout += ".000"
	}
	return t.Time().In(s.zone).Format(layout)
}

func runTime(ctx context.Context, s *Session, arg string, w io.Writer) error {
	if s.src.Line == nil {
		return errNotRecorded()
	}
	if arg != "" {
		at, bad := s.src.Moment(ctx, arg, s.zone)
		if bad != nil {
			return bad
		}
		s.src.At = at
		s.forget()
	}
	start, end, err := s.src.Line.Bounds(ctx)
	last := "unknown"
	if err == nil {
		last = s.showTime(end)
	}
	fmt.Fprintf(w, "%s (recorded from %s to %s)\n", s.showTime(s.src.At), s.showTime(start), last)
	return nil
}

func runStep(_ context.Context, s *Session, arg string, w io.Writer) error {
	if s.src.Line == nil {
		return errNotRecorded()
	}
	switch arg {
	case "":
	case "record", "records", "0":
		s.src.Step = 0
	default:
		d, err := when.ParseInterval(arg)
		if err != nil {
			return diagnose.From(err)
		}
		s.src.Step = d
	}
	if s.src.Step == 0 {
		fmt.Fprintln(w, "one record")
		return nil
	}
	fmt.Fprintf(w, "%s\n", format.AppendInterval(nil, int64(s.src.Step/time.Second), int32(s.src.Step%time.Second)))
	return nil
}

func runNext(ctx context.Context, s *Session, arg string, w io.Writer) error {
	return s.move(ctx, arg, 1, w)
}
func runPrev(ctx context.Context, s *Session, arg string, w io.Writer) error {
	return s.move(ctx, arg, -1, w)
}

// maxMoves bounds how many samples one command moves by.
const maxMoves = 1_000_000

func (s *Session) move(ctx context.Context, arg string, sign int, w io.Writer) error {
	if s.src.Line == nil {
		return errNotRecorded()
	}
	n := 1
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 || n > maxMoves {
			return query.Problemf("'%s' is not a number of samples from 1 to %d", arg, maxMoves)
		}
	}
	before := s.src.At
	moved, err := s.src.Move(ctx, sign*n)
	switch {
	case err == nil && moved == 0:
		err = query.Problemf("the recording has no more samples in that direction")
	case err == nil && moved < n:
		err = query.Problemf("the recording has only %s in that direction", query.Plural(moved, "sample"))
	}
	if err != nil {
		s.src.At = before
		return err
	}
	s.forget()
	fmt.Fprintln(w, s.showTime(s.src.At))
	return nil
}
