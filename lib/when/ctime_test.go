package when_test

import (
	"errors"
	"testing"
	"time"

	"pmtools/lib/when"
)

// TestCtimeDate reads dates as the reference does, for a source that starts on Monday 1996-03-04
// 13:07:47 and has no end. The wanted text is the time or the message (values.md V13.3).
func TestCtimeDate(t *testing.T) {
	b := when.Base{
		Start: time.Date(1996, 3, 4, 13, 7, 47, 0, time.UTC),
		Now:   time.Date(2024, 5, 15, 10, 30, 45, 0, time.UTC),
	}
	for _, c := range []struct{ text, want string }{
		{"@13:10", "1996-03-04 13:10:00"},
		{"@10:00", "1996-03-05 10:00:00"},
		{"@Mar 5", "1996-03-05 00:00:00"},
		{"@ Mar 5 1996", "1996-03-05 00:00:00"},
		{"@ Mar 1996", "1996-03-01 00:00:00"},
		{"@1996", "1996-01-01 00:00:00"},
		{"@5 14", "1996-03-05 14:00:00"},
		{"@:30", "1996-03-05 00:30:00"},
		{"@::30", "1996-03-05 00:00:30"},
		{"@14:30:15.123456789", "1996-03-04 14:30:15.123456789"},
		{"@14:30:15.9999999999", "1996-03-04 14:30:15.999999999"},
		{"@14:30:1e1", "1996-03-04 14:30:10"},
		{"@14:30:0x10", "1996-03-04 14:30:16"},
		{"@14:30:.5", "1996-03-04 14:30:00.5"},
		{"@14:30:+5", "1996-03-04 14:30:05"},
		{"@14: 30", "1996-03-04 14:30:00"},
		{"@ 14 : 30 : 15", "1996-03-04 14:30:15"},
		{"@+5 14:00", "1996-03-05 14:00:00"},
		{"@-5 14:00", "-5 14:00\n^ -- unexpected value\n"},
		{"@2:30pm", "1996-03-04 14:30:00"},
		{"@12:00 am", "1996-03-05 00:00:00"},
		{"@5 12 am", "1996-03-05 00:00:00"},
		{"@5 13 am", "5 13 am\n     ^ -- unexpected value\n"},
		{"@: pm", "1996-03-05 12:00:00"},
		{"@:30am", "1996-03-05 00:30:00"},
		{"@Mar 5 2:30 pm 1996", "1996-03-05 14:30:00"},
		{"@2:30pm1996", "1996-01-01 14:30:00"},
		{"@Mar 5 2:30pmx", "Mar 5 2:30pmx\n          ^ -- unexpected value\n"},
		{"@13:00 pm", "13:00 pm\n      ^ -- unexpected value\n"},
		{"@Mar 5 am", "Mar 5 am\n      ^ -- unexpected value\n"},
		{"@Tue Mar 5 14:00:00 1996", "1996-03-05 14:00:00"},
		{"@Mon Mar  5 14:00:00 1996", "1996-03-05 14:00:00"},
		{"@TueMar5", "1996-03-05 00:00:00"},
		{"@MAR5 1997", "1997-03-05 00:00:00"},
		{"@4 13:00", "1996-03-04 13:00:00"},
		{"@3 12:00", "1996-04-03 12:00:00"},
		{"@Feb", "1997-02-01 00:00:00"},
		{"@Mar", "1996-03-01 00:00:00"},
		{"@0 0:0", "1996-03-05 00:00:00"},
		{"@0 0", "0 0\n   ^ -- more information expected\n"},
		{"@Mar 0", "1996-02-29 00:00:00"},
		{"@24", "1996-03-24 00:00:00"},
		{"@25:00", "1996-03-25 00:00:00"},
		{"@31 23:59:61", "1996-04-01 00:00:01"},
		{"@14:30:61", "1996-03-04 14:31:01"},
		{"@14:30:62", "14:30:62\n      ^ -- unexpected value\n"},
		{"@::61.5", "::61.5\n  ^ -- unexpected value\n"},
		{"@Mar 32", "Mar 32\n    ^ -- unexpected value\n"},
		{"@14:60", "14:60\n   ^ -- unexpected value\n"},
		{"@14:-5", "14:-5\n   ^ -- unexpected value\n"},
		{"@Feb 30", "1997-03-02 00:00:00"},
		{"@Feb 29 1997", "1997-03-01 00:00:00"},
		{"@Dec 31 23:59:59 1969", "1969-12-31 23:59:59"},
		{"@9999", "9999-01-01 00:00:00"},
		{"@5 14:00 1899", "5 14:00 1899\n        ^ -- unexpected value\n"},
		{"@5 14:00 99999", "5 14:00 99999\n        ^ -- unexpected value\n"},
		{"@Mon 1996", "Mon 1996\n        ^ -- more information expected\n"},
		{"@Mon Mar", "1996-03-01 00:00:00"},
		{"@Mon:30", "Mon:30\n      ^ -- more information expected\n"},
		{"@Mar 1996 5", "Mar 1996 5\n         ^ -- unexpected value\n"},
		{"@3 3 3", "3 3 3\n    ^ -- unexpected value\n"},
		{"@14:00 14", "14:00 14\n      ^ -- unexpected value\n"},
		{"@14:00:00:00", "14:00:00:00\n        ^ -- unexpected value\n"},
		{"@0x5", "0x5\n ^ -- unexpected value\n"},
		{"@14:30 foo", "14:30 foo\n      ^ -- unexpected value\n"},
		{"@ 14:30 foo", " 14:30 foo\n       ^ -- unexpected value\n"},
		{"@@foo", "@foo\n^ -- unexpected value\n"},
		{"@99999999999999999999", "99999999999999999999\n^ -- unexpected value\n"},
	} {
		t.Run(c.text, func(t *testing.T) {
			at, err := when.ParseTime(c.text, b)
			got := at.UTC().Format("2006-01-02 15:04:05.999999999")
			var e *when.SyntaxError
			if errors.As(err, &e) {
				got = e.Caret()
			}
			if got != c.want {
				t.Errorf("ParseTime(%q): got %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// TestYearless holds the rule that only the first field that is given is compared with the start's.
func TestYearless(t *testing.T) {
	start := time.Date(1996, 12, 31, 23, 59, 30, 500, time.UTC)
	for _, c := range []struct{ name, text, want string }{
		{"month of the next year", "@Nov 5", "1997-11-05 00:00:00"},
		{"same month", "@Dec", "1996-12-01 00:00:00"},
		{"day of the next month", "@30 10:00", "1997-01-30 10:00:00"},
		{"hour of the next day", "@22:00", "1997-01-01 22:00:00"},
		{"same hour, earlier minute", "@23:30", "1996-12-31 23:30:00"},
		{"nothing given", "@", "1996-12-31 23:59:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := when.ParseTime(c.text, when.Base{Start: start})
			if err != nil || got.UTC().Format(time.DateTime) != c.want {
				t.Errorf("ParseTime(%q) = %v, %v, want %v", c.text, got.UTC(), err, c.want)
			}
		})
	}
}
