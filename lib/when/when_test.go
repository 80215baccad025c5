package when_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the recorded cases need zones wherever they run

	"pmtools/lib/when"
	_ "pmtools/test/env"
)

// endless is the reference's text for the end of a source without an end.
const endless = "9223372036854775807.999999999"

// stamp returns an instant as seconds and nanoseconds.
func stamp(t time.Time) string {
	if t.IsZero() {
		return endless
	}
	return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond())
}

// instant reads the output of stamp.
func instant(t *testing.T, s string) time.Time {
	t.Helper()
	if s == endless {
		return time.Time{}
	}
	sec, nsec, _ := strings.Cut(s, ".")
	return time.Unix(integer(t, sec), integer(t, nsec))
}

// integer reads a number.
func integer(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWindowRecorded(t *testing.T) {
	for line, f := range golden(t, "testdata/window.txt", 9) {
		b := when.Base{Now: time.Unix(integer(t, f[1]), 0), Start: instant(t, f[2]), End: instant(t, f[3]), Zone: when.LoadZone(f[0])}
		var spec when.Spec
		for i, dst := range []*string{&spec.Start, &spec.Finish, &spec.Align, &spec.Origin} {
			switch text := f[4+i]; text {
			case `\N`:
			case "":
				spec.Empty |= when.Part(1 << i)
			default:
				*dst = text
			}
		}
		w, err := spec.Window(b)
		got := ""
		switch {
		case err != nil:
			got = caret(t, err)
		case w.AlignErr != nil:
			got = fmt.Sprintf("0 %s %s %s", stamp(w.Start), stamp(w.End), stamp(w.Origin))
			f[8] = strings.Join(strings.Fields(f[8])[:4], " ")
		default:
			got = fmt.Sprintf("1 %s %s %s", stamp(w.Start), stamp(w.End), stamp(w.Origin))
		}
		if strings.TrimSpace(got) != strings.TrimSpace(f[8]) {
			t.Errorf("line %d: %q: got %q, want %q", line, f[4:8], got, f[8])
		}
	}
}

// base is three hours of an archive, and a clock years later.
func base() when.Base {
	return when.Base{
		Start: time.Date(2018, 1, 1, 13, 10, 11, 563796000, time.UTC),
		End:   time.Date(2018, 1, 1, 16, 24, 23, 1227000, time.UTC),
		Now:   time.Date(2026, 11, 20, 10, 39, 31, 0, time.UTC),
	}
}

// TestWindow holds the table of commands.md T2.5.
func TestWindow(t *testing.T) {
	const first, last = "13:10:11.563796", "16:24:23.001227"
	for _, c := range []struct {
		name        string
		spec        when.Spec
		origin, end string
	}{
		{"nothing", when.Spec{}, first, last},
		{"after the start", when.Spec{Start: "10min"}, "13:20:11.563796", last},
		{"plus", when.Spec{Start: "+10min"}, "13:20:11.563796", last},
		{"before the end", when.Spec{Start: "-10min"}, "16:14:23.001227", last},
		{"before the end, blanks", when.Spec{Start: "- 10 min"}, "16:14:23.001227", last},
		{"time with fraction", when.Spec{Start: "@14:00:30.5"}, "14:00:30.5", last},
		{"fraction is exact", when.Spec{Start: "@14:00:30.1"}, "14:00:30.1", last},
		{"fraction is not cut", when.Spec{Start: "@14:00:30.7"}, "14:00:30.7", last},
		{"whole date", when.Spec{Start: "@Jan 1 14:00:30.5 2018"}, "14:00:30.5", last},
		{"afternoon", when.Spec{Start: "@2:30pm"}, "14:30:00", last},
		{"date with dashes", when.Spec{Start: "@2018-01-01 14:30"}, "14:30:00", last},
		{"date with a T", when.Spec{Start: "@2018-01-01T14:30"}, "14:30:00", last},
		{"date with a T and Z", when.Spec{Start: "@2018-01-01T14:30:00Z"}, "14:30:00", last},
		{"date with slashes", when.Spec{Start: "@1/1/18 2:30pm"}, "14:30:00", last},
		{"digits", when.Spec{Start: "@20180101 1430"}, "14:30:00", last},
		{"ago", when.Spec{Start: "1 hour ago"}, "15:24:23", last},
		{"last hour", when.Spec{Start: "last hour"}, "15:24:23", last},
		{"next hour is two", when.Spec{Start: "next hour"}, "15:10:11", last},
		{"five minutes", when.Spec{Start: "@14:00", Finish: "5min"}, "14:00:00", "14:05:00"},
		{"origin", when.Spec{Start: "@14:00", Finish: "@15:00", Origin: "10min"}, "14:10:00", "15:00:00"},
		{"origin before the end", when.Spec{Start: "@14:00", Finish: "@15:00", Origin: "-10min"}, "14:50:00", "15:00:00"},
		{"origin after the end", when.Spec{Start: "@14:00", Finish: "@15:00", Origin: "2h"}, "15:00:00", "15:00:00"},
		{"origin on the next day", when.Spec{Start: "@14:00", Finish: "@15:00", Origin: "@13:30"}, "15:00:00", "15:00:00"},
		{"aligned", when.Spec{Align: "10min"}, "13:20:00", last},
		{"aligned to the hour", when.Spec{Align: "1hour"}, "14:00:00", last},
		{"alignment after the end", when.Spec{Align: "5hour"}, first, last},
		{"aligned origin", when.Spec{Start: "@14:02", Align: "10min", Origin: "+5min"}, "14:20:00", last},
		{"origin aligned downwards", when.Spec{Start: "@14:02", Align: "10min", Origin: "@16:24"}, "16:20:00", last},
		{"huge intervals", when.Spec{Start: "1e18", Finish: "1e18"}, "", last},
		{"huge alignment", when.Spec{Align: "1e18"}, first, last},
		{"empty origin is midnight", when.Spec{Empty: when.PartOrigin}, last, last},
		{"empty end is midnight", when.Spec{Empty: when.PartFinish}, first, last},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := c.spec.Window(base())
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Origin.UTC().Format("15:04:05.999999999"); c.origin != "" && got != c.origin {
				t.Errorf("origin %v, want %v", got, c.origin)
			}
			if got := w.End.UTC().Format("15:04:05.999999999"); got != c.end {
				t.Errorf("end %v, want %v", got, c.end)
			}
		})
	}
}

func TestWindowErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		spec when.Spec
		want string
	}{
		{"start", when.Spec{Start: "@14:30 foo"}, "14:30 foo\n      ^ -- unexpected value\n"},
		{"end", when.Spec{Finish: "@Mon 14:30:60"}, "Mon 14:30:60\n            ^ -- more information expected\n"},
		{"origin", when.Spec{Origin: "-foo"}, "foo\n^ -- unexpected value\n"},
		{"am after noon", when.Spec{Start: "@14:30pm"}, "14:30pm\n     ^ -- unexpected value\n"},
		{"alignment", when.Spec{Align: "10 foo"}, "10 foo\n   ^ -- unexpected value\n"},
		{"alignment of nothing", when.Spec{Align: "0"}, "0\n^ -- alignment specified by -A switch could not be applied\n"},
		{"empty alignment", when.Spec{Empty: when.PartAlign}, "\n^ -- Null or empty specification\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := c.spec.Window(base())
			if err == nil {
				t.Fatalf("got %v, want an error", w)
			}
			if got := caret(t, err); got != c.want {
				t.Errorf("Caret() = %q, want %q", got, c.want)
			}
		})
	}
}

func TestAlignErr(t *testing.T) {
	w, err := when.Spec{Align: "5hour"}.Window(base())
	if err != nil {
		t.Fatal(err)
	}
	want := "5hour\n^ -- alignment specified by -A switch could not be applied\n"
	if w.AlignErr == nil || w.AlignErr.Caret() != want {
		t.Errorf("AlignErr = %v, want %q", w.AlignErr, want)
	}
}

func TestLiveWindow(t *testing.T) {
	b := base()
	b.Start, b.End = b.Now, time.Time{}
	w, err := when.Spec{}.Window(b)
	if err != nil || !w.End.IsZero() {
		t.Errorf("Window() = %v, %v, want no end", w, err)
	}
	w, err = when.Spec{Finish: "2min"}.Window(b)
	if err != nil || !w.End.Equal(b.Now.Add(2*time.Minute)) {
		t.Errorf("Window() = %v, %v, want an end in 2 minutes", w, err)
	}
	if _, err = (when.Spec{Finish: "-10s"}).Window(b); err == nil {
		t.Error("an end before the end of a source without one was accepted")
	}
}

// TestParseTime has the texts that this package reads otherwise than the reference (values.md V27),
// which the recorded cases leave out.
func TestParseTime(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"minus before a week", "-1 week", "2017-12-25 16:24:23"},
		{"minus before a month", "-1month", "2017-12-01 16:24:23"},
		{"a minus that is none", "- 1 hour ago", "2018-01-01 15:24:23"},
		{"month after the 31st", "@20240131 1 month", "2024-02-29 00:00:00"},
		{"year before a leap day", "@20240229 1 year ago", "2023-02-28 00:00:00"},
		{"year after 2100", "@3/2/2101", "2101-03-02 00:00:00"},
		{"year 9999", "@1/2/9999", "9999-01-02 00:00:00"},
		{"T alone is a zone", "@10:30 t", "2026-11-20 03:30:00"},
		{"month before the epoch", "@ 999 months ago", "1934-10-01 16:24:23"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := when.ParseTime(c.text, base())
			if err != nil || got.UTC().Format(time.DateTime) != c.want {
				t.Errorf("ParseTime(%q) = %v, %v, want %v", c.text, got.UTC(), err, c.want)
			}
		})
	}
}

func TestParseTimeBounds(t *testing.T) {
	for _, text := range []string{
		"@99999999999999999999", "@1 99999999999999999999 day", "@999999999999999 days", "@999999999999 years",
		"@1/1/999999999999", "@10:999999999999999", "@1e9:00",
	} {
		if got, err := when.ParseTime(text, base()); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", text, got)
		}
	}
	deep := "@" + strings.Repeat("(", 1<<16)
	if _, err := when.ParseTime(deep, base()); err != nil {
		t.Errorf("open comments: %v", err)
	}
}

// TestSkippedHour looks at times that the clocks of New York skip or show twice.
func TestSkippedHour(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	b := base()
	b.Zone = zone
	for _, c := range []struct{ text, want string }{
		{"@Mar 10 02:30 2024", "2024-03-10 03:30:00 EDT"},
		{"@20240310 02:30", "2024-03-10 01:30:00 EST"},
		{"@Nov 3 01:30 2024", "2024-11-03 01:30:00 EDT"},
		{"@20241103 01:30", "2024-11-03 01:30:00 EST"},
		{"@20240309 02:30 1 day", "2024-03-10 03:30:00 EDT"},
		{"@20241003 01:30 1 month", "2024-11-03 01:30:00 EST"},
	} {
		got, err := when.ParseTime(c.text, b)
		if err != nil || got.Format("2006-01-02 15:04:05 MST") != c.want {
			t.Errorf("ParseTime(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

// FuzzTimeSpec: a window lies in its bounds, and its origin in the window; an error has a caret.
func FuzzTimeSpec(f *testing.F) {
	for _, s := range []string{
		"", "@", "10min", "-10min", "@14:00", "@Mar 5 14:30:15.5 1996", "yesterday 9am", "2 hours ago", "-1 week",
		"1996-03-04T13:07:47", "last monday", "@(", "next month", "3/4/96 10:30 +0200", "17-jun-1992", "@99999 years",
	} {
		f.Add(s, int64(600))
	}
	f.Fuzz(func(t *testing.T, s string, length int64) {
		b := base()
		if length %= 1 << 40; length >= 0 {
			b.End = b.Start.Add(time.Duration(length))
		} else {
			b.End = time.Time{}
		}
		w, err := when.Spec{Start: s, Origin: s}.Window(b)
		if err != nil {
			if !strings.Contains(caret(t, err), "^ -- ") {
				t.Errorf("Window(%q): no caret in %v", s, err)
			}
			return
		}
		if w.Start.Before(b.Start) {
			t.Errorf("Window(%q) starts at %v, before %v", s, w.Start, b.Start)
		}
		if !w.End.Before(w.Start) && (w.Origin.Before(w.Start) || !w.End.IsZero() && w.Origin.After(w.End)) {
			t.Errorf("Window(%q): origin %v outside of %v - %v", s, w.Origin, w.Start, w.End)
		}
		if w.Start.Unix() > math.MaxInt64/1000 {
			t.Errorf("Window(%q) starts at %v", s, w.Start)
		}
	})
}

func BenchmarkWindow(b *testing.B) {
	spec := when.Spec{Start: "@14:00", Finish: "1 hour ago", Align: "10min", Origin: "5min"}
	bounds := base()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := spec.Window(bounds); err != nil {
			b.Fatal(err)
		}
	}
}
