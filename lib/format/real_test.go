package format

import (
	"math"
	"testing"
)

// realCases are numbers and their text in pmval of PCP 7.2 in a column of 21 (commands.md T6.4),
// without leading blanks.
var realCases = []struct {
	f    float64
	want string
}{
	{0, "0.0   "}, {math.Copysign(0, -1), "-0.0   "}, {0.09999, "9.999E-02"}, {0.1, "0.1000"}, {0.12345678, "0.1235"},
	{0.9999, "0.9999"}, {0.99991, "1.000 "}, {1.23456, "1.235 "}, {9.999, "9.999 "}, {9.9991, "10.00  "}, {12.3456, "12.35  "},
	{99.99, "99.99  "}, {99.991, "100.0   "}, {123.456, "123.5   "}, {999.9, "999.9   "}, {999.91, "1000.    "},
	{1234.5, "1234.    "}, {1235.5, "1236.    "}, {9999, "9999.    "}, {9999.1, "9.999E+03"}, {9999.5, "1.000E+04"}, {1e100, "1.000E+100"},
	{-1, "-1.000E+00"}, {-0.5, "-5.000E-01"}, {math.Inf(1), "INF"}, {math.Inf(-1), "-INF"}, {math.NaN(), "nan.    "},
	{math.Copysign(math.NaN(), -1), "-nan.    "},
	{5e-324, "4.941E-324"}, {math.MaxFloat64, "1.798E+308"}, {float64(float32(0.1)), "0.1000"},
}

func TestAppendReal(t *testing.T) {
	for _, tt := range realCases {
		want := tt.want
		for len(want) < 21 {
			want = " " + want
		}
		if got := string(AppendReal([]byte("x"), tt.f, 21)); got != "x"+want {
			t.Errorf("AppendReal(%v, 21) = %q, want %q", tt.f, got[1:], want)
		}
	}
}

// TestAppendRealNarrow: in a narrow column the padding before the point becomes padding after the
// number.
func TestAppendRealNarrow(t *testing.T) {
	tests := []struct {
		f     float64
		width int
		want  string
	}{
		{0, 1, "0   .0   "}, {0, 2, "0  .0   "}, {0, 3, "0 .0   "}, {0, 4, "0.0   "}, {0, 5, "0.0   "}, {0, 6, "0.0   "}, {0, 7, " 0.0   "},
		{1.5, 1, "1.500 "}, {12.5, 1, "12.50  "}, {123.5, 1, "123.5   "}, {1234, 1, "1234.    "}, {0.5, 1, "0.5000"}, {-1, 1, "-1.000E+00"},
	}
	for _, tt := range tests {
		if got := string(AppendReal(nil, tt.f, tt.width)); got != tt.want {
			t.Errorf("AppendReal(%v, %d) = %q, want %q", tt.f, tt.width, got, tt.want)
		}
	}
}

func TestAppendFixed(t *testing.T) {
	tests := []struct {
		f           float64
		width, prec int
		want        string
	}{
		{123.456, 10, 2, "    123.46"}, {-1.5, 3, 0, " -2"}, {2.5, 1, 0, "2"}, {-0.4, 1, 0, "-0"}, {0.5, 4, 0, "   0"},
		{float64(float32(1e30)), 1, 2, "1000000015047466219876688855040.00"}, {1e15, 1, 0, "1000000000000000"},
		{1e22, 1, 0, "10000000000000000000000"}, {-1e15, 1, 0, "-1000000000000000"},
		{math.NaN(), 6, 2, "   nan"}, {math.Inf(1), 6, 2, "   inf"}, {math.Inf(-1), 6, 0, "  -inf"}, {math.Copysign(math.NaN(), -1), 1, 1, "-nan"},
	}
	for _, tt := range tests {
		if got := string(AppendFixed(nil, tt.f, tt.width, tt.prec)); got != tt.want {
			t.Errorf("AppendFixed(%v, %d, %d) = %q, want %q", tt.f, tt.width, tt.prec, got, tt.want)
		}
	}
	if got := string(appendField(nil, math.NaN(), 'E', 3, 5)); got != "  NAN" {
		t.Errorf("NaN with an exponent is %q", got)
	}
}

// TestAppendRealAllocs: the numbers of a run are written without allocation.
func TestAppendRealAllocs(t *testing.T) {
	buf := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(10, func() {
		for _, tt := range realCases {
			buf = AppendReal(buf[:0], tt.f, 21)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppendReal(b *testing.B) {
	buf := make([]byte, 0, 1000)
	for b.Loop() {
		for _, tt := range realCases {
			buf = AppendReal(buf[:0], tt.f, 21)
		}
	}
}

func TestAppendShort(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		bits int
		want string
	}{
		{0, 64, "0"}, {123456, 64, "123456"}, {-1234.25, 64, "-1234.25"}, {0.1, 64, "0.1"}, {float64(float32(0.1)), 32, "0.1"},
		{float64(float32(0.1)), 64, "0.10000000149011612"}, {1e-6, 64, "0.000001"}, {9e-7, 64, "9e-07"},
		{1e20, 64, "100000000000000000000"}, {1e21, 64, "1e+21"}, {99999999999.9999, 64, "99999999999.9999"},
		{math.Inf(-1), 64, "-Inf"}, {math.NaN(), 64, "NaN"},
	} {
		if got := string(AppendShort(nil, tt.f, tt.bits)); got != tt.want {
			t.Errorf("%v in %d bits: %s, want %s", tt.f, tt.bits, got, tt.want)
		}
	}
}

func BenchmarkAppendShort(b *testing.B) {
	for name, f := range map[string]float64{"whole": 123456, "decimals": 1234.25, "digits": 1234.56789012345} {
		b.Run(name, func(b *testing.B) {
			var dst []byte
			for b.Loop() {
				dst = AppendShort(dst[:0], f, 64)
			}
		})
	}
}
