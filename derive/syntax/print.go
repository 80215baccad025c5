package syntax

import (
	"fmt"
	"math"
	"strings"
)

// Print writes an expression in its canonical form: a blank on both sides of the operators that
// have two sides and one after each comma. Parentheses are those of the tree. The text parses to
// the same tree.
func Print(e Expr) string { return PrintPrefix(e, math.MaxInt) }

// PrintPrefix returns the first n bytes of Print, or a few more, and does not write the rest.
func PrintPrefix(e Expr, n int) string {
	b := printer{enough: n}
	b.write(e)
	return b.String()
}

// A printer collects text until that is enough.
type printer struct {
	strings.Builder
	enough int
}

func (b *printer) WriteString(s string) {
	if b.Len() < b.enough {
		b.Builder.WriteString(s)
	}
}

func (b *printer) WriteByte(c byte) error {
	if b.Len() < b.enough {
		b.Builder.WriteByte(c)
	}
	return nil
}

func (b *printer) write(e Expr) {
	if b.Len() >= b.enough {
		return
	}
	switch e := e.(type) {
	case *MetricRef:
		b.WriteString(e.Name)
	case *IntLit:
		b.WriteString(e.Text)
	case *FloatLit:
		b.WriteString(e.Text)
	case *ParenExpr:
		b.writeCall(ILLEGAL, e.X)
		b.WriteByte(')')
	case *NestExpr:
		b.writeCall(ILLEGAL, e.X)
		b.WriteByte(')')
	case *UnaryExpr:
		b.WriteString(e.Op.Symbol())
		b.write(e.X)
	case *BinaryExpr:
		if e.Op.IsFunction() {
			b.writePair(e)
			return
		}
		b.write(e.X)
		b.WriteString(" " + e.Op.Symbol() + " ")
		b.write(e.Y)
	case *TernaryExpr:
		b.write(e.Cond)
		b.WriteString(" ? ")
		b.write(e.X)
		b.WriteString(" : ")
		b.write(e.Y)
	case *InstExpr:
		b.write(e.X)
		b.WriteByte('[')
		b.writeEscaped(e.Name, ']')
		b.WriteByte(']')
	case *CallExpr:
		if e.N == nil {
			b.writeCall(e.Fun, e.X)
		} else {
			b.writeCall(e.Fun, e.N)
			b.WriteString(", ")
			b.write(e.X)
		}
		if e.Over != nil {
			b.WriteString(", " + e.Over.Text)
		}
		b.WriteByte(')')
		if e.By != nil {
			b.WriteString(" by (" + strings.Join(e.By.Names(), ", ") + ")")
		}
	case *RescaleExpr:
		b.writeCall("rescale", e.X)
		b.WriteString(`, "` + e.Units + `")`)
	case *MatchInstExpr:
		b.writeMatch(e)
	case *ConstExpr:
		b.writeCall("mkconst", e.X)
		for _, s := range e.Specs {
			b.WriteString(", ")
			b.writeSpec(s)
		}
		b.WriteByte(')')
	case *NovalueExpr:
		b.WriteString("novalue(")
		for i, s := range e.Specs {
			if i > 0 {
				b.WriteString(", ")
			}
			b.writeSpec(s)
		}
		b.WriteByte(')')
	default:
		panic(fmt.Sprintf("syntax.Print: unexpected node %T", e))
	}
}

// writeCall writes a call up to the end of its first operand; ILLEGAL is a parenthesis without a
// function.
func (b *printer) writeCall(fun Token, x Expr) {
	b.WriteString(fun.Symbol() + "(")
	b.write(x)
}

// writePair writes a function of two operands, or of three.
func (b *printer) writePair(e *BinaryExpr) {
	x := e.X
	b.WriteString(e.Op.Symbol() + "(")
	if floor, ok := x.(*BinaryExpr); ok && e.Op == "clamp" {
		b.write(floor.X)
		b.WriteString(", ")
		x = floor.Y
	}
	b.write(x)
	b.WriteString(", ")
	b.write(e.Y)
	b.WriteByte(')')
}

func (b *printer) writeMatch(e *MatchInstExpr) {
	b.WriteString("matchinst(")
	if e.NotPos >= 0 {
		b.WriteByte('!')
	}
	b.WriteByte('/')
	b.writeEscaped(e.Pattern, '/')
	b.WriteString("/, ")
	b.write(e.X)
	b.WriteByte(')')
}

func (b *printer) writeSpec(s *Spec) {
	quote := ""
	if s.Quoted {
		quote = `"`
	}
	b.WriteString(s.Tag.Symbol() + "=" + quote + s.Value + quote)
}

// writeEscaped puts a backslash before every backslash and before the delimiter.
func (b *printer) writeEscaped(s string, delim byte) {
	for i := 0; i < len(s); i++ {
		if s[i] == delim || s[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
}
