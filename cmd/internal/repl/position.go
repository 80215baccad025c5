package repl

import (
	"context"
	"errors"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

// moment reads a time of a recording: its start or end, a time as -S takes it, or a time of the day,
// which is one of the day of the position, or of the day before or after. A time outside the
// recording is a *diagnose.Problem, like one that cannot be read.
func moment(ctx context.Context, s *query.Source, text string, zone *time.Location) (pcp.Timestamp, error) {
	start, end, bad := s.Line.Bounds(ctx)
	base := when.Base{Start: start.Time(), Now: s.At.Time(), Zone: zone, Printed: true}
	if bad == nil {
		base.End = end.Time()
	}
	switch t, ok := base.Within(text); {
	case text == "start":
		return start, nil
	case text == "end" && bad == nil:
		return end, nil
	case text == "end":
		return start, query.Problemf("the end of the recording is not known")
	case ok:
		return pcp.TimestampOf(t), nil
	}
	t, err := when.ParseTime(text, base)
	if err != nil {
		return start, noTime(err)
	}
	at := pcp.TimestampOf(t)
	if at.Compare(start) < 0 || bad == nil && at.Compare(end) > 0 {
		p := query.Problemf("%s is not within the recording", t.In(zone).Format(time.DateTime+".999999"))
		if bad == nil {
			p.Notes = []string{"recorded: " + format.Span(base.Start, base.End, zone)}
		}
		return start, p
	}
	return at, nil
}

// move moves the position of a recording by a number of samples, back if it is negative, and returns how many there
// were: steps within the recording, or records.
func move(ctx context.Context, s *query.Source, n int) (moved int, err error) {
	sign := 1
	if n < 0 {
		n, sign = -n, -1
	}
	if s.Step == 0 {
		return moveRecords(ctx, s, n, sign)
	}
	start, end, bad := s.Line.Bounds(ctx)
	for ; moved < n; moved++ {
		next := s.At.Add(time.Duration(sign) * s.Step)
		if next.Compare(start) < 0 || bad == nil && next.Compare(end) > 0 {
			break
		}
		s.At = next
	}
	return moved, nil
}

func moveRecords(ctx context.Context, s *query.Source, n, sign int) (moved int, err error) {
	mode := pcp.Forward
	if sign < 0 {
		mode = pcp.Back
	}
	at := s.At
	if err := s.Line.SetMode(mode, &at, 0); err != nil {
		return 0, diagnose.From(err)
	}
	var res pcp.Result
	for moved < n {
		switch err := s.Fetch(ctx, &pmapi.Request{}, &res); {
		case errors.Is(err, pmerr.EOL):
			return moved, nil
		case err != nil:
			return moved, diagnose.From(err)
		}
		if res.Time.Compare(s.At)*sign > 0 {
			s.At = res.Time
			moved++
		}
		if err := ctx.Err(); err != nil {
			return moved, err
		}
	}
	return moved, nil
}
