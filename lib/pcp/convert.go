package pcp

import (
	"math"
	"strconv"

	"pmtools/lib/pmerr"
)

// Convert returns v as a value of type to, by the rules of pmExtractValue. Errors are pmerr.Conv
// for types that do not convert, pmerr.Trunc for a value too large, and pmerr.Sign for a negative
// value and an unsigned type. Numbers become strings by C's %d, %u and %.16g.
func (v Value) Convert(to Type) (Value, error) {
	switch {
	case !v.set:
		return Value{}, pmerr.Conv
	case v.typ.Arithmetic() && to.Arithmetic():
		w, code := convertWord(v.typ, v.word, to)
		if code != 0 {
			return Value{}, code
		}
		return WordValue(to, w), nil
	case v.typ.Arithmetic() && to == String:
		return BlobValue(String, v.appendNumber(nil)), nil
	case v.typ == to && (to == String || to == Aggregate):
		return v, nil
	}
	return Value{}, pmerr.Conv
}

// Int64 returns v as a signed integer.
func (v Value) Int64() (int64, error) {
	x, err := v.Convert(Int64)
	return int64(x.word), err
}

// Uint64 returns v as an unsigned integer.
func (v Value) Uint64() (uint64, error) {
	x, err := v.Convert(Uint64)
	return x.word, err
}

// Float64 returns v as a floating-point number.
func (v Value) Float64() (float64, error) {
	if v.set && v.typ.Arithmetic() {
		return wordFloat(v.typ, v.word), nil // as Convert, in fewer steps: whole columns are converted so
	}
	x, err := v.Convert(Double)
	return math.Float64frombits(x.word), err
}

// Text returns v as a string: the text of a String, or the text of a number.
func (v Value) Text() (string, error) {
	x, err := v.Convert(String)
	return string(x.blob), err
}

func (v Value) appendNumber(dst []byte) []byte {
	switch v.typ {
	case Int32, Int64:
		return strconv.AppendInt(dst, int64(v.word), 10)
	case Uint32, Uint64:
		return strconv.AppendUint(dst, v.word, 10)
	}
	return AppendG(dst, wordFloat(v.typ, v.word), 16)
}

func wordFloat(t Type, w uint64) float64 {
	switch t {
	case Int32, Int64:
		return float64(int64(w))
	case Uint32, Uint64:
		return float64(w)
	case Float:
		return float64(math.Float32frombits(uint32(w)))
	}
	return math.Float64frombits(w)
}

// AppendFloats appends the values as doubles. A value that is not a number, or does not fit its
// type, becomes NaN.
func (v *Values) AppendFloats(dst []float64) []float64 {
	if !v.Type.Arithmetic() {
		for range v.Insts {
			dst = append(dst, math.NaN())
		}
		return dst
	}
	for _, w := range v.Words {
		dst = append(dst, wordFloat(v.Type, w))
	}
	for i := range v.Odd {
		if v.Odd[i].Bad {
			dst[len(dst)-len(v.Words)+i] = math.NaN()
		}
	}
	return dst
}

func convertWord(from Type, w uint64, to Type) (uint64, pmerr.Code) {
	switch {
	case from == to:
		return w, 0
	case to == Double:
		return math.Float64bits(wordFloat(from, w)), 0
	case to == Float:
		return uint64(math.Float32bits(wordFloat32(from, w))), 0
	case from == Float || from == Double:
		return floatToInt(from, wordFloat(from, w), to)
	}
	return intToInt(from, w, to)
}

// wordFloat32 rounds once: an integer of 64 bits does not pass through a double.
func wordFloat32(t Type, w uint64) float32 {
	switch t {
	case Int32, Int64:
		return float32(int64(w))
	case Uint32, Uint64:
		return float32(w)
	}
	return float32(wordFloat(t, w))
}

// intToInt converts between integer types. Like the reference it cuts a 64-bit value below the range of 32
// bits.
func intToInt(from Type, w uint64, to Type) (uint64, pmerr.Code) {
	signed := from == Int32 || from == Int64
	neg := signed && int64(w) < 0
	switch to {
	case Int32:
		if !neg && w > math.MaxInt32 {
			return 0, pmerr.Trunc
		}
		if int64(w) < math.MinInt32 {
			return uint64(int64(int32(w))), 0
		}
	case Uint32:
		if !neg && w > math.MaxUint32 {
			return 0, pmerr.Trunc
		}
		if neg {
			return 0, pmerr.Sign
		}
	case Int64:
		if !signed && w > math.MaxInt64 {
			return 0, pmerr.Trunc
		}
	case Uint64:
		if neg {
			return 0, pmerr.Sign
		}
	}
	return w, 0
}

// floatToInt truncates a number, from a value of type from, toward zero. The limits are the reference's;
// NaN, an arbitrary integer there, does not fit.
func floatToInt(from Type, f float64, to Type) (uint64, pmerr.Code) {
	if f != f {
		return 0, pmerr.Trunc
	}
	switch to {
	case Int32:
		limit := 0x1p31
		if from == Double {
			limit--
		}
		if math.Abs(f) >= limit {
			return 0, pmerr.Trunc
		}
		return uint64(int64(f)), 0
	case Uint32:
		limit := 0x1p32
		if from == Double {
			limit--
		}
		return unsignedOf(f, limit)
	case Int64:
		if f >= 0x1p63 {
			return 0, pmerr.Trunc
		}
		return uint64(truncInt64(f)), 0
	}
	return unsignedOf(f, 0x1p64)
}

func unsignedOf(f, limit float64) (uint64, pmerr.Code) {
	switch {
	case f >= limit:
		return 0, pmerr.Trunc
	case f < 0:
		return 0, pmerr.Sign
	}
	return uint64(f), 0
}

// truncInt64 truncates f. A number out of range becomes the smallest integer, as on the reference's
// machines; Go leaves it undefined.
func truncInt64(f float64) int64 {
	if f >= -0x1p63 && f < 0x1p63 {
		return int64(f)
	}
	return math.MinInt64
}

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
