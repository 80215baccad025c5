package fetchgroup

import (
	"fmt"
	"math"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A conversion converts a metric's values to the type and units of an item (FG4 to FG6).
type conversion struct {
	desc   pcp.Desc
	out    pcp.Type
	rate   bool
	scaled bool // units are converted
	scaler pcp.Scaler
	factor float64    // factors of the scale text, and of its unit of time in a rate
	unfit  pmerr.Code // reason of the missing scaler
}

// newConversion returns the conversion of a scale text: "", "rate", "instant" or units. The reference's
// empty text of units is "1" here.
func newConversion(d pcp.Desc, out pcp.Type, scale string) (conversion, error) {
	c := conversion{desc: d, out: out, factor: 1}
	if !single(d.Type) || !single(out) {
		return c, fmt.Errorf("%w: %s is not a number or a string", pmerr.Type, d.Type)
	}
	switch scale {
	case "":
		c.rate = d.Sem == pcp.Counter
		return c, nil
	case "rate":
		c.rate = true
		return c, nil
	case "instant":
		return c, nil
	}
	to, factor, err := pcp.ParseUnits(scale)
	if err != nil {
		return c, fmt.Errorf("%w: scale %q: %w", pmerr.Conv, scale, err)
	}
	from := d.Units
	if from.DimSpace != to.DimSpace || from.DimCount != to.DimCount || from.DimTime == to.DimTime && from.Extra != to.Extra ||
		from.DimTime != to.DimTime && from.DimTime != to.DimTime+1 {
		return c, fmt.Errorf("%w: %s does not become %s", pmerr.Conv, unitsText(from), unitsText(to))
	}
	c.scaled, c.factor = true, factor
	if from.DimTime != to.DimTime {
		c.rate = true
		c.factor = perUnit(c.factor, to.ScaleTime)
		to.DimTime++
	}
	if c.scaler, err = pcp.NewScaler(pcp.Double, from, to); err != nil {
		c.unfit = pmerr.Of(err)
	}
	return c, nil
}

func unitsText(u pcp.Units) string {
	if s := u.String(); s != "" {
		return strconv.Quote(s)
	}
	return "a number without dimension"
}

// perUnit converts a factor for a rate per second to a unit of time (FG4.3); an unknown unit is a second.
// It divides, because multiplication differs in the last bit.
func perUnit(factor float64, scale int8) float64 {
	switch scale {
	case pcp.Nsec:
		return factor / 1e9
	case pcp.Usec:
		return factor / 1e6
	case pcp.Msec:
		return factor / 1e3
	case pcp.Min:
		return factor * 60
	case pcp.Hour:
		return factor * 3600
	}
	return factor
}

// single reports whether an item can have values of a type (FG3.6).
func single(t pcp.Type) bool { return t.Arithmetic() || t == pcp.String }

// instant converts a value that is not a rate. text is memory for it.
func (c *conversion) instant(v pcp.Value, text []byte) (pcp.Value, pmerr.Code) {
	switch {
	case c.scaled:
		f, code := number(v)
		if code != 0 {
			return v, code
		}
		return c.finish(f, text)
	case v.Type() == pcp.String && c.out != pcp.String:
		parsed, err := pcp.ParseValue(c.out, string(v.Bytes()))
		return parsed, pmerr.Of(err)
	case v.Type().Arithmetic() && c.out == pcp.String:
		return pcp.BlobValue(pcp.String, appendNumber(text, v)), 0
	}
	v, err := v.Convert(c.out)
	return v, pmerr.Of(err)
}

// perSecond converts the change of a value within some seconds, and reports whether the value fell.
func (c *conversion) perSecond(from, to pcp.Value, elapsed float64, wrap bool, text []byte) (v pcp.Value, code pmerr.Code, fell bool) {
	b, code := number(to)
	if code != 0 {
		return v, code, false
	}
	a, code := number(from)
	switch {
	case code != 0:
		return v, code, false
	case elapsed <= 0:
		return v, pmerr.Value, false
	}
	delta := b - a
	if delta < 0 {
		if !wrap {
			return v, pmerr.Value, true
		}
		switch c.desc.Type {
		case pcp.Int32, pcp.Uint32:
			delta += 0x1p32
		case pcp.Int64, pcp.Uint64:
			delta += 0x1p64
		}
	}
	v, code = c.finish(delta/elapsed, text)
	return v, code, false
}

// number returns a value as a number, a text by its meaning.
func number(v pcp.Value) (float64, pmerr.Code) {
	var err error
	if v.Type() == pcp.String && v.IsSet() {
		if v, err = pcp.ParseValue(pcp.Double, string(v.Bytes())); err != nil {
			return 0, pmerr.Of(err)
		}
	}
	f, err := v.Float64()
	return f, pmerr.Of(err)
}

// finish converts a number to the units and the type of the item (FG6.3).
func (c *conversion) finish(f float64, text []byte) (v pcp.Value, code pmerr.Code) {
	if c.unfit != 0 {
		return v, c.unfit
	}
	if c.scaled {
		f = math.Float64frombits(c.scaler.Word(math.Float64bits(f))) * c.factor
	}
	switch c.out {
	case pcp.Double:
		return pcp.DoubleValue(f), 0
	case pcp.Float:
		if math.Abs(f) > math.MaxFloat32 {
			return v, pmerr.Trunc
		}
		return pcp.FloatValue(float32(f)), 0
	case pcp.String:
		return pcp.BlobValue(pcp.String, appendExp(text, f, 17)), 0
	}
	if f < 0 && (c.out == pcp.Uint32 || c.out == pcp.Uint64) {
		return v, pmerr.Sign
	}
	r := limits[c.out]
	if !(f >= r.min && f <= r.max) {
		return v, pmerr.Trunc
	}
	if c.out == pcp.Uint64 {
		return pcp.WordValue(c.out, uint64(f)), 0
	}
	return pcp.WordValue(c.out, uint64(int64(f))), 0
}

// limits are the bounds of integer types; for 64 bits the largest doubles below the power of two.
var limits = [...]struct{ min, max float64 }{
	pcp.Int32:  {math.MinInt32, math.MaxInt32},
	pcp.Uint32: {0, math.MaxUint32},
	pcp.Int64:  {math.MinInt64, 0x1p63 - 1024},
	pcp.Uint64: {0, 0x1p64 - 2048},
}

// appendNumber appends the text of an arithmetic value (FG6.4).
func appendNumber(dst []byte, v pcp.Value) []byte {
	switch v.Type() {
	case pcp.Float, pcp.Double:
		f, _ := v.Float64() // a number always is one
		if v.Type() == pcp.Float {
			return appendExp(dst, f, 9)
		}
		return appendExp(dst, f, 17)
	case pcp.Uint32, pcp.Uint64:
		return strconv.AppendUint(dst, v.Word(), 10)
	}
	return strconv.AppendInt(dst, int64(v.Word()), 10)
}

// appendExp appends f as C's printf does for %.<prec>e.
func appendExp(dst []byte, f float64, prec int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return pcp.AppendG(dst, f, prec)
	}
	return strconv.AppendFloat(dst, f, 'e', prec, 64)
}
