package when

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pmtools/internal/ctext"
	"pmtools/lib/pmerr"
)

// CheckZone returns nil if tz may be a reporting zone, and an error that matches pmerr.EINVAL if
// PCP refuses it: the empty text, a leading slash, "..", and any character but letters, digits and
// /_+-.:,"'. It does not check whether the zone exists.
func CheckZone(tz string) error {
	if tz == "" || tz[0] == '/' || strings.Contains(tz, "..") {
		return fmt.Errorf("time zone %q: %w", tz, pmerr.EINVAL)
	}
	for _, c := range []byte(tz) {
		if !ctext.IsLetter(c) && !ctext.IsDigit(c) && strings.IndexByte(`/_+-.:,"'`, c) < 0 {
			return fmt.Errorf("time zone %q: %w", tz, pmerr.EINVAL)
		}
	}
	return nil
}

// LoadZone returns the reporting zone that tz names: a zone file, with or without a leading colon,
// or a POSIX rule. A text of three characters gets "+0" appended, so that EST is UTC; an unknown
// text is UTC. It accepts more than [CheckZone], such as "<+03>-3". The result is never nil.
func LoadZone(tz string) *time.Location {
	loc, _ := loadZone(tz)
	return loc
}

// Known reports whether LoadZone finds the zone that tz names.
func Known(tz string) bool {
	_, ok := loadZone(tz)
	return ok
}

// loadZone is LoadZone, and reports whether there is the zone.
func loadZone(tz string) (*time.Location, bool) {
	if len(tz) == 3 {
		tz += "+0"
	}
	return findZone(tz)
}

// Local returns the zone of a process whose environment variable TZ is tz, or is not set: then it
// is the system's zone. The result is never nil.
func Local(tz string, set bool) *time.Location {
	if !set {
		return time.Local
	}
	if path := strings.TrimPrefix(tz, ":"); strings.HasPrefix(path, "/") {
		if loc, err := readZone(path); err == nil {
			return loc
		}
		return time.UTC
	}
	loc, _ := findZone(tz)
	return loc
}

// findZone returns the zone of a TZ value: of a file if there is one. An unknown one is UTC.
func findZone(tz string) (*time.Location, bool) {
	tz = strings.TrimPrefix(tz, ":")
	// To the time package, Local is a name of its own.
	if tz != "Local" {
		if loc, err := time.LoadLocation(tz); err == nil {
			return loc, true
		}
	}
	if rule, ok := parseRule(tz); ok {
		if loc, err := rule.location(tz); err == nil {
			return loc, true
		}
	}
	return time.UTC, false
}

// Name returns the name of a zone. For the system's zone, which the time package calls Local, it is
// that of the system's zone file, or else the UTC offset at t.
func Name(loc *time.Location, t time.Time) string {
	if name := loc.String(); name != "Local" {
		return name
	}
	if file, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(file), "/zoneinfo/"); ok && Known(name) {
			return name
		}
	}
	return Offset(t.In(loc))
}

const maxZoneFile = 1 << 20

func readZone(path string) (*time.Location, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxZoneFile))
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(path, data)
}

// Offset returns the zone of a time in the form of TZ, but without rules: its name, and its offset
// west of UTC at that time, as in "CET-1".
func Offset(t time.Time) string {
	name, east := t.Zone()
	if name == "" || strings.ContainsAny(name, "+-0123456789") {
		name = "<" + name + ">"
	}
	if east == 0 && name == "UTC" {
		return name
	}
	sign, west := "", -east/60
	if west < 0 {
		sign, west = "-", -west
	}
	if west%60 == 0 {
		return fmt.Sprintf("%s%s%d", name, sign, west/60)
	}
	return fmt.Sprintf("%s%s%d:%02d", name, sign, west/60, west%60)
}
