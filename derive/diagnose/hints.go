package diagnose

import (
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
)

// hint notes what to write instead of the commonest mistakes.
func (p *Problem) hint(bad *check.Error) {
	if len(bad.Operands) == 1 && bad.Counters {
		text := operandText(bad.Operands[0].Expr)
		p.Notes = append(p.Notes, fmt.Sprintf("rate(%s) is how fast it grows, delta(%s) by how much since the last sample", text, text))
		if len(bad.Path) == 0 {
			p.Fixes = append(p.Fixes, syntax.Wrap(p.Src, bad.Operands[0].Expr)...)
		}
	}
	if len(bad.Operands) != 2 {
		return
	}
	left, right := bad.Operands[0], bad.Operands[1]
	switch {
	case bad.Counters && left.Type.Sem == pcp.Counter && right.Type.Sem == pcp.Counter:
		p.Notes = append(p.Notes, fmt.Sprintf("use rate(), delta() or instant() of both: rate(%s), rate(%s)", operandText(left.Expr), operandText(right.Expr)))
	case bad.Counters && left.Type.Sem == pcp.Counter:
		p.counterHint(bad, left.Expr)
	case bad.Counters && right.Type.Sem == pcp.Counter:
		p.counterHint(bad, right.Expr)
	case left.Role == "left" && strings.HasPrefix(bad.Text, "Different "), bad.Text == "Dimensions are not the same":
		arms := bad.Text != "Dimensions are not the same"
		if !p.constHint(left.Expr, right.Type, arms) {
			p.constHint(right.Expr, left.Type, arms)
		}
	}
}

// counterHint notes how the counter among two operands can stop to be one.
func (p *Problem) counterHint(bad *check.Error, x syntax.Expr) {
	p.Notes = append(p.Notes, fmt.Sprintf("use rate(), delta() or instant() of the counter: instant(%s)", operandText(x)))
	if len(bad.Path) == 0 {
		p.Fixes = append(p.Fixes, syntax.Wrap(p.Src, x)...)
	}
}

// constHint notes how an operand that is a plain number is written with the units of the other one,
// and as an arm of a choice with all its metadata. It reports whether the operand is a number.
func (p *Problem) constHint(x syntax.Expr, other check.Type, arm bool) bool {
	var number string
	switch n := syntax.Unparen(x).(type) {
	case *syntax.IntLit:
		number = n.Text
	case *syntax.FloatLit:
		if arm && other.Type != pcp.Float && other.Type != pcp.Double {
			return false
		}
		number = n.Text
	case *syntax.ConstExpr:
		return p.constHint(n.X, other, arm)
	default:
		return false
	}
	var tags []string
	if arm {
		tags = append(tags, "type="+strings.ToLower(other.Type.String()), "semantics="+other.Sem.String())
	}
	if units := other.Units.String(); units != "" {
		tags = append(tags, `units="`+units+`"`)
	}
	text := number
	if tags != nil {
		text = "mkconst(" + number + ", " + strings.Join(tags, ", ") + ")"
	}
	p.Notes = append(p.Notes, "write the number with the metadata of the other operand: "+text)
	return true
}

// operandHint notes what a function takes, if the mistake is in its parentheses.
func (p *Problem) operandHint(fun syntax.Lexeme, found syntax.Token) {
	switch fun.Tok {
	case syntax.AVG, syntax.COUNT, syntax.MAX, syntax.MIN, syntax.SUM, syntax.DEFINED:
		if p.lang != check.Extended || fun.Tok == syntax.DEFINED {
			p.Notes = append(p.Notes, fun.Text+"() takes the name of a metric and no expression")
			return
		}
	}
	if p.lang == check.Extended && (found == syntax.COMMA || found == syntax.RPAREN) {
		p.signature(fun)
	}
}

// signature notes the operands of a function.
func (p *Problem) signature(fun syntax.Lexeme) {
	for _, f := range p.lang.Functions() {
		if f.Token == fun.Tok {
			p.Notes = append(p.Notes, "as in "+f.Signature)
		}
	}
}

// enclosing returns the function in whose parentheses the text after some words is, or none.
func enclosing(lexemes []syntax.Lexeme) syntax.Lexeme {
	depth := 0
	for i := len(lexemes) - 1; i > 0; i-- {
		switch lexemes[i].Tok {
		case syntax.RPAREN:
			depth++
		case syntax.LPAREN:
			if depth--; depth < 0 {
				return lexemes[i-1]
			}
		}
	}
	return syntax.Lexeme{}
}

// maxLike is how many names are shown that have an unknown one in them.
const maxLike = 3

// likeName proposes names for an unknown one: the nearest, or those that have it in them.
func (p *Problem) likeName(unknown string, known []string) {
	if p.didYouMean(unknown, known) {
		return
	}
	var with []string
	lower := strings.ToLower(unknown)
	for _, name := range known {
		if strings.Contains(strings.ToLower(name), lower) {
			with = append(with, name)
		}
	}
	switch n := len(with); {
	case n > maxLike:
		p.Notes = append(p.Notes, textwidth.Clean(fmt.Sprintf("%d names have it in them, such as %s", n, OrList(with[:maxLike]))))
	case n > 0:
		p.propose(unknown, with)
	}
}
