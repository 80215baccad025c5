package format

import (
	"math"
	"strconv"
)

// scaled is a row of the table of pmNumberStr: numbers from limit on are divided
// by unit and get the suffix.
type scaled struct {
	limit, unit float64
	suffix      byte
}

// The rows for numbers of either sign, the largest first. Negative numbers pass
// to the next unit a digit earlier, which leaves room for the sign.
var (
	scaledUp   = [...]scaled{{999995e6, 1e12, 'T'}, {999995e3, 1e9, 'G'}, {999995, 1e6, 'M'}, {999.995, 1e3, 'K'}, {0.005, 1, ' '}}
	scaledDown = [...]scaled{{99995e6, 1e12, 'T'}, {99995e3, 1e9, 'G'}, {99995, 1e6, 'M'}, {99.995, 1e3, 'K'}, {0.005, 1, ' '}}
)

// AppendScaled appends f in exactly seven characters, with the suffix K, M, G or
// T where it is needed, as pmNumberStr does (values.md V8.3).
func AppendScaled(dst []byte, f float64) []byte {
	rows, inf, limit := &scaledUp, " inf?  ", 999995e9
	if f < 0 {
		rows, inf, limit = &scaledDown, "-inf?  ", 99995e9
	}
	abs := math.Abs(f)
	if abs >= limit {
		return append(dst, inf...)
	}
	for _, r := range rows {
		if abs >= r.limit {
			start := len(dst)
			dst = strconv.AppendFloat(dst, f/r.unit, 'f', 2, 64)
			return append(alignRight(dst, start, 6), r.suffix)
		}
	}
	return append(dst, "  0.00 "...)
}
