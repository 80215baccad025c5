package check

import (
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// The texts of the errors (derived.md D7.10).
const (
	msgUnknown        = "Unknown operand metric"
	msgNoMetadata     = "Metadata for operand metric not available"
	msgNested         = "Illegal nested derived metric"
	msgUnknownTernary = "Unknown metric for ternary expression"

	msgCounters          = "Illegal operator for counters"
	msgCounterNonCounter = "Illegal operator for counter and non-counter"
	msgNonCounterCounter = "Illegal operator for non-counter and counter"
	msgLeftType          = "Non-arithmetic type for left operand"
	msgRightType         = "Non-arithmetic type for right operand"
	msgDimensions        = "Dimensions are not the same"
	msgRightDimensions   = "Non-counter and not dimensionless for right operand"
	msgLeftDimensions    = "Non-counter and not dimensionless for left operand"
	msgExtraProduct      = "Extra units not allowed for both operands of *"
	msgExtraQuotient     = "Different extra units not allowed for both operands of /"
	msgExtra             = "Operands have incompatible extra units or scale"
	msgInDom             = "Operands should have the same instance domain"

	msgNegation     = "Non-arithmetic operand for unary negation"
	msgFunction     = "Non-arithmetic operand for function"
	msgTime         = "Incorrect time dimension for operand"
	msgIncompatible = "Incompatible dimensions"

	msgTernaryTypes     = "Different types for ternary operands"
	msgTernaryInDoms    = "Different instance domains for ternary operands"
	msgTernarySemantics = "Different semantics for ternary operands"
	msgTernaryUnits     = "Different units or scale (%s) for ternary operands"
	msgGuardType        = "Non-arithmetic operand for ternary guard"
	msgGuardInDom       = "Non-scalar ternary guard with scalar expressions"
)

// operandError is about the name of a metric.
func (c *Checker) operandError(pos syntax.Pos, name, text string) *Error {
	return &Error{Pos: pos, What: "operand " + name, Text: text, Err: c.names[name].err}
}

// binaryError is about the operands of an operator.
func (c *Checker) binaryError(n *syntax.BinaryExpr, text string) *Error {
	err := &Error{Pos: n.OpPos, What: c.name(n.X) + " " + n.Op.Symbol() + " " + c.name(n.Y), Text: text}
	c.operand(err, "left", n.X)
	c.operand(err, "right", n.Y)
	return err
}

// unaryError is about the operand of a prefix operator.
func (c *Checker) unaryError(n *syntax.UnaryExpr, text string) *Error {
	err := &Error{Pos: n.OpPos, What: n.Op.Symbol() + " " + c.name(n.X), Text: text}
	c.operand(err, "operand", n.X)
	return err
}

// callError is about the operand of a function. The reference prints a null pointer for an operand
// without a name.
func (c *Checker) callError(n *syntax.CallExpr, text string) *Error {
	name := c.name(n.X)
	if name == anonymous {
		name = "(null)"
	}
	err := &Error{Pos: n.FunPos, What: n.Fun.String() + "(" + name + ")", Text: text}
	c.operand(err, "operand", n.X)
	return err
}

// rescaleError is about the operand or the units of rescale.
func (c *Checker) rescaleError(n *syntax.RescaleExpr, units pcp.Units, text string) *Error {
	to := units.String()
	if to == "" {
		to = "none"
	}
	err := &Error{Pos: n.FunPos, What: c.name(n.X) + " RESCALE " + to, Text: text}
	c.operand(err, "operand", n.X)
	return err
}

// armsError is about the arms of a choice.
func (c *Checker) armsError(n *syntax.TernaryExpr, text string) *Error {
	err := &Error{Pos: n.Colon, What: c.name(n.X) + " : " + c.name(n.Y), Text: text}
	c.operand(err, "left", n.X)
	c.operand(err, "right", n.Y)
	return err
}

// guardError is about the guard of a choice.
func (c *Checker) guardError(n *syntax.TernaryExpr, text string) *Error {
	what := c.name(n.Cond) + " ? " + c.name(n.X) + " : " + c.name(n.Y)
	err := &Error{Pos: n.Quest, What: what, Text: text}
	c.operand(err, "guard", n.Cond)
	return err
}

// operand adds an operand to an error, if its metadata is known.
func (c *Checker) operand(err *Error, role string, x syntax.Expr) {
	if t, ok := c.info.Types[x]; ok {
		err.Operands = append(err.Operands, Operand{role, x, t})
	}
}

// anonymous stands in messages for what is more than a name or a number.
const anonymous = "<expr>"

// name is how messages show an operand. An unknown metric that has turned into novalue() has lost
// its name.
func (c *Checker) name(e syntax.Expr) string {
	switch n := syntax.Unparen(e).(type) {
	case *syntax.MetricRef:
		if _, known := c.info.Metrics[n]; known || c.unknown[n] {
			return n.Name
		}
	case *syntax.IntLit:
		return n.Text
	case *syntax.FloatLit:
		return n.Text
	case *syntax.ConstExpr:
		return c.name(n.X)
	}
	return anonymous
}
