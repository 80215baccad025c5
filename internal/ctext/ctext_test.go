package ctext

import (
	"math"
	"testing"

	_ "pmtools/test/env"
)

func TestFloat(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		text       string
		want       float64
		n          int
		outOfRange bool
	}{
		{"", 0, 0, false},
		{"x", 0, 0, false},
		{"-", 0, 0, false},
		{".", 0, 0, false},
		{"+.e5", 0, 0, false},
		{"1", 1, 1, false},
		{"+1", 1, 2, false},
		{"-.5e1x", -5, 5, false},
		{"5.", 5, 2, false},
		{"1.5.2", 1.5, 3, false},
		{"1e", 1, 1, false},
		{"1e+", 1, 1, false},
		{"1e+2", 100, 4, false},
		{"1_000", 1, 1, false},
		{"0x", 0, 1, false},
		{"0xg", 0, 1, false},
		{"0x10", 16, 4, false},
		{"0X1.8p1", 3, 7, false},
		{"0x1p", 1, 3, false},
		{"0x.8", 0.5, 4, false},
		{"0x1p-1074", 5e-324, 9, false},
		{"1e400", inf, 5, true},
		{"-1e400", -inf, 6, true},
		{"1e-400", 0, 6, true},
		{"0e-400", 0, 6, false},
		{"0.000", 0, 5, false},
		{"1e-310", 1e-310, 6, true},
		{"inf", inf, 3, false},
		{"-Infinity!", -inf, 9, false},
		{"infinit", inf, 3, false},
		{"i", 0, 0, false},
	}
	for _, tt := range tests {
		f, n, outOfRange := Float(tt.text)
		if f != tt.want || n != tt.n || outOfRange != tt.outOfRange {
			t.Errorf("Float(%q) = %v, %d, %v, want %v, %d, %v", tt.text, f, n, outOfRange, tt.want, tt.n, tt.outOfRange)
		}
	}
	for _, tt := range []struct {
		text string
		n    int
	}{{"nan", 3}, {"-NaN", 4}, {"nan(1_a)", 8}, {"nan(", 3}, {"nan(+)", 3}, {"nanx", 3}} {
		if f, n, _ := Float(tt.text); f == f || n != tt.n {
			t.Errorf("Float(%q) = %v, %d, want NaN, %d", tt.text, f, n, tt.n)
		}
	}
}
