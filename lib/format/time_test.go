package format

import (
	"testing"
	"time"

	"pmtools/lib/pcp"
)

func TestTimes(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	tests := []struct {
		stamp               pcp.Timestamp
		loc                 *time.Location
		millis, nanos, long string
	}{
		{pcp.Timestamp{}, nil, "00:00:00.000", "00:00:00.000000000", "Thu Jan  1 00:00:00 1970"},
		{pcp.Timestamp{}, tokyo, "09:00:00.000", "09:00:00.000000000", "Thu Jan  1 09:00:00 1970"},
		{pcp.Timestamp{Sec: 1700000000, Nsec: 999999999}, time.UTC, "22:13:20.999", "22:13:20.999999999", "Tue Nov 14 22:13:20 2023"},
		{pcp.Timestamp{Sec: 1700000000, Nsec: 1000}, tokyo, "07:13:20.000", "07:13:20.000001000", "Wed Nov 15 07:13:20 2023"},
		{pcp.Timestamp{Sec: -1}, nil, "23:59:59.000", "23:59:59.000000000", "Wed Dec 31 23:59:59 1969"},
		{pcp.Timestamp{Nsec: 1500000000}, nil, "00:00:00.1500", "00:00:00.1500000000", "Thu Jan  1 00:00:00 1970"},
		{pcp.Timestamp{Nsec: -5000000}, nil, "00:00:00.-05", "00:00:00.-05000000", "Thu Jan  1 00:00:00 1970"},
	}
	for _, tt := range tests {
		if got := string(AppendTime(nil, tt.stamp, tt.loc)); got != tt.millis {
			t.Errorf("AppendTime(%v) = %q, want %q", tt.stamp, got, tt.millis)
		}
		if got := string(AppendTimeNanos(nil, tt.stamp, tt.loc)); got != tt.nanos {
			t.Errorf("AppendTimeNanos(%v) = %q, want %q", tt.stamp, got, tt.nanos)
		}
		if got := string(AppendCtime([]byte("on "), tt.stamp, tt.loc)); got != "on "+tt.long {
			t.Errorf("AppendCtime(%v) = %q, want %q", tt.stamp, got, tt.long)
		}
	}
}

func TestAppendInterval(t *testing.T) {
	tests := []struct {
		sec  int64
		nsec int32
		want string
	}{
		{0, 0, "0s"}, {60, 0, "60s"}, {61, 0, "1m1s"}, {3600, 0, "60m0s"}, {3601, 0, "1h1s"},
		{7325, 500000000, "2h2m5.5s"}, {0, 1000, "0.000001s"}, {90061, 250000000, "25h1m1.25s"},
		{1, 1, "1.000000001s"}, {3660, 0, "1h60s"}, {120, 0, "2m0s"},
	}
	for _, tt := range tests {
		if got := string(AppendInterval(nil, tt.sec, tt.nsec)); got != tt.want {
			t.Errorf("AppendInterval(%d, %d) = %q, want %q", tt.sec, tt.nsec, got, tt.want)
		}
	}
}

func TestTimesAllocate(t *testing.T) {
	buf := make([]byte, 0, 64)
	stamp := pcp.Timestamp{Sec: 1700000000, Nsec: 5}
	n := testing.AllocsPerRun(100, func() {
		buf = AppendTime(buf[:0], stamp, time.UTC)
		buf = AppendTimeNanos(buf, stamp, time.UTC)
		buf = AppendCtime(buf, stamp, time.UTC)
	})
	if n != 0 {
		t.Errorf("allocates %v times", n)
	}
}

func TestAppendDate(t *testing.T) {
	tests := []struct {
		sec    int64
		nsec   int32
		digits int
		want   string
	}{
		{0, 0, 6, "Thu Jan  1 00:00:00.000000 1970"},
		{902428472, 257504000, 9, "Thu Aug  6 18:34:32.257504000 1998"},
		{902428472, 257504999, 6, "Thu Aug  6 18:34:32.257504 1998"},
		{902428472, 1000000000, 6, "Thu Aug  6 18:34:32.1000000 1998"},
	}
	for _, tt := range tests {
		if got := string(AppendDate(nil, pcp.Timestamp{Sec: tt.sec, Nsec: tt.nsec}, tt.digits, nil)); got != tt.want {
			t.Errorf("AppendDate(%d.%09d, %d) = %q, want %q", tt.sec, tt.nsec, tt.digits, got, tt.want)
		}
	}
}

func TestAppendStrftime(t *testing.T) {
	at := time.Date(2023, 1, 5, 13, 4, 9, 250000000, time.FixedZone("EST", -5*3600))
	for _, tt := range []struct{ layout, want string }{
		{"%Y-%m-%d %H:%M:%S.%f", "2023-01-05 13:04:09.250000"}, {"%F %T %z %Z", "2023-01-05 13:04:09 -0500 EST"}, {"%s%%", "1672941849%"},
		{"%a %b %e %I %p %j", "Thu Jan  5 01 PM 005"}, {"at 2006 Monday", "at 2006 Monday"}, {"", ""},
	} {
		if got, err := AppendStrftime(nil, tt.layout, at); err != nil || string(got) != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.layout, got, err, tt.want)
		}
	}
	for _, layout := range []string{"%", "%Q"} {
		if _, err := AppendStrftime(nil, layout, at); err == nil {
			t.Errorf("%q is accepted", layout)
		}
	}
}
