package repl_test

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
)

// TestWhen lists intervals: where they begin and end, which ends are open, peaks and means.
func TestWhen(t *testing.T) {
	open := archives(t, "demo", "marks", "gaps")
	for _, tt := range []struct{ archive, item, want string }{
		// 100+t at 0, 10, 20, a mark at 25, and 30 to 60: marks and the ends of the window leave ends open.
		{"marks", "t.i", "0,20,20,both,120,105 30,60,30,both,160,140"},
		{"marks", "t.i > 118 && t.i < 145", "20,20,0,end,1,1 30,50,20,begin,1,1"},
		{"marks", "t.i == 110", "10,20,10,,110,110"},
		{"marks", "t.i != 140", "0,20,20,both,120,105 30,40,10,begin,130,130 50,60,10,end,160,150"},
		{"marks", "--for 11sec t.i != 140", "0,20,20,both,120,105"},
		// The smallest value is the peak of what is less, on either side; a negative constant is one, too.
		{"marks", "t.i <= 140", "0,20,20,both,100,105 30,50,20,begin,130,135"},
		{"marks", "140 > t.i", "0,20,20,both,100,105 30,40,10,begin,130,130"},
		{"marks", "120 < t.i", "30,60,30,both,160,140"},
		{"marks", "(0.0 - t.i) < -125", "30,60,30,both,-160,-140"},
		// Windows, with values between the records.
		{"marks", "-S @22:13:25 -T @22:13:35 -t 5sec t.i > 107", "10,15,5,end,110,110"},
		// A rate is one of the time since the sample before.
		{"marks", "rate(t.c) > 0", "10,20,10,both,1,1 30,60,30,both,1,1"},
		{"marks", "t.c", "10,20,10,both,1,1 30,60,30,both,1,1"},
		// 100+t at 0, 10, 50 and 60, and without values between: a gap ends an interval.
		{"gaps", "t.i > 0", "0,10,10,both,110,100 50,60,10,both,160,150"},
		{"marks", "t.i > 1000", ""},
		{"marks", "t.c > 10", "!! t.c > 10 compares a counter, which only grows\n  compare its rate: rate(t.c)\n"},
		{"demo", "kernel.uname.release", "!! when wants a number: string, discrete, no units\n"},
		{"demo", "no.such > 1", "!! unknown metric no.such\n"},
		{"demo", "--for x kernel.all.load", "!! 'x' is not an interval; as in 5, 500msec, 10sec or 2min; :help when lists the options\n"},
	} {
		s := newSession(t, tt.archive, func(o *repl.Options) { o.Open = open })
		got := run(s, ":when -o csv "+tt.item)
		if !strings.HasPrefix(got, "!!") {
			got = seconds(t, got)
		}
		if got != tt.want && !(strings.HasPrefix(tt.want, "!!") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: %s: got %s, want %s", tt.archive, tt.item, got, tt.want)
		}
	}
}

// seconds returns the rows of CSV without instances and units, with times as seconds since the first record of these archives.
func seconds(t *testing.T, text string) string {
	t.Helper()
	var rows []string
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range lines[1:] {
		for i := range 2 {
			at, err := time.Parse(time.RFC3339Nano, cells[i])
			if err != nil {
				t.Fatal(err)
			}
			cells[i] = strconv.FormatInt(at.Unix()%1000, 10)
		}
		rows = append(rows, strings.Join(append(cells[:4:4], cells[6:]...), ","))
	}
	return strings.Join(rows, " ")
}
