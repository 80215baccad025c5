package syntax

import (
	"math"
	"slices"
	"strings"
)

// extension parses a call of a function whose operands are expressions in the extended language.
func (p *parser) extension(n *CallExpr) (Expr, int) {
	n.Extended = true
	n.FunPos, n.Lparen = p.begin("<expr> expected to follow " + n.Fun.Symbol() + "(")
	if n.N = p.parameter(n.Fun); n.N != nil {
		p.expect(COMMA)
	}
	x, h := p.expr(lowest)
	switch n.Fun {
	case "clamp", "pow":
	case "max", "min":
		if p.tok == COMMA {
			break
		}
		fallthrough
	default:
		if n.X = x; n.Fun.IsOverTime() {
			n.Over = p.interval(n.Fun)
		}
		n.Rparen = p.end()
		if p.tok == NAME && p.lit == "by" {
			n.By = p.grouping(n.Fun)
		}
		return n, h + 1
	}
	return p.pair(n, x, h)
}

// pair parses the operands of a function after the first one, x.
func (p *parser) pair(n *CallExpr, x Expr, height int) (Expr, int) {
	p.expect(COMMA)
	y, h := p.expr(lowest)
	height = 1 + max(height, h)
	if n.Fun == "clamp" {
		x = &BinaryExpr{X: x, OpPos: first(x), Op: "max", Y: y, End: last(y)}
		p.expect(COMMA)
		y, h = p.expr(lowest)
		height = 1 + max(height, h)
	}
	x = &BinaryExpr{X: x, OpPos: n.FunPos, Op: n.Fun, Y: y, End: p.end() + 1}
	if p.tok == NAME && p.lit == "by" {
		p.grouping(ILLEGAL)
	}
	return x, height
}

// parameter parses the number before the operand of a function, nil for functions without one.
func (p *parser) parameter(fun Token) Expr {
	var expected string
	switch fun {
	case "bottomn", "topn":
		expected = "a number of instances, from 1 on"
	case "quantile", "quantile_over":
		expected = "a number from 0 to 1"
	default:
		return nil
	}
	pos, fits, share := p.pos, false, fun == "quantile" || fun == "quantile_over"
	var x Expr
	if p.tok == INTEGER || p.tok == DOUBLE {
		x = p.constant()
	}
	switch n := x.(type) {
	case *IntLit:
		fits = share && n.Value <= 1 || !share && n.Value > 0
	case *FloatLit:
		fits = share && n.Value <= 1
	}
	if fits && p.tok != ILLEGAL && p.tok != COMMA {
		pos, fits = p.pos, false
		expected += ", and a comma after it"
	}
	if !fits {
		p.fail(pos, "the first operand of "+fun.Symbol()+"() must be "+expected)
	}
	return x
}

// maxLabels is how many labels a grouping may have.
const maxLabels = 16

// grouping parses the labels by which instances are put together.
func (p *parser) grouping(fun Token) *Grouping {
	g := &Grouping{ByPos: p.pos}
	if !fun.IsGroupable() {
		p.fail(p.pos, "by (LABEL, ...) may follow functions that make one value of all instances: avg, count, max, median, min, quantile, stddev, sum")
	}
	p.push("by must be followed by the names of labels in parentheses, as in by (device, type)")
	p.next()
	g.Lparen = p.expect(LPAREN)
	for {
		if !p.tok.isKeyword() { // a label may be called so
			p.want(NAME)
		}
		if slices.Contains(g.Names(), p.lit) {
			p.fail(p.pos, "the label "+p.lit+" stands twice after by")
		}
		g.Labels = append(g.Labels, Label{p.pos, p.lit})
		p.next()
		if p.tok != COMMA || len(g.Labels) == maxLabels {
			break
		}
		p.next()
	}
	g.Rparen = p.end()
	return g
}

// maxNanoseconds is the longest interval: a hundred years.
const maxNanoseconds = 36525 * 24 * 3600e9

// interval parses the time that is the last operand of a function. A blank may stand before the unit.
func (p *parser) interval(fun Token) *Interval {
	if p.tok == COMMA {
		p.next()
	}
	n, length := &Interval{Pos: p.pos, Text: p.lit}, 0.0
	switch p.tok {
	case INTEGER:
		length = float64(p.num)
	case DOUBLE:
		length = float(p.lit)
	case ILLEGAL:
		p.refuse()
	}
	if length > 0 {
		p.next()
		n.Text += p.lit
		length *= nanoseconds(p.lit)
	}
	if length = math.Round(length); length < 1 || length > maxNanoseconds {
		p.fail(n.Pos, "the last operand of "+fun.Symbol()+"() must be a time with its unit, such as 500msec, 30s, 5min, 1.5hours or 7days")
	}
	n.Nanoseconds = int64(length)
	p.next()
	return n
}

// nanoseconds returns the length of a unit of time, 0 for other words. "ms" is one of these: the intervals of options have it
// for minutes, and most people for milliseconds.
func nanoseconds(unit string) float64 {
	if len(unit) > 1 && unit != "ms" {
		unit = strings.TrimSuffix(unit, "s")
	}
	switch unit {
	case "msec", "millisecond":
		return 1e6
	case "s", "sec", "second":
		return 1e9
	case "m", "min", "minute":
		return 60e9
	case "h", "hr", "hour":
		return 3600e9
	case "d", "day":
		return 24 * 3600e9
	}
	return 0
}

// Extension returns the first node of a tree that only the extended language has, or nil.
func Extension(x Expr) Expr {
	for n := range Preorder(x) {
		switch n := n.(type) {
		case *CallExpr:
			_, name := n.X.(*MetricRef)
			if n.Fun.IsExtension() || n.By != nil || n.Extended && !name && n.takesName() {
				return n
			}
		case *BinaryExpr:
			if n.Op.IsFunction() {
				return n
			}
		}
	}
	return nil
}

// takesName reports whether the function of the call takes a name in PCP's language.
func (x *CallExpr) takesName() bool {
	switch x.Fun {
	case "avg", "count", "max", "min", "sum":
		return true
	}
	return false
}
