package main

import (
	"strings"
	"testing"
	"time"

	"pmtools/lib/option"
	"pmtools/lib/pcp"
)

func TestConvertedUnits(t *testing.T) {
	tests := []struct {
		u    pcp.Units
		want string
	}{
		{pcp.Units{}, "/ sec"},
		{pcp.Units{DimCount: 1}, "count / sec"},
		{pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}, "Kbyte / sec"},
		{pcp.Units{DimTime: 1, ScaleTime: pcp.Msec}, "time utilization"},
		{pcp.Units{DimTime: 1, ScaleTime: pcp.Hour}, "time utilization"},
		{pcp.Units{DimSpace: 1, DimTime: -1, ScaleTime: pcp.Hour}, "byte / hour^2"},
		{pcp.Units{DimTime: 2, ScaleTime: pcp.Sec}, "sec"},
		{pcp.Units{DimSpace: 1, DimTime: 1, ScaleSpace: pcp.Kbyte, ScaleTime: pcp.Sec}, "Kbyte"},
		{pcp.Units{DimCount: 1, DimTime: 1, ScaleTime: pcp.Msec}, "count"},
	}
	for _, tt := range tests {
		if got := convertedUnits(tt.u); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.u, got, tt.want)
		}
	}
}

func TestDefaultWidth(t *testing.T) {
	tests := map[pcp.Type]int{
		pcp.Int32: 11, pcp.Uint32: 11, pcp.Int64: 21, pcp.Uint64: 21, pcp.Float: 13, pcp.Double: 21, pcp.String: 21,
		pcp.Aggregate: 21, pcp.AggregateStatic: 21, pcp.Event: 0, pcp.HighResEvent: 0, pcp.NoSupport: 0, pcp.Unknown: 0,
	}
	for typ, want := range tests {
		if got := defaultWidth(typ); got != want {
			t.Errorf("%v: got %d, want %d", typ, got, want)
		}
	}
}

// TestSemantics: what the header says of each kind of metric, over a live source, whose name is not
// known.
func TestSemantics(t *testing.T) {
	tests := []struct {
		desc pcp.Desc
		args string
		want string
	}{
		{singular(pcp.Int32, pcp.Counter), "", "cumulative counter (converting to rate)|none (converting to / sec)"},
		{singular(pcp.Int32, pcp.Counter), "-r", "cumulative counter|none"},
		{singular(pcp.Int32, pcp.Instant), "", "instantaneous value|none"},
		{singular(pcp.Int32, pcp.Discrete), "", "discrete instantaneous value|none"},
		{singular(pcp.Int32, 0), "", "unknown|none"},
	}
	for _, tt := range tests {
		out, errs, _ := live(t, &fakeSource{desc: tt.desc}, append(strings.Fields(tt.args), "-s", "0", "m")...)
		sem, units, _ := strings.Cut(tt.want, "|")
		want := "\nmetric:    m\nhost:      here\nsemantics: " + sem + "\nunits:     " + units + "\nsamples:   0\n"
		if out != want || errs != "" {
			t.Errorf("got %q, %q, want %q", out, errs, want)
		}
	}
}

// TestHeaderErrors: the empty line stands before the message.
func TestHeaderErrors(t *testing.T) {
	f := &fakeSource{desc: singular(pcp.NoSupport, pcp.Instant)}
	out, errs, status := live(t, f, "m")
	if out != "\n" || errs != "pmval: unknown performance metric value type NO_SUPPORT\n" || status != 1 {
		t.Errorf("got %q, %q, %d", out, errs, status)
	}
	out, _, _ = live(t, f, "-Z", "UTC", "m")
	if out != "Note: timezone set to \"TZ=UTC\"\n\n" {
		t.Errorf("with a zone: got %q", out)
	}
}

// TestSamples: how many samples a window has.
func TestSamples(t *testing.T) {
	at := func(sec int64) pcp.Timestamp { return pcp.Timestamp{Sec: sec} }
	tests := []struct {
		name        string
		origin, end pcp.Timestamp
		unbounded   bool
		interval    time.Duration
		options     option.Options
		recorded    bool
		want        int
	}{
		{"exact", at(10), at(20), false, time.Second, option.Options{}, false, 11},
		{"a rest", at(10), at(20), false, 3 * time.Second, option.Options{}, false, 4},
		{"longer than the window", at(10), at(20), false, time.Hour, option.Options{}, false, 1},
		{"just before", at(10), pcp.Timestamp{Sec: 9, Nsec: 5e8}, false, time.Second, option.Options{}, false, 1},
		{"before", at(10), at(9), false, time.Second, option.Options{}, false, 0},
		{"long before", at(1000), at(9), false, time.Second, option.Options{}, false, 0},
		{"unbounded", at(10), at(0), true, time.Second, option.Options{}, false, -1},
		{"records", at(10), at(20), false, time.Second, option.Options{}, true, -1},
		{"asked for", at(10), at(20), false, time.Second, option.Options{Samples: 3, HasSamples: true}, true, 3},
		{"none", at(10), at(20), false, time.Second, option.Options{HasSamples: true}, false, 0},
	}
	for _, tt := range tests {
		s := &session{flags: &flags{recorded: tt.recorded}, options: &tt.options}
		s.window = window{origin: tt.origin, end: tt.end, bounded: !tt.unbounded, interval: tt.interval}
		if s.setSamples(); s.samples != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, s.samples, tt.want)
		}
	}
}
