package query

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"pmtools/derive/diagnose"
	"pmtools/lib/format"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
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
	// Note gets what is doubtful about the window.
	Note func(*diagnose.Problem)
}

// Over returns the window over a recording, or over live metrics if line is nil. An end that lies
// after the recording, though the recording has that time of the day, is noted.
func (x *Window) Over(ctx context.Context, line pmapi.Timeline) (when.Window, error) {
	b := when.Base{Start: x.Now, Now: x.Now, Zone: x.Zone, Printed: true}
	if line != nil {
		start, end, err := line.Bounds(ctx)
		if b.Start = start.Time(); err == nil {
			b.End = end.Time()
		}
	}
	w, err := x.Options.Window(b)
	if err != nil || b.End.IsZero() {
		return w, err
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
	return w, nil
}

// Limit is Over, and makes times those of the window.
func (x *Window) Limit(ctx context.Context, line pmapi.Timeline, t *sampling.Times) (when.Window, error) {
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
func (x *Window) Bounds(ctx context.Context, line pmapi.Timeline) (from, until pcp.Timestamp, err error) {
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
		err = cmp.Or(err, bad)
	}
	if x.HasStart {
		from = pcp.TimestampOf(w.Start)
	}
	if x.HasFinish {
		until = pcp.TimestampOf(w.End)
	}
	return from, until, err
}
