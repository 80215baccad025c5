package when_test

import (
	"testing"
	"time"

	"pmtools/lib/when"
)

// TestWithin: a time of the day is one of the source, on the day of Now or beside it, and Text gives
// it a form that ParseTime reads.
func TestWithin(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		at, err := time.ParseInLocation(time.DateTime, text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	start, end := at("2017-03-15 22:30:13"), at("2017-03-16 14:35:40")
	for _, tt := range []struct{ text, now, want, form string }{
		{"23:32", "2017-03-15 22:30:13", "2017-03-15 23:32:00", "@23:32"},
		{"@23:32:05", "2017-03-15 22:30:13", "2017-03-15 23:32:05", "@23:32:05"},
		{" 11pm ", "2017-03-15 22:30:13", "2017-03-15 23:00:00", "@23:00"},
		{"2pm", "2017-03-15 22:30:13", "2017-03-16 14:00:00", "@14:00"},
		{"23:00", "2017-03-16 01:00:00", "2017-03-15 23:00:00", "@23:00"},
		{"16:00", "2017-03-15 22:30:13", "", ""},
		{"22:10", "2017-03-15 22:30:13", "", ""},
		{"10min", "2017-03-15 22:30:13", "", ""},
		{"14", "2017-03-15 22:30:13", "", ""},
		{"yesterday", "2017-03-15 22:30:13", "", ""},
		{"2017-03-16 2pm", "2017-03-15 22:30:13", "", ""},
		{"2pm UTC", "2017-03-15 22:30:13", "", ""},
		{"25:00", "2017-03-15 22:30:13", "", ""},
		{"", "2017-03-15 22:30:13", "", ""},
	} {
		b := when.Base{Start: start, End: end, Now: at(tt.now), Zone: berlin}
		got, ok := b.Within(tt.text)
		if ok != (tt.want != "") || ok && !got.Equal(at(tt.want)) {
			t.Errorf("Within(%q) = %v, %v; want %q", tt.text, got, ok, tt.want)
			continue
		}
		if !ok {
			continue
		}
		form := b.Text(got)
		again, err := when.ParseTime(form, b)
		if form != tt.form || err != nil || !again.Equal(got) {
			t.Errorf("Text(%v) = %q, which is %v, %v; want %q", got, form, again, err, tt.form)
		}
	}
	b := when.Base{Start: start, End: end.AddDate(0, 0, 3), Now: start, Zone: berlin}
	if got, want := b.Text(at("2017-03-17 14:00:00")), "@2017-03-17 14:00"; got != want {
		t.Errorf("two days later: got %q, want %q", got, want)
	}
	if got, err := when.ParseTime("@2017-03-17 14:00", b); err != nil || !got.Equal(at("2017-03-17 14:00:00")) {
		t.Errorf("the date with a time is %v, %v", got, err)
	}
}

// TestKnown: names of zones and rules are known, others are not.
func TestKnown(t *testing.T) {
	for tz, want := range map[string]bool{
		"UTC": true, "Europe/Berlin": true, ":Europe/Berlin": true, "EST5EDT": true, "EST": true, "CET-1CEST": true, "AEST-10AEDT,M10.1.0,M4.1.0/3": true,
		"Europe/Berln": false, "Berlin": false, "Local": false, "PMT/8": false,
	} {
		if got := when.Known(tz); got != want {
			t.Errorf("Known(%q) = %v, want %v", tz, got, want)
		}
	}
}

// TestName: each zone has a name, also that of the system.
func TestName(t *testing.T) {
	if got := when.Name(time.UTC, time.Now()); got != "UTC" {
		t.Errorf("UTC is %q", got)
	}
	if got := when.Name(when.LoadZone("Asia/Tokyo"), time.Now()); got != "Asia/Tokyo" {
		t.Errorf("Asia/Tokyo is %q", got)
	}
	system, err := time.LoadLocation("Local")
	if err != nil {
		t.Fatal(err)
	}
	if got := when.Name(system, time.Now()); got == "Local" || got == "" || !when.Known(got) {
		t.Errorf("the system's zone is %q", got)
	}
}
