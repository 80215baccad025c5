package format

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pcp"
)

// AppendExact appends a value for programs: a number with all its digits, unless precision, the
// digits after the point of a floating-point number, is not negative; a string as it is; nothing for
// a Value that is not set. The times of events are those in loc.
func AppendExact(dst []byte, v pcp.Value, precision int, loc *time.Location) []byte {
	switch t := v.Type(); {
	case !v.IsSet():
		return dst
	case t.Arithmetic():
		return AppendExactWord(dst, t, v.Word(), precision)
	case t == pcp.String:
		return append(dst, bytes.TrimRight(v.Bytes(), "\x00")...)
	}
	opt := Options{Location: loc}
	return opt.AppendOne(dst, v, 1)
}

// AppendExactWord is AppendExact for a word of an arithmetic type.
func AppendExactWord(dst []byte, t pcp.Type, w uint64, precision int) []byte {
	f, bits := math.Float64frombits(w), 64
	switch t {
	case pcp.Int32, pcp.Int64:
		return strconv.AppendInt(dst, int64(w), 10)
	case pcp.Uint32, pcp.Uint64:
		return strconv.AppendUint(dst, w, 10)
	case pcp.Float:
		f, bits = float64(math.Float32frombits(uint32(w))), 32
	}
	if precision >= 0 {
		return strconv.AppendFloat(dst, f, 'f', precision, 64)
	}
	return AppendShort(dst, f, bits)
}

// AppendJSONWord is AppendJSON for a word of an arithmetic type.
func AppendJSONWord(dst []byte, t pcp.Type, w uint64, precision int) []byte {
	f := 0.0
	switch t {
	case pcp.Float:
		f = float64(math.Float32frombits(uint32(w)))
	case pcp.Double:
		f = math.Float64frombits(w)
	}
	if f-f != 0 { // NaN or infinite
		return append(dst, "null"...)
	}
	return AppendExactWord(dst, t, w, precision)
}

// AppendJSON appends a value as JSON: a number as AppendExact writes it, anything else as a string.
// JSON has no infinities: they, values other than numbers, and a Value that is not set are null.
func AppendJSON(dst []byte, v pcp.Value, precision int, loc *time.Location) []byte {
	switch {
	case !v.IsSet():
		return append(dst, "null"...)
	case !v.Type().Arithmetic():
		return AppendJSONString(dst, string(AppendExact(nil, v, -1, loc)))
	}
	return AppendJSONWord(dst, v.Type(), v.Word(), precision)
}

// AppendJSONString appends a string as JSON.
func AppendJSONString(dst []byte, s string) []byte {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		quoted, _ := json.Marshal(s) // strings have no errors
		return append(dst, quoted...)
	}
	return append(append(append(dst, '"'), s...), '"')
}
