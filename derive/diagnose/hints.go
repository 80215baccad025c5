package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
)

// hint notes what to write instead of the commonest mistakes.
func (p *Problem) hint(bad *check.Error) {
	if bad.Counters {
		p.counterHint(bad)
	}
	if len(bad.Operands) != 2 || bad.Counters {
		return
	}
	switch left, right := bad.Operands[0], bad.Operands[1]; {
	case left.Role == "left" && strings.HasPrefix(bad.Text, "Different "), bad.Text == "Dimensions are not the same":
		arms := bad.Text != "Dimensions are not the same"
		if !p.constHint(left.Expr, right.Type, arms) {
			p.constHint(right.Expr, left.Type, arms)
		}
	}
}

// counterHint adds the functions that make the expression right when they are applied to the counters
// among the operands, or the mistake that remains.
func (p *Problem) counterHint(bad *check.Error) {
	var counters []syntax.Expr
	for _, o := range bad.Operands {
		if o.Type.Sem == pcp.Counter {
			counters = append(counters, o.Expr)
		}
	}
	var calls, uses []string
	for _, fun := range bad.Cures {
		calls = append(calls, fun.Symbol()+"()")
	}
	switch n := len(bad.Cures) - 1; {
	case len(counters) == 0:
		return
	case n < 0:
		if bad.Still != bad.Text {
			p.Notes = append(p.Notes, "rate(), delta() or instant() do not help: "+LowerFirst(bad.Still))
		}
		return
	case len(bad.Operands) == 1:
		about := map[syntax.Token]string{"rate": " is how fast it grows", "delta": " by how much since the last sample"}
		for _, fun := range bad.Cures[:min(n, 1)+1] {
			uses = append(uses, fun.Symbol()+"("+operandText(counters[0])+")"+about[fun])
		}
		p.Notes = append(p.Notes, strings.Join(uses, ", "))
	case len(counters) == 1:
		p.Notes = append(p.Notes, fmt.Sprintf("use %s of the counter: %s(%s)", OrList(calls), bad.Cures[n].Symbol(), operandText(counters[0])))
	default:
		fun := bad.Cures[0].Symbol()
		p.Notes = append(p.Notes, fmt.Sprintf("use %s of both: %s(%s), %s(%s)", OrList(calls), fun, operandText(counters[0]), fun, operandText(counters[1])))
	}
	if len(bad.Path) > 0 || len(counters) > 1 {
		return
	}
	fixes := syntax.Wrap(p.Src, counters[0], bad.Cures...)
	if p.Fixes = append(p.Fixes, fixes...); len(bad.Operands) == 1 && len(p.Src) < maxPhrase {
		p.Notes = append(p.Notes, "write "+p.Src[:fixes[0].Start]+fixes[0].Text+p.Src[fixes[0].End:])
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
	case "avg", "count", "max", "min", "sum", "defined":
		if p.lang != check.Extended || fun.Tok == "defined" {
			p.Notes = append(p.Notes, fun.Text+"() takes the name of a metric and no expression")
			return
		}
	}
	if p.lang == check.Extended && (found == syntax.COMMA || found == syntax.RPAREN) {
		p.signature(fun)
	}
}

// arguments tells that a function has too few arguments, or too many, if that is the mistake.
func (p *Problem) arguments(fun syntax.Lexeme, found syntax.Token, want []string) bool {
	many := "fewer"
	other := syntax.RPAREN
	if found == syntax.RPAREN {
		many, other = "more", syntax.COMMA
	}
	if found != syntax.RPAREN && found != syntax.COMMA || !slices.Contains(want, "'"+other.Symbol()+"'") {
		return false
	}
	notes := len(p.Notes)
	p.signature(fun)
	p.Msg = fun.Text + "() takes " + many + " arguments"
	return len(p.Notes) > notes
}

// signature notes the operands of a function.
func (p *Problem) signature(fun syntax.Lexeme) {
	for _, f := range p.lang.Functions() {
		if f.Name == fun.Text {
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
	for _, name := range known {
		if inst, ok := strings.CutPrefix(unknown, name+"."); ok {
			p.Notes = append(p.Notes, textwidth.Clean("an instance stands in brackets: "+name+"["+inst+"]"))
			return
		}
	}
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
		p.Notes = append(p.Notes, textwidth.Clean(fmt.Sprintf("%d names have it in them, such as %s", n, OrList(with[:maxLike]))),
			":metrics *"+unknown+"* lists them at the prompt")
	case n > 0:
		p.propose(unknown, with)
	}
}
