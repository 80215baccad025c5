package when_test

import (
	"testing"
	"time"

	"pmtools/lib/when"
)

// TestPrinted: times as programs print them, which the reference refuses or takes for intervals.
func TestPrinted(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	b := when.Base{Start: time.Unix(0, 0), End: time.Unix(1<<33, 0), Now: time.Unix(1600000000, 0), Zone: zone, Printed: true}
	for _, tt := range []struct{ text, want string }{
		{"2023-11-14 22:13:20+02:00", "2023-11-14T20:13:20Z"},
		{"@2023-11-14 22:13:20+02:00", "2023-11-14T20:13:20Z"},
		{"2023-11-14T22:13:20-00:30", "2023-11-14T22:43:20Z"},
		{"2023-11-14T22:13:05.5Z", "2023-11-14T22:13:05.5Z"},
		{" 2023-11-14 22:13:05.123456789Z ", "2023-11-14T22:13:05.123456789Z"},
		{"2023-11-14 22:13:05.25", "2023-11-14T20:13:05.25Z"},
		{"@2023-11-14T22:13:05.25", "2023-11-14T20:13:05.25Z"},
		{"@1700000000", "2023-11-14T22:13:20Z"},
		{"@1700000000.125", "2023-11-14T22:13:20.125Z"},
		{"1700000000", "2023-11-14T22:13:20Z"}, // seconds after the start
		{"@2023-11-14 22:13:20", "2023-11-14T20:13:20Z"},
		{"2023-11-14 22:13:20", "2023-11-14T20:13:20Z"},
		{"+10.5", "1970-01-01T00:00:10.5Z"},
		{"@9223372036854775807", ""},
		{"2023-11-14 25:13:20Z", ""},
		{"2023-02-30 22:13:20.5", ""},
		{"@1700000000.1234567890", ""},
		{"@1700000000.-5", ""},
		{"@1700000000.5h", ""},
		{"@-1700000000", ""},
	} {
		at, err := when.ParseTime(tt.text, b)
		got := ""
		if err == nil {
			got = at.UTC().Format(time.RFC3339Nano)
		}
		if b.Printed = false; tt.want == "" { // these are not times as they are printed
			plain, bad := when.ParseTime(tt.text, b)
			if (err == nil) != (bad == nil) || !plain.Equal(at) {
				t.Errorf("%q: %v, %v; without Printed %v, %v", tt.text, at, err, plain, bad)
			}
		} else if got != tt.want {
			t.Errorf("%q: %v, %v, want %v", tt.text, at, err, tt.want)
		}
		b.Printed = true
	}
	for text, want := range map[string]bool{"500ms": true, "5 MS": true, "500msec": false, "5m": false, "1h": false, "5mins": false} {
		if got := when.Millis(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
