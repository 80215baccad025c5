package main

import (
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

// TestZones: the note about the zone, the times in it, and what is refused. The archive begins at
// 22:13:20 UTC; its zone is that of its label.
func TestZones(t *testing.T) {
	base := archivetest.Path(t, "marks")
	tests := []struct {
		args       string
		tz         string
		note, time string
	}{
		{"", "UTC", "", "22:13:20.000"},
		{"", "EST5EDT", "", "17:13:20.000"},
		{"", ":Asia/Tokyo", "", "07:13:20.000"},
		{"-Z EST5EDT", "UTC", `Note: timezone set to "TZ=EST5EDT"`, "17:13:20.000"},
		{"-Z EST", "Asia/Tokyo", `Note: timezone set to "TZ=EST"`, "22:13:20.000"},
		{"-Z Bogus/Zone", "Asia/Tokyo", `Note: timezone set to "TZ=Bogus/Zone"`, "22:13:20.000"},
		{"-Z AEST-10AEDT,M10.1.0,M4.1.0/3", "UTC", `Note: timezone set to "TZ=AEST-10AEDT,M10.1.0,M4.1.0/3"`, "09:13:20.000"},
		{"-z", "Asia/Tokyo", `Note: timezone set to local timezone of host "specbox" from archive`, "22:13:20.000"},
	}
	for _, tt := range tests {
		got := run(append(strings.Fields(tt.args), "-r", "-s", "1", "-a", base, "t.c"), map[string]string{"TZ": tt.tz})
		note := ""
		if tt.note != "" {
			note = tt.note + "\n"
		}
		if !strings.HasPrefix(got.Stdout, note+"\nmetric:") || !strings.Contains(got.Stdout, "\n"+tt.time+" ") {
			t.Errorf("%s with TZ=%s: got %q, %q", tt.args, tt.tz, got.Stdout, got.Stderr)
		}
	}
	got := run([]string{"-Z", "a b", "-a", base, "t.c"}, nil)
	if got.Stderr != "pmval: Cannot set timezone to \"a b\": Invalid argument\n" || got.Stdout != "" || got.Status != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestLiveWindow: a live source has a window with an end only.
func TestLiveWindow(t *testing.T) {
	f := func() *fakeSource {
		return &fakeSource{desc: singular(pcp.Int32, pcp.Instant), script: []fakeSample{one(1000, 1), one(1001, 2), one(2000, 3)}}
	}
	out, errs, status := live(t, f(), "-T", "10", "-t", "0.001", "m")
	if got := below(out); got != "          1\n          2\n" || errs != "" || status != 0 {
		t.Errorf("got %q, %q, %d", got, errs, status)
	}
	if !strings.Contains(out, "samples:   10001\ninterval:  0.00 sec\n") {
		t.Errorf("header %q", out)
	}
	_, errs, status = live(t, f(), "-T", "-10s", "m")
	if want := "pmval: invalid time window.\n-10s\n^ -- unexpected value\n\n"; errs != want || status != 1 {
		t.Errorf("got %q, %d, want %q", errs, status, want)
	}
}

// TestLiveZone: a daemon without metrics for its time zone.
func TestLiveZone(t *testing.T) {
	_, errs, status := live(t, &fakeSource{desc: singular(pcp.Int32, pcp.Instant)}, "-z", "m")
	if errs != "pmval: Cannot set context timezone: Unknown metric name\n" || status != 1 {
		t.Errorf("got %q, %d", errs, status)
	}
}

// TestCounterWrap: the environment says that counters wrap around.
func TestCounterWrap(t *testing.T) {
	base := archivetest.Path(t, "wrap")
	plain := run([]string{"-U", base, "sample.wrap.ulong"}, nil)
	wraps := run([]string{"-U", base, "sample.wrap.ulong"}, map[string]string{"PCP_COUNTER_WRAP": ""})
	if strings.Count(plain.Stdout, "!") == 0 || strings.Count(wraps.Stdout, "!") != 0 {
		t.Errorf("got %s and %s", plain.Stdout, wraps.Stdout)
	}
}
