package diagnose

import (
	"fmt"
	"slices"
	"strconv"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// The aggregates of the language take the name of a metric. For many expressions there is another
// with the aggregate around the names in it that has the same values.

// aggregate advises about an aggregate of an expression.
func (p *phrase) aggregate(i int) *advice {
	fun, known := aggregateToken(p.at(i).text)
	end := p.closing(i + 1)
	if p.lang == check.Extended || !known || p.at(i+1).text != "(" || end <= i+2 || end == i+3 && p.named(i+2) {
		return nil
	}
	for k := i + 2; k < end; k++ {
		if p.period(k) != nil { // its advice comes first
			return nil
		}
	}
	a := &advice{msg: p.at(i).text + "() takes the name of a metric and no expression", pos: p.at(i + 2).start, start: p.at(i).start, end: p.at(end).end}
	x, err := check.Syntax().Parse(p.text[p.at(i+1).end:p.at(end).start])
	if err != nil || literal(x) {
		return nil
	}
	inner := hoisting{fun: fun}
	text := inner.over(x)
	if a.notes = inner.notes; text != "" {
		if p.at(i-1).text != "" && p.at(i-1).text != "(" || p.at(end+1).text != "" && p.at(end+1).text != ")" {
			text = grouped(text)
		}
		a.rewrites = []string{text}
	}
	return a
}

// aggregateToken returns the function of the language that is an aggregate with a name.
func aggregateToken(name string) (syntax.Token, bool) {
	for _, t := range []syntax.Token{syntax.AVG, syntax.COUNT, syntax.MAX, syntax.MIN, syntax.SUM} {
		if t.Symbol() == name {
			return t, true
		}
	}
	return 0, false
}

// A hoisting moves an aggregate from around an expression to the metrics in it.
type hoisting struct {
	fun   syntax.Token
	find  func(name string) syntax.Expr // returns the definition of a derived metric, or nil; may be nil
	notes []string                      // when the result is the same, or why there is none
	steps int                           // definitions that have been written out
}

// maxHoisted is how many definitions are written out.
const maxHoisted = 50

// note notes when the values are the same.
func (h *hoisting) note(text string) {
	if !slices.Contains(h.notes, text) {
		h.notes = append(h.notes, text)
	}
}

// none notes why there is no expression, and returns it.
func (h *hoisting) none(format string, args ...any) string {
	h.notes = []string{fmt.Sprintf(format, args...)}
	return ""
}

// with returns the text of an expression under another aggregate.
func (h *hoisting) with(fun syntax.Token, x syntax.Expr) string {
	defer func(was syntax.Token) { h.fun = was }(h.fun)
	h.fun = fun
	return h.over(x)
}

// over returns the text of the aggregate over an expression, or "" if the language has none.
func (h *hoisting) over(x syntax.Expr) string {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.MetricRef:
		return h.metric(x)
	case *syntax.InstExpr:
		if h.fun != syntax.COUNT {
			h.note("an instance has one value, which needs no " + h.fun.Symbol() + "()")
			return syntax.Print(x)
		}
	case *syntax.CallExpr:
		return h.call(x)
	case *syntax.RescaleExpr:
		inner := h.over(x.X)
		if inner != "" && h.fun != syntax.COUNT {
			h.note("integers are rounded once, after " + h.fun.Symbol() + "(), and not for each instance")
			inner = fmt.Sprintf("rescale(%s, %s)", inner, strconv.Quote(x.Units))
		}
		return inner
	case *syntax.UnaryExpr:
		return h.minus(x)
	case *syntax.BinaryExpr:
		return h.binary(x)
	case *syntax.MatchInstExpr:
		return h.none("%s() of some instances cannot be written: x[A] + x[B] adds single ones, and eval -i 'PATTERN' shows those that match", h.fun.Symbol())
	}
	return h.none("no expression has these values")
}

// metric returns the aggregate of a metric, or of its definition.
func (h *hoisting) metric(x *syntax.MetricRef) string {
	if h.find != nil {
		if def := h.find(x.Name); def != nil {
			if h.steps++; h.steps > maxHoisted {
				return h.none("%s stands for more than %d definitions", x.Name, maxHoisted)
			}
			return h.over(def)
		}
	}
	return h.fun.Symbol() + "(" + x.Name + ")"
}

// call returns the aggregate of rate(), delta() or instant().
func (h *hoisting) call(x *syntax.CallExpr) string {
	fun := x.Fun.Symbol()
	switch {
	case x.Fun == syntax.INSTANT && h.fun != syntax.SUM: // its result is no counter anyway
		return h.over(x.X)
	case x.Fun == syntax.INSTANT:
		return h.around(fun, h.over(x.X))
	case x.Fun != syntax.RATE && x.Fun != syntax.DELTA:
		return h.none("%s() has one value, over which %s() has no meaning", fun, h.fun.Symbol())
	}
	const while = "the values are the same while no instance appears, disappears, wraps or restarts between two samples"
	switch h.fun {
	case syntax.COUNT:
		h.note("count(x) counts also an instance that is new in a sample and has no " + fun + " yet")
		return h.over(x.X)
	case syntax.SUM:
		h.note(while)
		return h.around(fun, h.over(x.X))
	case syntax.AVG:
		h.note(while)
		h.note("avg() of a counter has 7 digits, too few for its changes: sum() divided by count() has all")
		sum, count := h.with(syntax.SUM, x.X), h.with(syntax.COUNT, x.X)
		if sum == "" || count == "" {
			return ""
		}
		return fmt.Sprintf("%s(%s) / rescale(%s, \"\")", fun, sum, count)
	}
	most, how := "largest", ":top 1 %[1]s shows it at the prompt, eval --top 1 '%[1]s' in a shell"
	if h.fun == syntax.MIN {
		most, how = "smallest", "eval --sort value '%[1]s' shows it last; at the prompt :set sort value"
	}
	h.none("the %s %s of the instances is not the %s of the %s value, so no expression has it", most, fun, fun, most)
	h.note(fmt.Sprintf(how, syntax.Print(x)))
	return ""
}

// around returns a call of a function, if there is an operand.
func (h *hoisting) around(fun, operand string) string {
	if operand == "" {
		return ""
	}
	return fun + "(" + operand + ")"
}

// opposite returns the aggregate of values that has the negated result of fun over their negations.
func opposite(fun syntax.Token) syntax.Token {
	switch fun {
	case syntax.MAX:
		return syntax.MIN
	case syntax.MIN:
		return syntax.MAX
	}
	return fun
}

// minus returns the aggregate of a negated operand.
func (h *hoisting) minus(x *syntax.UnaryExpr) string {
	switch {
	case x.Op != syntax.MINUS:
		return h.none("no expression has these values")
	case h.fun == syntax.COUNT:
		return h.over(x.X)
	}
	inner := h.with(opposite(h.fun), x.X)
	if inner == "" {
		return ""
	}
	return "-" + grouped(inner)
}

// literal reports whether an expression is a number.
func literal(x syntax.Expr) bool {
	switch syntax.Unparen(x).(type) {
	case *syntax.IntLit, *syntax.FloatLit:
		return true
	}
	return false
}

// binary returns the aggregate of the result of an operator.
func (h *hoisting) binary(x *syntax.BinaryExpr) string {
	left, right := literal(x.X), literal(x.Y)
	additive := x.Op == syntax.PLUS || x.Op == syntax.MINUS
	switch {
	case !additive && x.Op != syntax.STAR && x.Op != syntax.SLASH:
		h.none("no function counts or adds the instances that satisfy a condition")
		h.note(fmt.Sprintf("eval --where '%s' shows these instances", syntax.Print(x)))
		return ""
	case left == right && additive && (h.fun == syntax.SUM || h.fun == syntax.AVG):
		h.note("the values are the same while both operands have the same instances")
		return h.join(h.over(x.X), x.Op, h.over(x.Y))
	case left == right, left && x.Op == syntax.SLASH, additive && h.fun == syntax.SUM:
		return h.none("no expression has these values: %s() does not distribute over '%s'", h.fun.Symbol(), x.Op.Symbol())
	case h.fun == syntax.COUNT && left:
		return h.over(x.Y)
	case h.fun == syntax.COUNT:
		return h.over(x.X)
	case left && x.Op == syntax.MINUS:
		return h.join(syntax.Print(x.X), x.Op, h.with(opposite(h.fun), x.Y))
	case left:
		return h.join(syntax.Print(x.X), x.Op, h.over(x.Y))
	}
	return h.join(h.over(x.X), x.Op, syntax.Print(x.Y))
}

// join returns the text of an operator between operands, if there are both.
func (h *hoisting) join(left string, op syntax.Token, right string) string {
	if left == "" || right == "" {
		return ""
	}
	return grouped(left) + " " + op.Symbol() + " " + grouped(right)
}

// Nested explains an aggregate of a derived metric, which stands at Pos in the expression: find returns
// the definition of a name, or nil. It does nothing for other mistakes.
func (p *Problem) Nested(find func(name string) syntax.Expr) {
	tree, err := check.Syntax().Parse(p.Src)
	if err != nil {
		return
	}
	for node := range syntax.Preorder(tree) {
		call, ok := node.(*syntax.CallExpr)
		if !ok {
			continue
		}
		ref, ok := call.X.(*syntax.MetricRef)
		if _, known := aggregateToken(call.Fun.Symbol()); !ok || !known || int(ref.NamePos) != p.Pos {
			continue
		}
		inner := hoisting{fun: call.Fun, find: find}
		text := inner.over(ref)
		p.Notes = append(p.Notes, inner.notes...)
		if text != "" {
			from, to := call.Span()
			if from > 0 || int(to) < len(p.Src) {
				text = grouped(text)
			}
			p.rewrites = []string{p.Src[:from] + text + p.Src[to:]}
			p.write(p.rewrites[0])
		}
		return
	}
}
