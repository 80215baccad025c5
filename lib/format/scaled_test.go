package format

import (
	"math"
	"testing"
)

func TestAppendScaled(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "  0.00 "}, {0.004, "  0.00 "}, {0.005, "  0.01 "}, {9.995, "  9.99 "}, {12.345, " 12.35 "}, {123.456, "123.46 "},
		{999.994, "999.99 "}, {999.995, "  1.00K"}, {9999.5, " 10.00K"}, {999994, "999.99K"}, {999995, "  1.00M"},
		{123456789, "123.46M"}, {999995e3, "  1.00G"}, {1.5e12, "  1.50T"}, {9.99994e14, "999.99T"}, {1e15, " inf?  "},
		{-0.004, "  0.00 "}, {-0.005, " -0.01 "}, {-1, " -1.00 "}, {-99.994, "-99.99 "}, {-99.996, " -0.10K"}, {-99.995, " -0.10K"},
		{-1234.5, " -1.23K"}, {-99994, "-99.99K"}, {-1e6, " -1.00M"}, {-99995e3, " -0.10G"}, {-1e15, "-inf?  "},
		{math.Inf(1), " inf?  "}, {math.Inf(-1), "-inf?  "}, {math.NaN(), "  0.00 "}, {math.Copysign(0, -1), "  0.00 "},
	}
	for _, tt := range tests {
		if got := string(AppendScaled(nil, tt.f)); got != tt.want {
			t.Errorf("AppendScaled(%v) = %q, want %q", tt.f, got, tt.want)
		}
	}
}
