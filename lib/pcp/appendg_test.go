package pcp

import (
	"math"
	"testing"
)

func TestAppendG(t *testing.T) {
	tests := []struct {
		f    float64
		prec int
		want string
	}{
		{0, 16, "0"},
		{math.Copysign(0, -1), 16, "-0"},
		{1, 16, "1"},
		{-1.5, 16, "-1.5"},
		{100000, 16, "100000"},
		{1e15, 16, "1000000000000000"},
		{1e16, 16, "1e+16"},
		{1.0 / 3, 16, "0.3333333333333333"},
		{123456789.123456789, 16, "123456789.1234568"},
		{0.0001, 16, "0.0001"},
		{0.00001, 16, "1e-05"},
		{1e300, 16, "1e+300"},
		{-1e-300, 16, "-1e-300"},
		{5e-324, 16, "4.940656458412465e-324"},
		{math.MaxFloat64, 16, "1.797693134862316e+308"},
		{math.Inf(1), 16, "inf"},
		{math.Inf(-1), 16, "-inf"},
		{math.NaN(), 16, "nan"},
		{math.Copysign(math.NaN(), -1), 16, "-nan"},
		{float64(float32(0.1)), 8, "0.1"},
		{float64(float32(1.0 / 3)), 8, "0.33333334"},
		{123456789, 8, "1.2345679e+08"},
		{12345678, 8, "12345678"},
		{1e8, 8, "1e+08"},
		{99999999.5, 8, "1e+08"},
		{99999999.4, 8, "99999999"},
		{1e10, 8, "1e+10"},
		{float64(float32(0.0001)), 8, "9.9999997e-05"},
		{2.5, 1, "2"},
		{2.5, 0, "2"},
		{950, 1, "1e+03"}, // ties to even, then the exponent is too large
		{0.5, 6, "0.5"},
		{1e6, 6, "1e+06"},
		{999999, 6, "999999"},
		{1e100, 3, "1e+100"},
	}
	for _, tt := range tests {
		if got := string(AppendG(nil, tt.f, tt.prec)); got != tt.want {
			t.Errorf("AppendG(%v, %d) = %q, want %q", tt.f, tt.prec, got, tt.want)
		}
	}
}

func BenchmarkAppendG(b *testing.B) {
	buf := make([]byte, 0, 64)
	for b.Loop() {
		buf = AppendG(buf[:0], 123456.789, 16)
	}
}
