package repl_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/derive/diagnose"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A span is a recording of which nothing is known but its ends.
type span struct {
	pmapi.Timeline
	start, end time.Time
}

func (s span) Bounds(context.Context) (start, end pcp.Timestamp, err error) {
	return pcp.TimestampOf(s.start), pcp.TimestampOf(s.end), nil
}

// TestWindowDays: a note has the date of a time of the day which a recording has on several days. Other times, and times
// with a date, get no note.
func TestWindowDays(t *testing.T) {
	start := time.Date(2023, 11, 14, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		from, until string
		length      time.Duration
		want        []string
	}{
		{"@14:06", "", 60 * time.Hour, []string{"-S @14:06 is 2023-11-14 14:06:00 UTC"}},
		{"@14:06", "@15:00", 60 * time.Hour, []string{"-S @14:06 is 2023-11-14 14:06:00 UTC", "-T @15:00 is 2023-11-14 15:00:00 UTC"}},
		{"@14:06", "", 20 * time.Hour, nil},
		{"@2023-11-15 14:06", "", 60 * time.Hour, nil},
		{"-5min", "", 60 * time.Hour, nil},
	} {
		var told []string
		w := repl.Window{
			Options: &option.Options{Start: tt.from, HasStart: true, Finish: tt.until, HasFinish: tt.until != ""},
			Now:     start.AddDate(1, 0, 0), Zone: time.UTC, Note: func(p *diagnose.Problem) { told = append(told, p.Msg) },
			Tell: func(line string) { told = append(told, line) },
		}
		if _, err := w.Over(t.Context(), span{start: start, end: start.Add(tt.length)}); err != nil {
			t.Fatal(tt.from, err)
		}
		if !slices.Equal(told, tt.want) {
			t.Errorf("%s %s of %v: %q, want %q", tt.from, tt.until, tt.length, told, tt.want)
		}
	}
}
