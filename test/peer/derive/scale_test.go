package derive

import (
	"math"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// arithmetic returns n and the types of its sides if it is one of + - * /.
func (x *explainer) arithmetic(n syntax.Node) (b *syntax.BinaryExpr, l, r check.Type, ok bool) {
	b, ok = n.(*syntax.BinaryExpr)
	if !ok || b.Op != syntax.PLUS && b.Op != syntax.MINUS && b.Op != syntax.STAR && b.Op != syntax.SLASH {
		return nil, l, r, false
	}
	if l, ok = x.typeOf(b.X); ok {
		r, ok = x.typeOf(b.Y)
	}
	return b, l, r, ok
}

func (x *explainer) literalScale(n syntax.Node) bool {
	b, l, r, ok := x.arithmetic(n)
	if !ok {
		return false
	}
	_, literal := unparen(b.X).(*syntax.ConstExpr)
	u, v := l.Units, r.Units
	loses := func(dim, other, scale, otherScale int8) bool {
		return scale > otherScale || dim != 0 && other == 0 && scale != otherScale
	}
	return literal && (loses(u.DimSpace, v.DimSpace, u.ScaleSpace, v.ScaleSpace) ||
		loses(u.DimTime, v.DimTime, u.ScaleTime, v.ScaleTime) || loses(u.DimCount, v.DimCount, u.ScaleCount, v.ScaleCount))
}

func (x *explainer) oppositeScale(n syntax.Node) bool {
	b, l, r, ok := x.arithmetic(n)
	if !ok || b.Op != syntax.STAR && b.Op != syntax.SLASH {
		return false
	}
	u, v := l.Units, r.Units
	return u.DimSpace*v.DimSpace < 0 && u.ScaleSpace != v.ScaleSpace || u.DimTime*v.DimTime < 0 && u.ScaleTime != v.ScaleTime
}

func (x *explainer) hugeScale(n syntax.Node) bool {
	b, ok := n.(*syntax.BinaryExpr)
	if !ok || x.info == nil {
		return false
	}
	s, ok := x.info.Scales[b]
	const most = 1 << 31
	return ok && (s.LeftMul >= most || s.LeftDiv >= most || s.RightMul >= most || s.RightDiv >= most)
}

// hugeRescale is about conversions whose factor has more than 64 bits.
func (x *explainer) hugeRescale(n syntax.Node) bool {
	r, ok := n.(*syntax.RescaleExpr)
	if !ok {
		return false
	}
	to, _, err := pcp.ParseUnits(r.Units)
	from, typed := x.typeOf(r.X)
	if err != nil || !typed {
		return false
	}
	bits := math.Abs(timeBits[to.ScaleTime]-timeBits[from.Units.ScaleTime])*math.Abs(float64(to.DimTime)) +
		10*math.Abs(float64(to.ScaleSpace-from.Units.ScaleSpace)*float64(to.DimSpace)) +
		math.Log2(10)*math.Abs(float64(to.ScaleCount-from.Units.ScaleCount)*float64(to.DimCount))
	return bits > 62 || bits > 31 && x.crashed
}

// timeBits are the binary logarithms of the units of time in nanoseconds.
var timeBits = map[int8]float64{0: 0, 1: math.Log2(1e3), 2: math.Log2(1e6), 3: math.Log2(1e9), 4: math.Log2(60e9), 5: math.Log2(3600e9)}
