package check

import (
	"cmp"
	"strings"

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

	msgGuardType  = "Non-arithmetic operand for ternary guard"
	msgGuardInDom = "Non-scalar ternary guard with scalar expressions"
)

func (c *Checker) operandError(pos syntax.Pos, name, text string) *Error {
	return &Error{Pos: pos, What: "operand " + name, Text: text, Err: c.names[name].err}
}

// misfit is about operands of a node, whose metadata it has if it is known.
func (c *Checker) misfit(pos syntax.Pos, what, text string, operands ...Operand) *Error {
	err := &Error{Pos: pos, What: what, Text: text}
	for _, o := range operands {
		if t, ok := c.info.Types[o.Expr]; ok {
			err.Operands = append(err.Operands, Operand{o.Role, o.Expr, t})
		}
	}
	return err
}

func (c *Checker) binaryError(n *syntax.BinaryExpr, text string) *Error {
	what := c.name(n.X) + " " + n.Op.Symbol() + " " + c.name(n.Y)
	err := c.misfit(n.OpPos, what, text, Operand{Role: "left", Expr: n.X}, Operand{Role: "right", Expr: n.Y})
	if text == msgInDom {
		err.Notes = c.groupNotes(err.Operands)
	}
	return err
}

// A cure turns counters into the result of a function that makes them none.
type cure func(Type) Type

// cure finds the functions of which a cure leaves no misfit of operands that are counters, or the misfit that stays.
func (e *Error) cure(misfit func(with cure) string) {
	e.Counters = true
	for _, fun := range []syntax.Token{"rate", "delta", "instant"} {
		r := ruleOf(fun)
		e.Still = misfit(func(t Type) Type {
			if t.Sem != pcp.Counter || r.refuse != nil && r.refuse(t) != "" {
				return t
			}
			return r.result(t)
		})
		if e.Still == "" {
			e.Cures = append(e.Cures, fun)
		}
	}
}

// callError is about the operand of a function. The reference prints a null pointer for an operand
// without a name.
func (c *Checker) callError(n *syntax.CallExpr, text string) *Error {
	name := c.name(n.X)
	if name == anonymous {
		name = "(null)"
	}
	return c.misfit(n.FunPos, n.Fun.String()+"("+name+")", text, Operand{Role: "operand", Expr: n.X})
}

func (c *Checker) rescaleError(n *syntax.RescaleExpr, units pcp.Units, text string) *Error {
	what := c.name(n.X) + " RESCALE " + cmp.Or(units.String(), "none")
	return c.misfit(n.FunPos, what, text, Operand{Role: "operand", Expr: n.X})
}

func (c *Checker) armsError(n *syntax.TernaryExpr, text string) *Error {
	what := c.name(n.X) + " : " + c.name(n.Y)
	return c.misfit(n.Colon, what, text, Operand{Role: "left", Expr: n.X}, Operand{Role: "right", Expr: n.Y})
}

func (c *Checker) guardError(n *syntax.TernaryExpr, text string) *Error {
	what := c.name(n.Cond) + " ? " + c.name(n.X) + " : " + c.name(n.Y)
	return c.misfit(n.Quest, what, text, Operand{Role: "guard", Expr: n.Cond})
}

// anonymous stands in messages for an expression that is not a name or a number.
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

// msgTernary returns the message for arms that differ, by what they differ in: a Difference.
func msgTernary(difference string) string {
	switch difference {
	case "type":
		difference = "types"
	case "indom":
		difference = "instance domains"
	case "semantics":
	default:
		difference = strings.Replace(difference, "units", "units or scale", 1)
	}
	return "Different " + difference + " for ternary operands"
}
