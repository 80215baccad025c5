package when_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pmtools/lib/when"
)

// caret returns the message of an error as the tools print it.
func caret(t *testing.T, err error) string {
	t.Helper()
	var e *when.SyntaxError
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is no *SyntaxError", err, err)
	}
	return e.Caret()
}

func TestParseIntervalRecorded(t *testing.T) {
	for line, f := range golden(t, "testdata/interval.txt", 2) {
		d, err := when.ParseInterval(f[0])
		got := fmt.Sprintf("0 %d.%09d", d/time.Second, d%time.Second)
		if err != nil {
			got = "-1 0.000000000 " + caret(t, err)
		}
		if got != f[1] {
			t.Errorf("line %d: ParseInterval(%q) = %q, want %q", line, f[0], got, f[1])
		}
	}
}

func TestParseInterval(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       time.Duration
	}{
		{"seconds by default", "10", 10 * time.Second},
		{"fraction", "2.5", 2500 * time.Millisecond},
		{"sum of parts", "1d2h3m4s", 93784 * time.Second},
		{"blanks between", " 2 hours  30 min ", 9000 * time.Second},
		{"ms is minutes", "5ms", 5 * time.Minute},
		{"hexadecimal", "0x10s", 16 * time.Second},
		{"hexadecimal exponent", "0x1p4", 16 * time.Second},
		{"exponent", "1e2", 100 * time.Second},
		{"nanoseconds", "100nsec", 100},
		{"only blanks", " \t", 0},
		{"minus zero", "-0", 0},
		{"carry of the rounding", "1.9999999999", 2 * time.Second},
		{"carry of the microseconds", "1000000.9999999", 1000001 * time.Second},
		{"microseconds above a million", "1000000.123456789", 1000000123457 * time.Microsecond},
		{"more than a duration holds", "1e18", math.MaxInt64},
		{"sum more than a duration holds", "9e18 9e18 9e18", math.MaxInt64},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := when.ParseInterval(c.text)
			if err != nil || got != c.want {
				t.Errorf("ParseInterval(%q) = %v, %v, want %v", c.text, got, err, c.want)
			}
		})
	}
}

func TestParseIntervalErrors(t *testing.T) {
	for _, c := range []struct{ name, text, caret string }{
		{"empty", "", "\n^ -- Null or empty specification\n"},
		{"unknown unit", "4minutes 30mumble", "4minutes 30mumble\n           ^ -- unexpected value\n"},
		{"negative", "-5", "-5\n^ -- unexpected value\n"},
		{"negative later", "5 -5", "5 -5\n  ^ -- unexpected value\n"},
		{"tab is copied", "5\tmumble", "5\tmumble\n \t^ -- unexpected value\n"},
		{"microsecond sign", "5\xc2\xb5s", "5\xc2\xb5s\n ^ -- unexpected value\n"},
		{"not a number", "nan", "nan\n^ -- unexpected value\n"},
		{"infinity", "inf", "inf\n^ -- unexpected value\n"},
		{"too large", "1e400", "1e400\n^ -- unexpected value\n"},
		{"above 63 bits", "1e19", "1e19\n^ -- unexpected value\n"},
		{"lone point", ".", ".\n^ -- unexpected value\n"},
		{"lone sign", "+", "+\n^ -- unexpected value\n"},
		{"hexadecimal without digits", "0x", "0x\n ^ -- unexpected value\n"},
		{"exponent without digits", "1e", "1e\n ^ -- unexpected value\n"},
		{"two plurals", "3dayss", "3dayss\n ^ -- unexpected value\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := when.ParseInterval(c.text)
			if err == nil {
				t.Fatalf("ParseInterval(%q) = %v, want an error", c.text, d)
			}
			if got := caret(t, err); got != c.caret {
				t.Errorf("Caret() = %q, want %q", got, c.caret)
			}
		})
	}
}

func TestSyntaxErrorIsOneLine(t *testing.T) {
	_, err := when.ParseInterval("10\nfoo")
	if got, want := err.Error(), `"10\nfoo": column 4: unexpected value`; got != want {
		t.Errorf("Error() = %s, want %s", got, want)
	}
}

// FuzzParseInterval: an interval is not negative, and is the same with 0 added; an error has a caret.
func FuzzParseInterval(f *testing.F) {
	for _, s := range []string{"", "10sec", "1d2h3m4s", "0x1.8p3min", "1e400", "-0", "5us", "nan", " ", "1 1 1", "9e18h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := when.ParseInterval(s)
		if err != nil {
			lines := strings.Split(caret(t, err), "^ -- ")
			if d != 0 || len(lines) < 2 {
				t.Errorf("ParseInterval(%q) = %v, %v", s, d, err)
			}
			return
		}
		if d < 0 {
			t.Errorf("ParseInterval(%q) = %v", s, d)
		}
		if again, err := when.ParseInterval(s + " 0"); err != nil || again != d {
			t.Errorf("ParseInterval(%q) = %v, %v after %v", s+" 0", again, err, d)
		}
	})
}

func BenchmarkParseInterval(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := when.ParseInterval("1h 30min 15.5sec"); err != nil {
			b.Fatal(err)
		}
	}
}
