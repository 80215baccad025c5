package check

import (
	"math"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// The texts of the errors that only the extended language has.
const (
	msgCounter      = "Counter operand for function"
	msgDimensioned  = "Operand of function has a dimension"
	msgOddDimension = "Operand of function has a dimension without a square root"
	msgNoInstances  = "Operand of function has no instances to group"
	msgGroupings    = "Groupings cannot be told apart"
)

// Extensions returns the functions that only the extended language has, by their names. The slice
// belongs to the caller.
func Extensions() []Function { return described(extensions) }

// extensions has the functions of the extended language. It is only read.
var extensions = []rule{
	{Function: Function{"abs", "abs(EXPR)",
		"The values without their signs.",
		"numbers only, no counters; 32 becomes u32, 64 becomes u64, else the type stays; units and instances of the operand",
		"abs(delta(kernel.all.load))"},
		numbers: true, result: unsignedType, refuse: refuseCounter},
	{Function: Function{"avg_over", "avg_over(EXPR, TIME)",
		"The mean of the values that each instance had in a time before and has now.",
		"numbers only, no counters; double, instant, units and instances of the operand",
		"avg_over(kernel.all.load, 5min)"},
		numbers: true, result: realInstant, refuse: refuseCounter},
	{Function: Function{"bottomn", "bottomn(N, EXPR)",
		"The N instances with the smallest values; of equal ones those with the smallest numbers.",
		"numbers only, no counters; everything stays",
		"bottomn(2, kernel.all.load)"},
		numbers: true, result: sameType, refuse: refuseCounter},
	{Function: Function{"ceil", "ceil(EXPR)",
		"The values rounded up.",
		"numbers only, no counters; everything stays",
		"ceil(kernel.all.load)"},
		numbers: true, result: sameType, refuse: refuseCounter},
	{Function: Function{"clamp", "clamp(EXPR, LOW, HIGH)",
		"The values, but none below LOW and none above HIGH.",
		"as for min(EXPR, max(EXPR, LOW), HIGH): see min",
		"clamp(kernel.all.load, 0, 4)"}},
	{Function: Function{"exp", "exp(EXPR)",
		"e to the power of the values.",
		"numbers without dimension, no counters; double",
		"exp(kernel.all.load)"},
		numbers: true, result: realType, refuse: refuseDimension},
	{Function: Function{"floor", "floor(EXPR)",
		"The values rounded down.",
		"numbers only, no counters; everything stays",
		"floor(kernel.all.load)"},
		numbers: true, result: sameType, refuse: refuseCounter},
	{Function: Function{"ln", "ln(EXPR)",
		"The natural logarithms of the values.",
		"numbers without dimension, no counters; double",
		"ln(kernel.all.load)"},
		numbers: true, result: realType, refuse: refuseDimension},
	{Function: Function{"max_over", "max_over(EXPR, TIME)",
		"The largest value that each instance had in a time before or has now.",
		"numbers only, no counters; instant, everything else stays",
		"max_over(kernel.all.load, 5min)"},
		numbers: true, result: instant, refuse: refuseCounter},
	{Function: Function{"median", "median(EXPR)",
		"The median of the values of all instances: quantile(0.5, EXPR).",
		"as for quantile",
		"median(kernel.all.load)"},
		numbers: true, result: oneReal, refuse: refuseCounter},
	{Function: Function{"min_over", "min_over(EXPR, TIME)",
		"The smallest value that each instance had in a time before or has now.",
		"numbers only, no counters; instant, everything else stays",
		"min_over(kernel.all.load, 5min)"},
		numbers: true, result: instant, refuse: refuseCounter},
	{Function: Function{"pow", "pow(EXPR, EXPR)",
		"The first operand to the power of the second one.",
		"numbers without dimension, no counters, the same instances or one value; double",
		"pow(kernel.all.load, 2)"}},
	{Function: Function{"quantile", "quantile(Q, EXPR)",
		"The value below which the share Q, from 0 to 1, of the values of all instances is; between two values in proportion.",
		"numbers only, no counters; double, instant, one value, units of the operand",
		"quantile(0.9, kernel.all.load)"},
		numbers: true, result: oneReal, refuse: refuseCounter},
	{Function: Function{"quantile_over", "quantile_over(Q, EXPR, TIME)",
		"The value below which the share Q, from 0 to 1, of the values is that each instance had in a time before and has now; between two values in proportion.",
		"numbers only, no counters; double, instant, units and instances of the operand",
		"quantile_over(0.9, kernel.all.load, 5min)"},
		numbers: true, result: realInstant, refuse: refuseCounter},
	{Function: Function{"round", "round(EXPR)",
		"The values rounded to the nearest integer, halves away from 0.",
		"numbers only, no counters; everything stays",
		"round(kernel.all.load)"},
		numbers: true, result: sameType, refuse: refuseCounter},
	{Function: Function{"shift", "shift(EXPR, TIME)",
		"The values of the last sample that is at least so old.",
		"numbers only; everything stays",
		"kernel.all.load - shift(kernel.all.load, 1hour)"},
		numbers: true, result: sameType},
	{Function: Function{"smooth", "smooth(EXPR, TIME)",
		"Values that follow those of the operand: in each sample by the share D / (TIME + D) of the difference, D being the time since the sample before.",
		"numbers only, no counters; double, instant, units and instances of the operand",
		"smooth(kernel.all.load, 1min)"},
		numbers: true, result: realInstant, refuse: refuseCounter},
	{Function: Function{"sqrt", "sqrt(EXPR)",
		"The square roots of the values.",
		"numbers whose dimensions are even, no counters; double, half of the dimensions",
		"sqrt(kernel.all.load)"},
		numbers: true, result: rootType, refuse: refuseOdd},
	{Function: Function{"stddev", "stddev(EXPR)",
		"The standard deviation of the values of all instances, these being all there are.",
		"numbers only, no counters; double, instant, one value, units of the operand",
		"stddev(kernel.all.load)"},
		numbers: true, result: oneReal, refuse: refuseCounter},
	{Function: Function{"topn", "topn(N, EXPR)",
		"The N instances with the largest values; of equal ones those with the smallest numbers.",
		"numbers only, no counters; everything stays",
		"topn(2, kernel.all.load)"},
		numbers: true, result: sameType, refuse: refuseCounter},
}

func sameType(t Type) Type { return t }

func unsignedType(t Type) Type {
	switch t.Type {
	case pcp.Int32:
		t.Type = pcp.Uint32
	case pcp.Int64:
		t.Type = pcp.Uint64
	}
	return t
}

func realType(t Type) Type {
	t.Type = pcp.Double
	return t
}

func instant(t Type) Type {
	t.Sem = pcp.Instant
	return t
}

func realInstant(t Type) Type { return realType(instant(t)) }

func oneReal(t Type) Type {
	t.Type, t.Sem, t.InDom = pcp.Double, pcp.Instant, pcp.NullInDom
	return t
}

// rootType halves the dimensions. Scales stay: the root of square Kbytes is Kbytes.
func rootType(t Type) Type {
	t.Type = pcp.Double
	t.Units.DimSpace /= 2
	t.Units.DimTime /= 2
	t.Units.DimCount /= 2
	return t
}

func refuseCounter(t Type) string {
	if t.Sem == pcp.Counter {
		return msgCounter
	}
	return ""
}

func refuseDimension(t Type) string {
	if text := refuseCounter(t); text != "" {
		return text
	}
	if !t.Units.Dimensionless() {
		return msgDimensioned
	}
	return ""
}

func refuseOdd(t Type) string {
	if text := refuseCounter(t); text != "" {
		return text
	}
	if u := t.Units; u.DimSpace%2 != 0 || u.DimTime%2 != 0 || u.DimCount%2 != 0 || u.Extra != 0 {
		return msgOddDimension
	}
	return ""
}

// pairUnits gives a plain number among the operands of max and min the units of the other one, as these compare.
func pairUnits(n *syntax.BinaryExpr, x, y Type) (Type, Type) {
	if plain(n.X, x) && n.Op != "pow" {
		x.Units = y.Units
	} else if plain(n.Y, y) && n.Op != "pow" {
		y.Units = x.Units
	}
	return x, y
}

// pairMisfit returns the reason why a function of two operands rejects them, or "".
func (c *Checker) pairMisfit(n *syntax.BinaryExpr, x, y Type) string {
	x, y = pairUnits(n, x, y)
	text := typeMisfit(x, y)
	switch {
	case text != "":
	case x.Sem == pcp.Counter || y.Sem == pcp.Counter:
		text = msgCounters
	case n.Op == "pow" && !(x.Units.Dimensionless() && y.Units.Dimensionless()):
		text = msgDimensioned
	case n.Op != "pow":
		text = unitsMisfit(syntax.PLUS, x, y)
	}
	if text == "" && !c.sameInDom(x.InDom, y.InDom) {
		text = msgInDom
	}
	return text
}

// pair returns the metadata of a function of two operands.
func (c *Checker) pair(n *syntax.BinaryExpr, x, y Type) (Type, *Error) {
	if text := c.pairMisfit(n, x, y); text != "" {
		err := c.binaryError(n, text)
		if text == msgCounters {
			err.cure(func(with cure) string { return c.pairMisfit(n, with(x), with(y)) })
		}
		return x, err
	}
	x, y = pairUnits(n, x, y)
	t := x
	if t.InDom == pcp.NullInDom {
		t.InDom = y.InDom
	}
	t.Type, t.Sem = pairType(n, x.Type, y.Type), ResultSem(x, y, x)
	if n.Op == "pow" {
		t.Type = pcp.Double
		return t, nil
	}
	t.Units = combineUnits(syntax.PLUS, x.Units, y.Units, x.Units)
	if s, any := scaleOf(x.Units, y.Units); any {
		put(&c.info.Scales, n, s)
		t.Type = pcp.Double
	}
	return t, nil
}

// pairType returns a type that has the values of both operands of max or min. The arithmetic of PCP
// makes negative numbers large beside unsigned ones, as C does.
func pairType(n *syntax.BinaryExpr, x, y pcp.Type) pcp.Type {
	small, large := min(x, y), max(x, y)
	switch {
	case small == pcp.Int32 && large == pcp.Uint32:
		for _, operand := range []syntax.Expr{n.X, n.Y} {
			if lit, ok := syntax.Unparen(operand).(*syntax.IntLit); ok && lit.Value <= math.MaxInt32 {
				return pcp.Int32
			}
		}
		return pcp.Int64
	case large == pcp.Uint64 && (small == pcp.Int32 || small == pcp.Int64):
		return pcp.Double
	}
	return large
}

// plain reports whether an operand is a number without units.
func plain(e syntax.Expr, t Type) bool { return isLiteral(e) && t.Units.Dimensionless() }
