package pcp

import (
	"math"
	"strconv"
)

// AppendG appends f to dst as C's printf does for %.<prec>g.
func AppendG(dst []byte, f float64, prec int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		if math.IsNaN(f) {
			return append(dst, "nan"...)
		}
		return append(dst, "inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', max(prec, 1), 64)
}
