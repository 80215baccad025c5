package source

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
	"pmtools/lib/when"
)

// KnownZone returns the zone that a value of TZ names, or an error if there is none.
func KnownZone(tz string) (*time.Location, error) {
	if when.CheckZone(tz) != nil || !when.Known(tz) {
		return nil, fmt.Errorf("unknown time zone %q: give a name, such as Europe/Berlin, or a rule, such as CET-1CEST", tz)
	}
	return when.LoadZone(tz), nil
}

// Interval makes an interval of 0 an error of -t. If records is set, -t takes "record" too, for the
// records of an archive as they are: that is an interval of 0.
func Interval(p *option.Options, interval *option.Option, records bool) *option.Option {
	set, instead := interval.Set, ""
	if records {
		interval.Text += ", or record: an archive's records as they are"
		instead = "; 'record' is a sample for each record of an archive"
	}
	interval.Set = func(text string) error {
		if records && (text == "record" || text == "records") {
			p.Interval, p.HasInterval = 0, true
			return nil
		}
		err := set(text)
		if err == nil && p.Interval == 0 {
			err = fmt.Errorf("-t %s: an interval is longer than 0%s", text, instead)
		}
		return err
	}
	return interval
}

// A Window is a time window for people: one outside a recording is an error that shows the span of
// the recording, and what may have been meant.
type Window struct {
	*option.Options
	Now  time.Time
	Zone *time.Location
	// Note gets what is doubtful about the window.
	Note func(*diagnose.Problem)
}

// Over returns the window over a recording, or over live metrics if line is nil. An end that lies
// after the recording, though the recording has that time of the day, is noted.
func (x *Window) Over(ctx context.Context, line pmapi.Timeline) (when.Window, error) {
	b := when.Base{Start: x.Now, Now: x.Now, Zone: x.Zone}
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
		for _, o := range []struct{ name, text string }{{"-S", x.Start}, {"-O", x.Origin}, {"-T", x.Finish}} {
			if form := meant(o.text, b); form != "" && form != o.text {
				p.Notes = append(p.Notes, fmt.Sprintf("did you mean %s %s?", o.name, form))
			}
		}
		p.Notes = append(p.Notes, recorded)
		return w, p
	}
	if at, err := when.ParseTime(x.Finish, b); x.HasFinish && err == nil && at.After(b.End) {
		if form := meant(x.Finish, b); form != "" {
			x.Note(&diagnose.Problem{
				Msg:   fmt.Sprintf("-T %s is after the end of the archive; did you mean -T %s?", x.Finish, form),
				Notes: []string{recorded},
			})
		}
	}
	return w, nil
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
		b := when.Base{Start: x.Now, Now: x.Now, Zone: x.Zone}
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
