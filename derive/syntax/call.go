package syntax

import "strings"

// begin steps over the name of a function and the parenthesis, which the scanner has seen already.
// The construct has the given text from then on.
func (p *parser) begin(text string) (fun, lparen Pos) {
	fun = p.pos
	p.push(text)
	p.next()
	return fun, p.expect(LPAREN)
}

func (p *parser) end() Pos {
	p.want(RPAREN)
	p.pop()
	return p.expect(RPAREN)
}

func (p *parser) call() (Expr, int) {
	n := &CallExpr{Fun: p.tok}
	h := 1
	switch n.Fun {
	case "delta", "rate", "scalar":
		n.FunPos, n.Lparen = p.begin("<expr> expected to follow " + n.Fun.Symbol() + "(")
		n.X, h = p.expr(lowest)
	case "instant":
		// It takes an expression; its message dates from when it took a name.
		n.FunPos, n.Lparen = p.begin("Metric name expected to follow instant(")
		n.X, h = p.expr(lowest)
	case "defined":
		n.FunPos, n.Lparen = p.begin("")
		n.X = p.name()
	case "avg", "count", "max", "min", "sum":
		if p.extended {
			return p.extension(n)
		}
		fallthrough
	default:
		n.FunPos, n.Lparen = p.begin("Metric name expected to follow " + n.Fun.Symbol() + "(")
		x := p.name()
		n.X = x
		p.want(RPAREN)
		if n.Fun == "anon" && !anonType(x.Name) {
			p.fail(x.NamePos, "type="+x.Name+" not allowed for anon()")
		}
	}
	n.Rparen = p.end()
	return n, h + 1
}

func anonType(name string) bool {
	typ, ok := strings.CutPrefix(name, "PM_TYPE_")
	return ok && typ != "" && typ == constType(typ)
}

func (p *parser) rescale() (Expr, int) {
	n := new(RescaleExpr)
	n.FunPos, n.Lparen = p.begin("Arithmetic or relational or boolean operator expected to follow rescale(")
	x, h := p.expr(lowest)
	n.X = x
	p.want(COMMA)
	p.turn("Units string expected to follow rescale(<expr>,")
	p.next()
	p.want(STRING)
	n.UnitsPos, n.Units = p.pos, p.lit
	p.next()
	p.want(RPAREN)
	p.checkUnits(n.Units)
	n.Rparen = p.end()
	return n, h + 1
}

// matchinst parses matchinst(/pattern/,x). Only the token after the parenthesis or after the
// exclamation mark may be a pattern, so that x can have divisions; in the reference it cannot
// (derived.md D2 L3).
func (p *parser) matchinst() (Expr, int) {
	n := &MatchInstExpr{FunPos: p.pos, NotPos: -1}
	p.push("<filter>, <expr>) expected to follow matchinst(")
	p.next()
	p.want(LPAREN)
	n.Lparen = p.pos
	p.nextPattern()
	if p.tok == NOT {
		n.NotPos = p.pos
		p.nextPattern()
	}
	p.want(PATTERN)
	n.PatternPos, n.Pattern = p.pos, p.lit
	if check := p.config.CheckPattern; check != nil {
		if err := check(n.Pattern); err != nil {
			p.fail(p.pos, "bad regular expression: '"+err.Error()+"'")
		}
	}
	p.turn(", <expr>) expected to follow matchinst(<filter>")
	p.next()
	p.want(COMMA)
	p.turn("<expr>) expected to follow matchinst(<filter>,")
	p.next()
	x, h := p.expr(lowest)
	n.X = x
	n.Rparen = p.end()
	return n, h + 1
}

// checkUnits fails at the current token if the units are bad.
func (p *parser) checkUnits(units string) {
	if check := p.config.CheckUnits; check != nil {
		if err := check(units); err != nil {
			p.fail(p.pos, "Illegal units: '"+err.Error()+"'")
		}
	}
}
