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
	case t == pcp.Float || t == pcp.Double:
		f, bits := float(v), 64
		switch {
		case precision >= 0:
			return strconv.AppendFloat(dst, f, 'f', precision, bits)
		case t == pcp.Float:
			bits = 32
		}
		return AppendShort(dst, f, bits)
	case t == pcp.String:
		return append(dst, bytes.TrimRight(v.Bytes(), "\x00")...)
	}
	opt := Options{Location: loc}
	return opt.AppendOne(dst, v, 1)
}

// AppendJSON appends a value as JSON: a number as AppendExact writes it, anything else as a string.
// JSON has no infinities: they, values other than numbers, and a Value that is not set are null.
func AppendJSON(dst []byte, v pcp.Value, precision int, loc *time.Location) []byte {
	switch {
	case !v.IsSet():
		return append(dst, "null"...)
	case !v.Type().Arithmetic():
		return AppendJSONString(dst, string(AppendExact(nil, v, -1, loc)))
	case math.IsNaN(float(v)) || math.IsInf(float(v), 0):
		return append(dst, "null"...)
	}
	return AppendExact(dst, v, precision, loc)
}

// AppendJSONString appends a string as JSON.
func AppendJSONString(dst []byte, s string) []byte {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		quoted, _ := json.Marshal(s) // strings have no errors
		return append(dst, quoted...)
	}
	return append(append(append(dst, '"'), s...), '"')
}

// float returns a value as a double; NaN if it is not a number.
func float(v pcp.Value) float64 {
	if f, err := v.Float64(); err == nil {
		return f
	}
	return math.NaN()
}
