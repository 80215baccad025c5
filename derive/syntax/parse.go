package syntax

// The parser climbs precedences (derived.md D3.3). Unlike others it must produce the messages of a
// grammar with error rules. Every construct that has begun and is not complete is on a stack
// together with the text that a bad token inside it gets; many have no text, and then the one
// around them speaks. A complete operand leaves the operators to its left before the token after it
// is refused, so the refusal comes from the construct that needed a certain token (derived.md
// D4.1).

// Limits of what Parse accepts. They bound the stack that a walk over a tree can need.
const (
	// MaxLen is the length in bytes of the longest expression.
	MaxLen = 1 << 20
	// MaxDepth is how deep parentheses, calls, prefix operators and right operands may be nested.
	// The reference, whose parser has a stack of fixed size, stops close to it, with an error that
	// has no text.
	MaxDepth = 9990
	// MaxHeight is the height of the highest tree: operators that stand in one row, such as
	// a+b+c+d, nest to the left.
	MaxHeight = 100_000
)

// A Config holds the checks that the parser leaves to others. A nil function accepts everything,
// and a nil Config has only those.
type Config struct {
	// CheckUnits checks the units in rescale and in metadata. The text of its error becomes part of
	// the message.
	CheckUnits func(units string) error
	// CheckPattern checks the pattern of matchinst, a POSIX extended regular expression. The text
	// of its error becomes part of the message.
	CheckPattern func(pattern string) error
	// Extended accepts the extended language: operands of functions are expressions, and there are
	// more functions. The trees of all other expressions stay the same.
	Extended bool
}

// Parse parses one expression. An error is always an [*Error]; it is the first one of the text.
func (c *Config) Parse(text string) (x Expr, err error) {
	if len(text) > MaxLen {
		return nil, &Error{Pos: 0, Msg: "expression too long", Extended: c != nil && c.Extended}
	}
	p := parser{scanner: scanner{src: text}}
	if c != nil {
		p.config = *c
		p.extended = c.Extended
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			x, err = nil, r.err
		default:
			panic(r)
		}
	}()
	return p.definition(), nil
}

type bailout struct{ err *Error }

type parser struct {
	scanner
	config Config
	start  Pos      // of the first token
	open   []string // texts of the constructs that are not complete, the innermost last; "" for none
	depth  int      // of calls of expr
}

func (p *parser) definition() Expr {
	p.next()
	p.start = p.pos
	switch p.tok {
	case PLUS, STAR, SLASH, RPAREN, LT, LEQ, EQ, GEQ, GT, NEQ, AND, OR, QUEST, COLON:
		// The grammar takes these for the beginning of an error, which is complete with the token
		// after it.
		p.refuseNext("Unexpected initial " + p.tok.GoString())
	}
	x, _ := p.expr(lowest)
	switch p.tok {
	case EOS:
	case LPAREN, RPAREN:
		p.refuseNext("Unexpected " + p.tok.GoString())
	default:
		p.refuse()
	}
	return x
}

func (p *parser) push(text string) { p.open = append(p.open, text) }

func (p *parser) turn(text string) { p.open[len(p.open)-1] = text }

func (p *parser) pop() { p.open = p.open[:len(p.open)-1] }

func (p *parser) fail(pos Pos, msg string) {
	panic(bailout{&Error{Pos: pos, Msg: msg, Extended: p.extended}})
}

// refuse ends the parse because of the current token. It does not return.
func (p *parser) refuse() {
	var msg string
	for i := len(p.open) - 1; i >= 0 && msg == ""; i-- {
		msg = p.open[i]
	}
	p.refuseWith(msg)
}

// refuseWith is refuse with a given text. The scanner's message takes precedence.
func (p *parser) refuseWith(msg string) {
	if p.tok == ILLEGAL {
		msg = p.lit
	}
	p.fail(p.pos, msg)
}

func (p *parser) refuseNext(msg string) {
	p.next()
	p.refuseWith(msg)
}

func (p *parser) want(t Token) {
	if p.tok != t {
		p.refuse()
	}
}

func (p *parser) expect(t Token) Pos {
	p.want(t)
	pos := p.pos
	p.next()
	return pos
}

// expr parses an operand and the operators after it that are tighter than the given level. It gives
// the height of the tree too.
func (p *parser) expr(level int) (Expr, int) {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.pos, "")
	}
	x, height := p.prefix()
	for {
		op, prec := p.tok, p.tok.Precedence()
		if prec <= level {
			break
		}
		pos := p.pos
		p.next()
		var y Expr
		var h int
		if op == QUEST {
			x, h = p.arms(x, pos)
		} else {
			p.push(expected(op))
			y, h = p.expr(prec)
			p.pop()
			x = &BinaryExpr{X: x, OpPos: pos, Op: op, Y: y}
		}
		if height = 1 + max(height, h); height > MaxHeight {
			p.fail(pos, "expression too long")
		}
	}
	p.depth--
	return x, height
}

// expected returns the text of a construct that waits for the right operand of an operator.
func expected(op Token) string {
	switch op {
	case AND, OR, NOT:
		return "Boolean expression expected to follow " + op.String()
	}
	return "Arithmetic expression expected to follow " + op.String()
}

func (p *parser) prefix() (Expr, int) {
	op, pos := p.tok, p.pos
	level, text := levelNegate, "Arithmetic expression expected to follow NEG"
	switch op {
	case MINUS:
	case NOT:
		level, text = levelNot, expected(NOT)
	default:
		return p.operand()
	}
	p.next()
	p.push(text)
	x, h := p.expr(level)
	p.pop()
	return &UnaryExpr{OpPos: pos, Op: op, X: x}, h + 1
}

func (p *parser) arms(cond Expr, quest Pos) (Expr, int) {
	p.push(expected(QUEST))
	x, hx := p.arm(lowest)
	p.want(COLON)
	_, none := x.(*NovalueExpr)
	if !none {
		p.turn(expected(COLON))
	}
	colon := p.expect(COLON)
	y, hy := p.arm(levelTernary)
	if n, ok := y.(*NovalueExpr); ok && none {
		// The reference accepts this and takes the tree of another expression (derived.md D4.6).
		p.fail(n.Rparen, "novalue() may appear at most once in a ternary expression")
	}
	p.pop()
	return &TernaryExpr{Cond: cond, Quest: quest, X: x, Colon: colon, Y: y}, max(hx, hy)
}

// arm parses one arm of a choice, the only place for novalue.
func (p *parser) arm(level int) (Expr, int) {
	if p.tok == "novalue" {
		return p.novalue(), 1
	}
	return p.expr(level)
}

func (p *parser) operand() (Expr, int) {
	switch p.tok {
	case LPAREN:
		return p.paren()
	case NAME:
		return p.metric()
	case INTEGER, DOUBLE:
		return p.constant(), 1
	case "mkconst":
		return p.mkconst(), 1
	case "avg", "count", "max", "min", "sum", "defined", "anon", "delta", "rate", "instant", "scalar":
		return p.call()
	case "rescale":
		return p.rescale()
	case "matchinst":
		return p.matchinst()
	}
	if p.tok.IsExtension() {
		return p.extension(&CallExpr{Fun: p.tok})
	}
	p.refuse()
	return nil, 0 // not reached
}

func (p *parser) paren() (Expr, int) {
	text := ""
	if p.pos == p.start {
		text = "Unexpected initial '('"
	}
	p.push(text)
	lparen := p.expect(LPAREN)
	x, h := p.expr(lowest)
	rparen := p.expect(RPAREN)
	p.pop()
	x = &ParenExpr{Lparen: lparen, X: x, Rparen: rparen}
	if p.tok == INSTNAME {
		return p.instance(x), h + 2
	}
	return x, h + 1
}

func (p *parser) metric() (Expr, int) {
	x := p.name()
	switch p.tok {
	case INSTNAME:
		return p.instance(x), 2
	case EOS, PLUS, MINUS, STAR, SLASH, QUEST, COLON, LPAREN, RPAREN, LT, LEQ, EQ, GEQ, GT, NEQ, AND, OR, COMMA:
	default:
		p.refuseWith("Arithmetic or relational or boolean operator expected to follow NAME")
	}
	return x, 1
}

func (p *parser) name() *MetricRef {
	p.want(NAME)
	x := &MetricRef{NamePos: p.pos, Name: p.lit}
	p.next()
	return x
}

func (p *parser) instance(x Expr) Expr {
	n := &InstExpr{X: x, Lbrack: p.pos, Name: p.lit, Rbrack: Pos(p.off - 1)}
	p.next()
	return n
}

func (p *parser) constant() Expr {
	var x Expr
	switch p.tok {
	case INTEGER:
		x = &IntLit{ValuePos: p.pos, Text: p.lit, Value: p.num}
	case DOUBLE:
		x = &FloatLit{ValuePos: p.pos, Text: p.lit, Value: float(p.lit)}
	default:
		p.refuse()
	}
	p.next()
	return x
}
