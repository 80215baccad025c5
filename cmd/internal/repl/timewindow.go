package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
	"pmtools/lib/when"
)

// A Window is a time window for people: one outside a recording is an error that shows the span of
// the recording, and what may have been meant.
type Window struct {
	*option.Options
	Now  time.Time
	Zone *time.Location
	With bool // the options are those of a second window: --with-S
	// Note is called with doubts about the window.
	Note func(*diagnose.Problem)
	// Tell gets how the window was understood, where it may be meant otherwise; nil to tell nothing.
	Tell func(line string)
}

// A Bounded has a beginning and an end, as a pmapi.Timeline has them.
type Bounded interface {
	Bounds(ctx context.Context) (start, end pcp.Timestamp, err error)
}

// Over returns the window over a recording, or over live metrics if line is nil. An end that lies
// after the recording, though the recording has that time of the day, is noted.
func (x *Window) Over(ctx context.Context, line Bounded) (when.Window, error) {
	b := when.Base{Start: x.Now, Now: x.Now, Zone: x.Zone, Printed: true}
	if line != nil {
		start, end, err := line.Bounds(ctx)
		if b.Start = start.Time(); err == nil {
			b.End = end.Time()
		}
	}
	w, err := x.Options.Window(b)
	if err != nil || b.End.IsZero() {
		return w, noTime(err)
	}
	recorded := "recorded: " + format.Span(b.Start, b.End, x.Zone)
	if w.Origin.After(b.End) || w.End.Before(w.Origin) {
		p := &diagnose.Problem{Msg: "there are no samples in that time"}
		for _, o := range []struct{ name, text string }{{"S", x.Start}, {"O", x.Origin}, {"T", x.Finish}} {
			if form := meant(o.text, b); form != "" && form != o.text {
				p.Notes = append(p.Notes, fmt.Sprintf("did you mean %s %s?", x.option(o.name), form))
			}
		}
		p.Notes = append(p.Notes, recorded)
		return w, p
	}
	if at, err := when.ParseTime(x.Finish, b); x.HasFinish && err == nil && at.After(b.End) {
		if form := meant(x.Finish, b); form != "" {
			x.Note(&diagnose.Problem{
				Msg:   fmt.Sprintf("%s %s is after the end of the archive; did you mean %[1]s %[3]s?", x.option("T"), x.Finish, form),
				Notes: []string{recorded},
			})
		}
	}
	x.tellDays(&w, b)
	return w, nil
}

// noTime returns the error of a text that is not a time, or another error as it is.
func noTime(err error) error {
	if bad, ok := errors.AsType[*when.SyntaxError](err); ok && !bad.Misaligned() {
		return &diagnose.Problem{
			Msg: fmt.Sprintf("'%s' is not a time; as in @14:30, '@2025-12-31 14:30', +5min from the start or -5min from the end", bad.Text), Err: bad,
		}
	}
	return err
}

// parseInterval returns the time that a text says. The error says how others are written.
func parseInterval(text string) (time.Duration, error) {
	d, err := when.ParseInterval(text)
	if err != nil {
		return 0, &diagnose.Problem{Msg: fmt.Sprintf("'%s' is not an interval; as in 5, 500msec, 10sec or 2min", text), Err: err}
	}
	return d, nil
}

// tellDays tells the dates of times of the day, in a recording that has these times on several days.
func (x *Window) tellDays(w *when.Window, b when.Base) {
	for _, o := range []struct {
		name, text string
		at         time.Time
	}{{"S", x.Start, w.Start}, {"T", x.Finish, w.End}, {"O", x.Origin, w.Origin}} {
		again := o.at.AddDate(0, 0, 1).Before(b.End) || o.at.AddDate(0, 0, -1).After(b.Start)
		if x.Tell != nil && again && meant(o.text, b) != "" {
			x.Tell(fmt.Sprintf("%s %s is %s", x.option(o.name), o.text, o.at.In(x.Zone).Format(time.DateTime+" ")+format.Zone(o.at.In(x.Zone))))
		}
	}
}

// Limit is Over, and makes times those of the window.
func (x *Window) Limit(ctx context.Context, line Bounded, t *sampling.Times) (when.Window, error) {
	w, err := x.Over(ctx, line)
	if err != nil {
		return w, err
	}
	t.Start = pcp.TimestampOf(w.Origin)
	if !w.End.IsZero() {
		t.End = pcp.TimestampOf(w.End)
	}
	return w, nil
}

// option returns an option of the window by its letter, as it is typed.
func (x *Window) option(letter string) string {
	if x.With {
		return "--with-" + letter
	}
	return "-" + letter
}

// meant returns the form of a time of the day that makes it one of a recording, or "".
func meant(text string, b when.Base) string {
	day := b
	day.Now = b.Start
	if at, ok := day.Within(text); ok {
		return b.Text(at)
	}
	return ""
}

// Bounds returns the ends of the window over a recording that -S and -T give, zero for no bound.
// Without a recording they are times by themselves.
func (x *Window) Bounds(ctx context.Context, line Bounded) (from, until pcp.Timestamp, err error) {
	if !x.HasStart && !x.HasFinish {
		return from, until, nil
	}
	w := when.Window{}
	if line != nil {
		w, err = x.Over(ctx, line)
	} else {
		var bad error
		b := when.Base{Start: x.Now, Now: x.Now, Zone: x.Zone, Printed: true}
		w.Start, err = when.ParseTime(cmp.Or(x.Start, "now"), b)
		w.End, bad = when.ParseTime(cmp.Or(x.Finish, "now"), b)
		err = noTime(cmp.Or(err, bad))
	}
	if x.HasStart {
		from = pcp.TimestampOf(w.Start)
	}
	if x.HasFinish {
		until = pcp.TimestampOf(w.End)
	}
	return from, until, err
}
