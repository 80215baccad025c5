package pcp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

func TestParseUnits(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		text   string // several forms, separated by |
		word   uint32
		factor float64
	}{
		{"| |\t |/| / ", 0, 1},
		{"count|counts|COUNT", 0x00100000, 1},
		{"count x 10|Count X 10", 0x00100100, 1},
		{"count x 10^3", 0x00100300, 1},
		{"count x 10^-8", 0x00100800, 1},
		{"count x 10^3^2", 0x00200300, 1},
		{"count x 10^2", 0x00100200, 1}, // not the square of count x 10
		{"count x 10^1", 0x00100100, 1}, // a power of the dimension
		{"count^0|count x 10^0", 0, 1},
		{"byte|bytes|Byte", 0x10000000, 1},
		{"KB|kb|Kb|KiB|Kbyte|kbytes|kilobyte|kibibytes|KILOBYTES", 0x10010000, 1},
		{"mb|MiB|mbyte|Megabyte|Mebibytes", 0x10020000, 1},
		{"GB|gib|gigabytes|gibibyte", 0x10030000, 1},
		{"TB|terabyte|tebibyte", 0x10040000, 1},
		{"PB|petabyte|pebibyte", 0x10050000, 1},
		{"EB|exabyte|exbibyte", 0x10060000, 1},
		{"ZB|zettabyte|zebibyte", 0x10070000, 1},
		{"YB|yottabytes|yobibytes", 0x10080000, 1},
		{"s|sec|second|seconds", 0x01003000, 1},
		{"ns|nanosec|nanosecond|nanoseconds", 0x01000000, 1},
		{"us|microsec|microsecond|microseconds", 0x01001000, 1},
		{"ms|MS|millisec|millisecond|milliseconds", 0x01002000, 1},
		{"min|minute|minutes", 0x01004000, 1},
		{"h|hr|hour|hours", 0x01005000, 1},
		{"time-3", 0x01003000, 1},
		{"time-1", 0x01001000, 1},
		{"time-10", 0x0100a000, 1},
		{"space-15", 0x100f0000, 1},
		{"sec^2", 0x02003000, 1},
		{"sec^-1", 0x0f003000, 1},
		{"sec^-8", 0x08003000, 1},
		{"sec^7", 0x07003000, 1},
		{"byte/sec|byte / sec", 0x1f003000, 1},
		{"/sec|/ sec", 0x0f003000, 1},
		{"/ sec^2", 0x0e003000, 1},
		{"byte/", 0x10000000, 1},
		{"2 byte|2byte|byte 2", 0x10000000, 0.5},
		{"2.5 Mbyte/5s", 0x1f023000, 2},
		{"2 mbyte/5s|2 Mbyte / 5 sec", 0x1f023000, 2.5},
		{"1/2 sec", 0x0f003000, 2},
		{"10", 0, 0.1},
		{"0 byte", 0x10000000, inf},
		{"byte/0 sec", 0x1f003000, 0},
		{"-1 byte", 0x10000000, -1},
		{".5 byte", 0x10000000, 2},
		{"1e3byte", 0x10000000, 0.001},
		{"0x10 byte", 0x10000000, 0.0625},
		{"1.5.2 byte", 0x10000000, 3.333333333333333},
		{"1 2 3 byte", 0x10000000, 0.16666666666666666},
		{"byte 2 sec 3", 0x11003000, 0.16666666666666666},
		{"sec byte", 0x11003000, 1},
		{"count byte / sec", 0x1f103000, 1},
		{"Kbyte/Mbyte", 0, 1024},
		{"Mbyte/Kbyte", 0, 0.0009765625},
		{"Kbyte^2/byte", 0x10000000, 9.5367431640625e-07},
		{"hour/min", 0, 0.016666666666666666},
		{"s/100s", 0, 100},
		{"sec/hour^2", 0x0f003000, 12960000},
		{"count x 10^3/count", 0, 0.001},
		{"count/count x 10^2", 0, 100},
		{"hour / count x 10^6", 0x01f05600, 1},
		{"/ Ybyte^8 hour^8 count x 10^-8^8", 0x88885800, 1},
		{"byte^15/byte^8", 0x70000000, 1},
		{"byte/ sec^-1", 0x11003000, 1},
		{"temperature (C)|TEMPERATURE (c)", 0x00000009, 1},
		{"power (kW)|power (KW)", 0x00000021, 1},
		{"power (MW)", 0x00000023, 1},
		{"sec power (W)|power (W)sec", 0x01003022, 1},
		{"power (W) / 5 sec", 0x0f003022, 5},
		{"5 power (W)", 0x00000022, 0.2},
		{"/ voltage (mV) Kbyte sec", 0xff0130f2, 1},
		{"sec^0/min", 0x0f004000, 1},
		// The last bits depend on exact powers and on the order of the dimensions.
		{"nanosecond count x 10^10 /sec count x 10^8", 0x00200000, 9999999.999999998},
		{"count x 10^8 minutes / count x 10^-8 second", 0x00700000, math.Float64frombits(0x3c3ebe9c5db3c61f)},
		{"count^0 count", 0x00100000, 1},
		{"byte/space-15", 0, math.Pow(1024, 15)},
	}
	for _, tt := range tests {
		for _, text := range strings.Split(tt.text, "|") {
			t.Run(text, func(t *testing.T) {
				u, factor, err := ParseUnits(text)
				if err != nil || u.Word() != tt.word || factor != tt.factor {
					t.Errorf("ParseUnits(%q) = %#08x, %v, %v, want %#08x, %v", text, u.Word(), factor, err, tt.word, tt.factor)
				}
			})
		}
	}
}

func TestParseUnitsErrors(t *testing.T) {
	tests := []struct {
		text string // several forms, separated by |
		want string
	}{
		{"time-16|b|K|m|d|day|secs|nsec|usec|msec|mins|hrs|none|foo|x 10^3", badUnit},
		{"sec^-9|sec^16|sec^|sec ^2|sec^+2|sec^02|sec^-0|sec^1x|time-03|space-", badUnit},
		{"counts x 10|count  x 10^3|count x10|count x 100", badUnit},
		{"byte//sec|byte/sec/sec|byte,sec|byte.sec|byte*sec|byte foo", badUnit},
		{"byte byte|sec sec|count count|1e byte|inf byte|nan byte", badUnit},
		{"temperature(C)|temperature  (C)|temperature ( C )|temperature|extra-5|temperature (Q)", badUnit},
		{"power (W) foo|power (W) sec foo|power (W)^2|foo power (W)", badUnit}, // the reference never returns
		{"sec\xff|\xff|séc", badUnit},
		{"1e400 byte|- byte|.|1e-400|1e-310", badNumber},
		{"count x 10^8|count x 10^10", "count dimension out of bounds"},
		{"sec^8|sec^15|sec^7/sec^-1", "time dimension out of bounds"},
		{"byte^8|byte^7/byte^-8|byte^-8/byte^8|byte^8 sec^8", "space dimension out of bounds"},
		{"temperature (C) voltage (V)|power (W) power (W)", badExtra},
		{"power (kW) / power (W)", bothExtra},
		{"power (kW) byte^8 / power (W)", "space dimension out of bounds"},
		{"time-6/sec|sec/time-15|time-6/time-6", badTimeUnit}, // the reference aborts
	}
	for _, tt := range tests {
		for _, text := range strings.Split(tt.text, "|") {
			t.Run(text, func(t *testing.T) {
				u, factor, err := ParseUnits(text)
				if err == nil || err.Error() != tt.want {
					t.Fatalf("ParseUnits(%q) = %+v, %v, %v, want %q", text, u, factor, err, tt.want)
				} else if u != (Units{}) || factor != 1 {
					t.Fatalf("ParseUnits(%q) = %+v, %v, %v, want %q", text, u, factor, err, tt.want)
				}
				if !errors.Is(err, pmerr.Conv) || pmerr.Of(err) != pmerr.Conv {
					t.Errorf("ParseUnits(%q): code %d", text, pmerr.Of(err))
				}
			})
		}
	}
}

// canonical reports whether the text of u can be read back. A square of ten events and a hundred
// events have the same text.
func canonical(u Units) bool {
	kind, n := extraOf(u)
	power := max(u.DimCount, -u.DimCount)
	switch {
	case u.ScaleCount == 1 && power >= 2 && power <= 7:
		return false
	case u.Dimensionless() && u.ScaleCount != 0:
		return false
	case kind == nil && n != 0:
		return false
	case kind != nil && (u.ExtraScale < 1 || int(u.ExtraScale) > len(kind.scales)):
		return false
	}
	return true
}

// plain returns u without the scales that its text does not show.
func plain(u Units) Units {
	if u.DimSpace == 0 {
		u.ScaleSpace = 0
	}
	if u.DimTime == 0 {
		u.ScaleTime = 0
	}
	if u.DimCount == 0 {
		u.ScaleCount = 0
	}
	if u.Extra == 0 {
		u.ExtraScale = 0
	}
	return u
}

func TestParseUnitsRoundTrip(t *testing.T) {
	for _, tt := range unitTexts {
		u := UnitsOf(tt.word)
		if !canonical(u) {
			continue
		}
		got, factor, err := ParseUnits(u.String())
		if err != nil || factor != 1 || got != plain(u) {
			t.Errorf("ParseUnits(%q) = %+v, %v, %v, want %+v", u, got, factor, err, plain(u))
		}
	}
}

// FuzzParseUnits: units fit into their word, and the text of canonical units is read as the same.
func FuzzParseUnits(f *testing.F) {
	for _, tt := range unitTexts {
		f.Add(tt.text, tt.word)
	}
	for _, s := range []string{"2 mbyte/5s", "power (W) foo", "time-6/sec", "count x 10^8", "-.e5", "0x1p-1074 s", "-nan(1_a)", "1e"} {
		f.Add(s, uint32(0x787ff8f2))
	}
	f.Fuzz(func(t *testing.T, s string, word uint32) {
		u, factor, err := ParseUnits(s)
		if err != nil && (u != Units{} || factor != 1) {
			t.Errorf("ParseUnits(%q) = %+v, %v with an error", s, u, factor)
		}
		if err == nil && UnitsOf(u.Word()) != u {
			t.Errorf("ParseUnits(%q) = %+v, which is no 32-bit word", s, u)
		}
		if u = UnitsOf(word); canonical(u) {
			got, factor, err := ParseUnits(u.String())
			if err != nil || factor != 1 || got != plain(u) {
				t.Errorf("ParseUnits(%q) = %+v, %v, %v", u, got, factor, err)
			}
		}
	})
}

func BenchmarkParseUnits(b *testing.B) {
	for b.Loop() {
		if _, _, err := ParseUnits("2.5 Mbyte / 5 sec"); err != nil {
			b.Fatal(err)
		}
	}
}
