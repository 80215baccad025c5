package check

import (
	"math"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// The dimensions that have scales. Values are converted in this order.
const (
	dimCount = iota
	dimTime
	dimSpace
	numDims
)

type dimension struct{ dim, scale int8 }

func dimensions(u pcp.Units) [numDims]dimension {
	return [numDims]dimension{
		dimCount: {u.DimCount, u.ScaleCount},
		dimTime:  {u.DimTime, u.ScaleTime},
		dimSpace: {u.DimSpace, u.ScaleSpace},
	}
}

// sameDimensions reports whether units can be added or compared. Counts and plain numbers can.
func sameDimensions(u, v pcp.Units) bool {
	if u.DimSpace != v.DimSpace || u.DimTime != v.DimTime || u.Extra != v.Extra {
		return false
	}
	plain := u.DimSpace == 0 && u.DimTime == 0 && u.Extra == 0
	a, b := u.DimCount, v.DimCount
	return a == b || plain && (a == 0 && b == 1 || a == 1 && b == 0)
}

// combineUnits returns the units of a sum or a product (derived.md D7.5). A scale is the larger one
// of the operands that have the dimension. The reference takes some scales from the wrong operand
// when a literal is on the left; the values are what is said here, and so are the units (D16 row
// 11).
func combineUnits(op syntax.Token, x, y, base pcp.Units) pcp.Units {
	a, b, r := dimensions(x), dimensions(y), dimensions(base)
	for d := range r {
		switch {
		case op == syntax.STAR:
			r[d].dim = a[d].dim + b[d].dim
		case op == syntax.SLASH:
			r[d].dim = a[d].dim - b[d].dim
		}
		switch {
		case r[d].dim == 0:
			r[d].scale = 0
		case a[d].dim != 0 && b[d].dim != 0:
			r[d].scale = max(a[d].scale, b[d].scale)
		case a[d].dim != 0:
			r[d].scale = a[d].scale
		default:
			r[d].scale = b[d].scale
		}
	}
	u := pcp.Units{
		DimCount: r[dimCount].dim, ScaleCount: r[dimCount].scale,
		DimTime: r[dimTime].dim, ScaleTime: r[dimTime].scale,
		DimSpace: r[dimSpace].dim, ScaleSpace: r[dimSpace].scale,
	}
	switch {
	case isSum(op):
		u.Extra, u.ExtraScale = base.Extra, base.ExtraScale
	case x.Extra != 0 && y.Extra != 0: // equal ones cancel; a product of two is an error
	case x.Extra != 0:
		u.Extra, u.ExtraScale = x.Extra, x.ExtraScale
	case y.Extra != 0:
		u.Extra, u.ExtraScale = y.Extra, y.ExtraScale
		if op == syntax.SLASH {
			u.Extra = -u.Extra
		}
	}
	// A dimension has four bits; the reference lets it overflow.
	return pcp.UnitsOf(u.Word())
}

// scaleOf returns the conversion of operands whose scales differ in a dimension that both have, and
// whether there is one. The operand of the smaller scale is converted, by the sign of its own
// dimension. The power of the dimension does not count: that is how the reference does it.
func scaleOf(x, y pcp.Units) (s Scale, any bool) {
	s = Scale{1, 1, 1, 1}
	a, b := dimensions(x), dimensions(y)
	for d := range a {
		switch {
		case a[d].dim == 0 || b[d].dim == 0 || a[d].scale == b[d].scale:
			continue
		case a[d].scale < b[d].scale:
			convert(&s.LeftMul, &s.LeftDiv, a[d].dim, scaleFactor(d, a[d].scale, b[d].scale))
		default:
			convert(&s.RightMul, &s.RightDiv, b[d].dim, scaleFactor(d, b[d].scale, a[d].scale))
		}
		any = true
	}
	return s, any
}

func convert(mul, div *float64, dim int8, factor float64) {
	if dim > 0 {
		*div *= factor
	} else {
		*mul *= factor
	}
}

// scaleFactor is how many units of the scale from make one of the scale to, which is larger.
func scaleFactor(d int, from, to int8) float64 {
	switch d {
	case dimCount:
		return math.Pow10(int(to) - int(from))
	case dimSpace:
		return math.Ldexp(1, 10*(int(to)-int(from)))
	}
	f := 1.0
	for s := from; s < to; s++ {
		f *= timeStep(s)
	}
	return f
}

// timeStep is how many units of a scale of time make one of the next. Scales that are not known are
// all the same.
func timeStep(scale int8) float64 {
	switch scale {
	case pcp.Nsec, pcp.Usec, pcp.Msec:
		return 1000
	case pcp.Sec, pcp.Min:
		return 60
	}
	return 1
}

// TimeFactor returns what turns a count of a time unit into seconds, for rates of times; 1 for other units. Small units divide by 1000
// step by step, as the original does; the last bit of rates depends on it.
func TimeFactor(u pcp.Units) float64 {
	factor := 1.0
	if u.DimTime != 1 {
		return factor
	}
	for scale := u.ScaleTime; scale < pcp.Sec; scale++ {
		factor /= 1000
	}
	for scale := u.ScaleTime; scale > pcp.Sec && scale <= pcp.Hour; scale-- {
		factor *= 60
	}
	return factor
}
