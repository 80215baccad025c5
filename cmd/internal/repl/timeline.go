package repl

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
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

// showZoned is showTime with the zone.
func (s *Session) showZoned(t pcp.Timestamp) string {
	return s.showTime(t) + " " + format.Zone(t.Time().In(s.zone))
}

func newTime() *Verb {
	return &Verb{
		Name: "time", Usage: "[WHEN | start | end]", Short: "Show or change the position in an archive: 14:30 and 2pm are times of its day",
		Operands: Text, Most: 1, Asks: true, Complete: OfChoices("start", "end"), New: plain(runTime),
	}
}

func runTime(ctx context.Context, s *Session, args []string, w io.Writer) error {
	if s.src.Line == nil {
		return errNotRecorded()
	}
	if len(args) > 0 {
		at, bad := moment(ctx, s.src, args[0], s.zone)
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
	fmt.Fprintf(w, "%s (recorded from %s to %s)\n", s.showZoned(s.src.At), s.showTime(start), last)
	return nil
}

func newStep() *Verb {
	return &Verb{
		Name: "step", Usage: "[INTERVAL | record]", Short: "Show or change the time between samples of an archive",
		Operands: Text, Most: 1, Asks: true, Complete: OfChoices("record"), New: plain(runStep),
	}
}

func runStep(_ context.Context, s *Session, args []string, w io.Writer) error {
	if s.src.Line == nil {
		return errNotRecorded()
	}
	switch arg := strings.Join(args, ""); arg {
	case "":
	case "record", "records", "0":
		s.src.Step = 0
	default:
		d, err := parseInterval(arg)
		if err != nil {
			return err
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

// newMove returns the verb that goes to other samples in a direction, 1 or -1.
func newMove(name, short string, sign int) *Verb {
	return &Verb{
		Name: name, Usage: "[N]", Short: short, Most: 1, Asks: true,
		New: plain(func(ctx context.Context, s *Session, args []string, w io.Writer) error {
			return s.move(ctx, args, sign, w)
		}),
	}
}

// maxMoves bounds how many samples one command moves by.
const maxMoves = 1_000_000

func (s *Session) move(ctx context.Context, args []string, sign int, w io.Writer) error {
	if s.src.Line == nil {
		return errNotRecorded()
	}
	n := 1
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil || n < 1 || n > maxMoves {
			return query.Problemf("'%s' is not a number of samples from 1 to %d", args[0], maxMoves)
		}
	}
	before := s.src.At
	moved, err := move(ctx, s.src, sign*n)
	switch {
	case err == nil && moved == 0:
		err = query.Problemf("the recording has no more samples in that direction")
	case err == nil && moved < n:
		err = query.Problemf("the recording has only %s in that direction", textwidth.Plural(moved, "sample"))
	}
	if err != nil {
		s.src.At = before
		return err
	}
	s.forget()
	fmt.Fprintln(w, s.showZoned(s.src.At))
	return nil
}
