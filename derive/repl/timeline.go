package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"pmtools/derive/query"
	"strconv"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
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
	start, end, err := s.src.Line.Bounds(ctx)
	if arg != "" {
		at, bad := s.moment(arg, start, end, err == nil)
		if bad != nil {
			return bad
		}
		s.src.At = at
		s.forget()
	}
	last := "unknown"
	if err == nil {
		last = s.showTime(end)
	}
	fmt.Fprintf(w, "%s (recorded from %s to %s)\n", s.showTime(s.src.At), s.showTime(start), last)
	return nil
}

// moment reads a time of the recording: its start or end, a time as -S takes it, or a time of the day,
// which is one of the day of the position, or of the day before or after.
func (s *Session) moment(arg string, start, end pcp.Timestamp, ends bool) (pcp.Timestamp, error) {
	base := when.Base{Start: start.Time(), Now: s.src.At.Time(), Zone: s.zone}
	if ends {
		base.End = end.Time()
	}
	switch t, ok := base.Within(arg); {
	case arg == "start":
		return start, nil
	case arg == "end" && ends:
		return end, nil
	case arg == "end":
		return start, query.Problemf("the end of the recording is not known")
	case ok:
		return pcp.TimestampOf(t), nil
	}
	t, err := when.ParseTime(arg, base)
	if err != nil {
		return start, &Problem{Msg: err.Error(), Notes: []string{":time start, :time end, :time 14:30, :time +5min from the start, :time -5min from the end"}, Err: err}
	}
	at := pcp.TimestampOf(t)
	if at.Compare(start) < 0 || ends && at.Compare(end) > 0 {
		bad := query.Problemf("%s is not within the recording", s.showTime(at))
		if ends {
			bad.Notes = []string{"recorded: " + query.Span(base.Start, base.End, s.zone)}
		}
		return start, bad
	}
	return at, nil
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
			return &Problem{Msg: err.Error(), Err: err}
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

// move goes on by a number of samples, or back.
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
	var err error
	before, moved := s.src.At, 0
	if s.src.Step > 0 {
		moved = s.moveSteps(ctx, n, sign)
	} else {
		moved, err = s.moveRecords(ctx, n, sign)
	}
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

// moveSteps moves by a number of steps, within the recording, and returns how many there were.
func (s *Session) moveSteps(ctx context.Context, n, sign int) (moved int) {
	start, end, err := s.src.Line.Bounds(ctx)
	for ; moved < n; moved++ {
		next := s.src.At.Add(time.Duration(sign) * s.src.Step)
		if next.Compare(start) < 0 || err == nil && next.Compare(end) > 0 {
			break
		}
		s.src.At = next
	}
	return moved
}

// moveRecords moves by a number of records and returns how many there were.
func (s *Session) moveRecords(ctx context.Context, n, sign int) (moved int, err error) {
	mode := pcp.Forward
	if sign < 0 {
		mode = pcp.Back
	}
	at := s.src.At
	if err := s.src.Line.SetMode(mode, &at, 0); err != nil {
		return 0, &Problem{Msg: err.Error(), Err: err}
	}
	var res pcp.Result
	for moved < n {
		switch err := s.src.Fetch(ctx, &pmapi.Request{}, &res); {
		case errors.Is(err, pmerr.EOL):
			return moved, nil
		case err != nil:
			return moved, &Problem{Msg: err.Error(), Err: err}
		}
		if res.Time.Compare(s.src.At)*sign > 0 {
			s.src.At = res.Time
			moved++
		}
		if err := ctx.Err(); err != nil {
			return moved, err
		}
	}
	return moved, nil
}
