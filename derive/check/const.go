package check

import (
	"math"
	"strconv"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

func (c *Checker) literal(e syntax.Expr) Type {
	t := literalType(e)
	put(&c.info.Consts, e, constValue(e, t.Type))
	return t
}

// literalType is the metadata of a number: unsigned, or a double if it is written with a point.
func literalType(e syntax.Expr) Type {
	t := Type{Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Discrete}
	if _, ok := e.(*syntax.FloatLit); ok {
		t.Type = pcp.Double
	}
	return t
}

func (c *Checker) constant(n *syntax.ConstExpr) (Type, *Error) {
	t, err := c.withSpecs(literalType(n.X), n.Specs)
	if err != nil {
		return t, err
	}
	put(&c.info.Consts, syntax.Expr(n), constValue(n.X, t.Type))
	return t, nil
}

// withSpecs changes t by the metadata that is given: first all that meta= refers to, then the other
// tags, of which the last one counts.
func (c *Checker) withSpecs(t Type, specs []*syntax.Spec) (Type, *Error) {
	if s := lastMeta(specs); s != nil {
		m := c.meta[s]
		if !m.known {
			return t, c.operandError(s.ValuePos, s.Value, msgUnknownTernary)
		}
		t = m.Type
	}
	for _, s := range specs {
		ok := true
		switch s.Tag {
		case syntax.TYPE:
			t.Type, ok = TypeNamed(s.Value)
		case syntax.SEMANTICS:
			t.Sem, ok = SemNamed(s.Value)
		case syntax.INDOM:
			t.InDom, ok = constInDom(s)
		case syntax.UNITS:
			units, err := c.parseUnits(s.ValuePos, s.Value)
			if err != nil {
				return t, err
			}
			t.Units = units
		}
		if !ok {
			return t, &Error{Pos: s.ValuePos, What: s.Tag.Symbol(), Text: "illegal value '" + s.Value + "'"}
		}
	}
	return t, nil
}

// parseUnits reads units. The parser refuses bad ones already if it has the hooks of Syntax.
func (c *Checker) parseUnits(pos syntax.Pos, text string) (pcp.Units, *Error) {
	units, _, err := pcp.ParseUnits(text)
	if err != nil {
		return units, &Error{Pos: pos, What: "units", Text: "Illegal units: '" + err.Error() + "'"}
	}
	return units, nil
}

// TypeNamed returns the type of a name as metadata has it, in any case.
func TypeNamed(text string) (pcp.Type, bool) {
	for t := pcp.Int32; t <= pcp.Double; t++ {
		if strings.EqualFold(text, t.String()) {
			return t, true
		}
	}
	return pcp.Unknown, false
}

// SemNamed returns the semantics of a name as metadata has it, in any case.
func SemNamed(text string) (pcp.Sem, bool) {
	for _, s := range []pcp.Sem{pcp.Counter, pcp.Instant, pcp.Discrete} {
		if strings.EqualFold(text, s.String()) {
			return s, true
		}
	}
	return 0, false
}

func constInDom(s *syntax.Spec) (pcp.InDom, bool) {
	if domain, serial, ok := s.Indom(); ok {
		return pcp.NewInDom(domain, serial), true
	}
	return pcp.NullInDom, strings.EqualFold(s.Value, "null")
}

// constValue returns a number as a value of type t (derived.md D8.3): integers of 32 bits are cut,
// and those of a number with a point are what stands before it. A string, which meta= can ask for,
// is empty, and other types have no value.
func constValue(e syntax.Expr, t pcp.Type) pcp.Value {
	var whole uint64
	var float float64
	switch n := e.(type) {
	case *syntax.IntLit:
		whole, float = uint64(n.Value), float64(n.Value)
	case *syntax.FloatLit:
		whole, float = wholePart(n.Text), n.Value
	default:
		return pcp.Value{}
	}
	switch t {
	case pcp.Int32:
		return pcp.WordValue(t, uint64(int64(int32(whole))))
	case pcp.Uint32:
		return pcp.WordValue(t, uint64(uint32(whole)))
	case pcp.Int64:
		return pcp.WordValue(t, min(whole, math.MaxInt64))
	case pcp.Uint64:
		return pcp.WordValue(t, whole)
	case pcp.Float:
		return pcp.FloatValue(float32(float))
	case pcp.Double:
		return pcp.DoubleValue(float)
	case pcp.String:
		return pcp.BlobValue(t, nil)
	}
	return pcp.Value{}
}

// wholePart reads the digits before the point, the largest number if there are too many.
func wholePart(text string) uint64 {
	digits, _, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil && digits != "" {
		return math.MaxUint64
	}
	return n
}
