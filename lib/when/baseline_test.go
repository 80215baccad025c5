package when_test

import (
	"testing"
	"time"

	"pmtools/lib/when"
)

func TestBaseline(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 4, 1, 14, 30, 0, 5e8, berlin) // a Monday, the day after the clock was put forward
	for _, tt := range []struct{ text, want string }{
		{"yesterday same time", "2024-03-31 14:30:00.5 +0200"},
		{"Same time yesterday", "2024-03-31 14:30:00.5 +0200"},
		{"last week same time", "2024-03-25 14:30:00.5 +0100"},
		{"last week", "2024-03-25 14:30:00.5 +0100"},
		{"a week ago", "2024-03-25 14:30:00.5 +0100"},
		{"1 day", "2024-03-31 14:30:00.5 +0200"},
		{"-2days", "2024-03-30 14:30:00.5 +0100"},
		{"2d", "2024-03-30 14:30:00.5 +0100"},
		{"48 hours", "2024-03-30 13:30:00.5 +0100"},
		{"2 hours before", "2024-04-01 12:30:00.5 +0200"},
		{"1hour30min", "2024-04-01 13:00:00.5 +0200"},
		{"90 min earlier", "2024-04-01 13:00:00.5 +0200"},
		{"1 day, 2 hours", "2024-03-31 12:30:00.5 +0200"},
		{"last month", "2024-03-01 14:30:00.5 +0100"},
		{"monday", "2024-03-25 14:30:00.5 +0100"},
		{"last Fri same time", "2024-03-29 14:30:00.5 +0100"},
	} {
		b, err := when.ParseBaseline(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if got := b.Of(at, berlin).Format("2006-01-02 15:04:05.9 -0700"); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{"", "same time", "tomorrow", "0 days", "5", "2 fridays", "@14:00", "99999999999999999999 days", "999999 days", "5.5 days", "x\xff"} {
		if b, err := when.ParseBaseline(text); err == nil {
			t.Errorf("%q: %+v", text, b)
		}
	}
}
