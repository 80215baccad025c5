package when_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/when"
)

func TestLocalRecorded(t *testing.T) {
	for line, f := range golden(t, "testdata/zone.txt", 3) {
		at := time.Unix(integer(t, f[1]), 0).In(when.Local(f[0], true))
		if got := at.Format("2006-01-02 15:04:05 -0700"); got != f[2] {
			t.Errorf("line %d: TZ=%s at %s: got %s, want %s", line, f[0], f[1], got, f[2])
		}
	}
}

func TestCheckZone(t *testing.T) {
	for _, tz := range []string{"EST", "EST5EDT", ":Asia/Tokyo", "Bogus/Zone", "EST-11EST-10,87/2:00,297/2:00", `a"b'c`, "+0545-5:45"} {
		if err := when.CheckZone(tz); err != nil {
			t.Errorf("CheckZone(%q) = %v", tz, err)
		}
	}
	for _, tz := range []string{"", "/etc/localtime", "Asia/../x", "<+03>-3", "A B", "EST5;x", "\xe9", "a\x00b"} {
		if err := when.CheckZone(tz); !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("CheckZone(%q) = %v, want EINVAL", tz, err)
		}
	}
}

// TestLoadZone shows one moment in many zones (values.md V14).
func TestLoadZone(t *testing.T) {
	at := time.Unix(1715769045, 0)
	for _, c := range []struct{ tz, want string }{
		{"EST5EDT", "06:30:45"},
		{"EST5", "05:30:45"},
		{"Australia/Melbourne", "20:30:45"},
		{":Australia/Melbourne", "20:30:45"},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "20:30:45"},
		{"abc12", "22:30:45"},
		{"EST", "10:30:45"},
		{"CET", "10:30:45"},
		{"EDT+4", "06:30:45"},
		{"AEDT-11", "21:30:45"},
		{"IST-5:30", "16:00:45"},
		{"<+0330>-3:30", "14:00:45"},
		{"Bogus/Zone", "10:30:45"},
		{"+0545-5:45", "10:30:45"},
		{"Local", "10:30:45"},
		{"", "10:30:45"},
		{":", "10:30:45"},
		{"AB5", "10:30:45"},
		{"ABC5D", "05:30:45"},
		{"<ABC5", "10:30:45"},
		{"ABC", "10:30:45"},
		{"ABC99", "10:30:45"},
	} {
		if got := at.In(when.LoadZone(c.tz)).Format("15:04:05"); got != c.want {
			t.Errorf("LoadZone(%q): %s, want %s", c.tz, got, c.want)
		}
	}
}

// TestPOSIXRules compares rules with the zone whose rules they are.
func TestPOSIXRules(t *testing.T) {
	for _, c := range []struct {
		rule, zone string
		from, to   int
	}{
		{"CET-1CEST,M3.5.0,M10.5.0/3", "Europe/Berlin", 1997, 2150},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "Australia/Melbourne", 2009, 2150},
		{"XST5XDT", "America/New_York", 1976, 2150},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		loc := when.LoadZone(c.rule)
		end := time.Date(c.to, 1, 1, 0, 0, 0, 0, time.UTC)
		for at := time.Date(c.from, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(end); at = at.Add(7 * time.Hour) {
			_, got := at.In(loc).Zone()
			_, want := at.In(zone).Zone()
			if got != want {
				t.Errorf("%s: offset %d at %v, want %d", c.rule, got, at, want)
				break
			}
		}
	}
}

func TestZoneNames(t *testing.T) {
	loc := when.LoadZone("FOO-11BAR-10,87/2:00,297/2:00")
	for _, c := range []struct {
		month time.Month
		want  string
	}{{time.January, "FOO"}, {time.July, "BAR"}, {time.December, "FOO"}} {
		name, _ := time.Date(1998, c.month, 1, 0, 0, 0, 0, time.UTC).In(loc).Zone()
		if name != c.want {
			t.Errorf("%v: zone %s, want %s", c.month, name, c.want)
		}
	}
	if got := when.LoadZone("XYZ").String(); got != "XYZ+0" {
		t.Errorf("the zone of three letters is called %q", got)
	}
}

func TestLocal(t *testing.T) {
	if got := when.Local("Asia/Tokyo", false); got != time.Local {
		t.Errorf("without TZ: %v, want the system's zone", got)
	}
	if got := when.Local("", true); got.String() != "UTC" {
		t.Errorf("empty TZ: %v, want UTC", got)
	}
	if got := when.Local("/nonexistent/zone", true); got != time.UTC {
		t.Errorf("missing file: %v, want UTC", got)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("TZif2 but no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := when.Local(filepath.ToSlash(bad), true); got != time.UTC {
		t.Errorf("damaged file: %v, want UTC", got)
	}
}

// FuzzZone: any zone has an offset of at most 25 hours, by both ways.
func FuzzZone(f *testing.F) {
	for _, s := range []string{
		"EST", "EST5EDT", "EST-11EST-10,87/2:00,297/2:00", "<+03>-3", "A5B,J1,J365/167:59:59", "ABC5DEF,M1.1.1/-167,M12.5.6",
		":Asia/Tokyo", "ABC5:30:30DEF5,0/0,365/24", "XXX-24YYY24,J60,J59",
	} {
		f.Add(s, int64(1700000000))
	}
	f.Fuzz(func(t *testing.T, tz string, sec int64) {
		if strings.ContainsAny(tz, "./\\") {
			return // the file system is not under test
		}
		loc := when.LoadZone(tz)
		_, offset := time.Unix(sec%(1<<40), 0).In(loc).Zone()
		if offset < -25*3600 || offset > 25*3600 {
			t.Errorf("LoadZone(%q): offset %d", tz, offset)
		}
		if len(tz) != 3 && when.Local(tz, true).String() != loc.String() {
			t.Errorf("Local and LoadZone differ on %q", tz)
		}
	})
}

func BenchmarkLoadZone(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		when.LoadZone("EST-11EST-10,87/2:00,297/2:00")
	}
}

func TestOffset(t *testing.T) {
	for _, c := range []struct {
		name string
		east int
		want string
	}{
		{"UTC", 0, "UTC"}, {"GMT", 0, "GMT0"}, {"CET", 3600, "CET-1"}, {"EST", -18000, "EST5"}, {"IST", 19800, "IST-5:30"}, {"NST", -12600, "NST3:30"},
		{"+0545", 20700, "<+0545>-5:45"},
	} {
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone(c.name, c.east))
		if got := when.Offset(at); got != c.want {
			t.Errorf("%s, %d seconds east: %q, want %q", c.name, c.east, got, c.want)
		}
	}
}
