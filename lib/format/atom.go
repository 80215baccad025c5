package format

import (
	"encoding/hex"
	"math"
	"strconv"

	"pmtools/lib/pcp"
)

const (
	atomString = 38 // a string of so many bytes is too long
	atomPrefix = 34 // characters shown of a longer string
	atomBytes  = 12 // bytes shown of an aggregate
)

// AppendAtom appends a value as pmAtomStr shows it in diagnostics: floating-point numbers with an
// exponent, only the beginning of long strings and aggregates, and only the number of event records.
// A Value that is not set is "<null>".
func AppendAtom(dst []byte, v pcp.Value) []byte {
	t := v.Type()
	switch {
	case !v.IsSet():
		return append(dst, "<null>"...)
	case t == pcp.Float:
		return appendExponent(dst, float64(math.Float32frombits(uint32(v.Word()))))
	case t == pcp.Double:
		return appendExponent(dst, math.Float64frombits(v.Word()))
	case t.Arithmetic():
		return appendNumber(dst, t, v.Word(), 0)
	case t == pcp.String:
		return appendAtomString(dst, v.Bytes())
	case t == pcp.Aggregate || t == pcp.AggregateStatic:
		return appendAtomBytes(dst, t, v.Bytes())
	case t == pcp.Event || t == pcp.HighResEvent:
		dst, _ = appendEventCount(dst, v.Bytes())
		return append(dst, ']')
	}
	dst = append(dst, "Error: unexpected type: "...)
	switch t {
	case pcp.NoSupport:
		return append(dst, "Not Supported"...)
	case pcp.Unknown:
		return append(dst, "Unknown"...)
	}
	return strconv.AppendInt(append(dst, "Illegal type="...), int64(t), 10)
}

// appendExponent appends f as C's printf does for %e.
func appendExponent(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return pcp.AppendG(dst, f, 6)
	}
	return strconv.AppendFloat(dst, f, 'e', 6, 64)
}

func appendAtomString(dst, s []byte) []byte {
	dst = append(dst, '"')
	if len(s) < atomString {
		return append(append(dst, s...), '"')
	}
	return append(append(dst, s[:atomPrefix]...), `..."`...)
}

func appendAtomBytes(dst []byte, t pcp.Type, b []byte) []byte {
	dst = append(append(dst, "[type="...), t.String()...)
	dst = strconv.AppendInt(append(dst, " len="...), int64(len(b)), 10)
	dst = append(dst, ']')
	for i := 0; i < min(len(b), atomBytes); i += 4 {
		dst = append(dst, ' ')
		dst = hex.AppendEncode(dst, b[i:min(i+4, len(b))])
	}
	if len(b) > atomBytes {
		dst = append(dst, " ..."...)
	}
	return dst
}
