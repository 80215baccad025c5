package syntax

import (
	"fmt"
	"strings"
)

// Print writes an expression in its canonical form: a blank on both sides of the operators that
// have two sides and one behind each comma. Parentheses are those of the tree. The text parses to
// the same tree.
func Print(e Expr) string {
	var b strings.Builder
	write(&b, e)
	return b.String()
}

func write(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case *MetricRef:
		b.WriteString(e.Name)
	case *IntLit:
		b.WriteString(e.Text)
	case *FloatLit:
		b.WriteString(e.Text)
	case *ParenExpr:
		writeCall(b, ILLEGAL, e.X)
		b.WriteByte(')')
	case *NestExpr:
		writeCall(b, ILLEGAL, e.X)
		b.WriteByte(')')
	case *UnaryExpr:
		b.WriteString(e.Op.Symbol())
		write(b, e.X)
	case *BinaryExpr:
		write(b, e.X)
		b.WriteString(" " + e.Op.Symbol() + " ")
		write(b, e.Y)
	case *TernaryExpr:
		write(b, e.Cond)
		b.WriteString(" ? ")
		write(b, e.X)
		b.WriteString(" : ")
		write(b, e.Y)
	case *InstExpr:
		write(b, e.X)
		b.WriteByte('[')
		writeEscaped(b, e.Name, ']')
		b.WriteByte(']')
	case *CallExpr:
		writeCall(b, e.Fun, e.X)
		b.WriteByte(')')
	case *RescaleExpr:
		writeCall(b, RESCALE, e.X)
		b.WriteString(`, "` + e.Units + `")`)
	case *MatchInstExpr:
		writeMatch(b, e)
	case *ConstExpr:
		writeCall(b, MKCONST, e.X)
		for _, s := range e.Specs {
			b.WriteString(", ")
			writeSpec(b, s)
		}
		b.WriteByte(')')
	case *NovalueExpr:
		b.WriteString("novalue(")
		for i, s := range e.Specs {
			if i > 0 {
				b.WriteString(", ")
			}
			writeSpec(b, s)
		}
		b.WriteByte(')')
	default:
		panic(fmt.Sprintf("syntax.Print: unexpected node %T", e))
	}
}

// writeCall writes a call up to the end of its first operand; ILLEGAL is a parenthesis without a
// function.
func writeCall(b *strings.Builder, fun Token, x Expr) {
	b.WriteString(fun.Symbol() + "(")
	write(b, x)
}

func writeMatch(b *strings.Builder, e *MatchInstExpr) {
	b.WriteString("matchinst(")
	if e.NotPos >= 0 {
		b.WriteByte('!')
	}
	b.WriteByte('/')
	writeEscaped(b, e.Pattern, '/')
	b.WriteString("/, ")
	write(b, e.X)
	b.WriteByte(')')
}

func writeSpec(b *strings.Builder, s *Spec) {
	quote := ""
	if s.Quoted {
		quote = `"`
	}
	b.WriteString(s.Tag.Symbol() + "=" + quote + s.Value + quote)
}

// writeEscaped puts a backslash before every backslash and before the delimiter.
func writeEscaped(b *strings.Builder, s string, delim byte) {
	for i := 0; i < len(s); i++ {
		if s[i] == delim || s[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
}
