// Package syntax holds the expression language of derived metrics: tokens, scanner, tree, parser
// and printer, and the reader of the configuration files that define such metrics.
//
// A caller meets [Config.Parse] first. It turns the text of one expression into an [Expr], or gives
// an [*Error] with the offset and the text that Performance Co-Pilot itself gives. [Walk] and
// [Preorder] visit a tree, [Print] writes it as text that parses to the same tree.
//
// [Chunks] splits a configuration file into definitions, attributes and control
// lines. It does not parse the expressions: their errors are to be reported together with those of
// registration, by the package that keeps the names.
//
// An [Error] has a position but no source. [Snippet] draws the two for people; [Caret] and
// [CaretOffset] draw them byte for byte as the reference does. The grammar is in grammar.txt beside
// the code.
//
// Nothing here does input or output, and nothing is shared: every function may be called from any
// goroutine, and a tree that is no longer written to may be read by many.
package syntax

// Pos is a byte offset into the text of an expression. It is -1 for the place before an empty text.
type Pos int

// Node is any part of a tree: an [Expr] or a [*Spec].
type Node interface {
	// Span returns the offsets of the node's first byte and of the byte after its last one.
	Span() (start, end Pos)
}

// Expr is a node that has a value. The set of its implementations is closed.
type Expr interface {
	Node
	expr()
}

// A MetricRef is the name of a metric.
type MetricRef struct {
	NamePos Pos
	Name    string
}

// An IntLit is an unsigned decimal number of 32 bits.
type IntLit struct {
	ValuePos Pos
	Text     string
	Value    uint32
}

// A FloatLit is a number with a decimal point.
type FloatLit struct {
	ValuePos Pos
	Text     string
	Value    float64
}

// A ParenExpr is an expression in parentheses.
type ParenExpr struct {
	Lparen Pos
	X      Expr
	Rparen Pos
}

// A UnaryExpr is a negation; Op is MINUS or NOT.
type UnaryExpr struct {
	OpPos Pos
	Op    Token
	X     Expr
}

// A BinaryExpr is two operands and an operator between them, or in the extended language a function
// of two operands: Op is MAX, MIN or POW then and OpPos that of its name. clamp(x, y, z) is a CLAMP of
// the MAX of x and y, and z.
type BinaryExpr struct {
	X     Expr
	OpPos Pos
	Op    Token
	Y     Expr
	End   Pos // of a function, after its parenthesis
}

// A TernaryExpr is a choice. Either X or Y, but not both, may be a [*NovalueExpr].
type TernaryExpr struct {
	Cond  Expr
	Quest Pos
	X     Expr
	Colon Pos
	Y     Expr
}

// An InstExpr selects one instance. X is a [*MetricRef] or a [*ParenExpr]; Name has its backslashes
// removed.
type InstExpr struct {
	X      Expr
	Lbrack Pos
	Name   string
	Rbrack Pos
}

// A CallExpr is a call of a function with one operand. Fun is one of AVG, COUNT, MAX, MIN, SUM,
// DEFINED and ANON, whose X is a [*MetricRef], or one of DELTA, RATE, INSTANT and SCALAR. In the
// extended language X is a [*MetricRef] only for DEFINED and ANON, and there are more functions, of
// which BOTTOMN, QUANTILE, QUANTILEOVER and TOPN have a number before their operand, and those over time
// an interval after it. By stands after the parenthesis.
type CallExpr struct {
	FunPos Pos
	Fun    Token
	Lparen Pos
	N      Expr // nil, or an [*IntLit] or [*FloatLit]
	X      Expr
	Over   *Interval // nil but for functions over time
	Rparen Pos
	By     *Grouping // nil for no groups

	Extended bool // it was read in the extended language
}

// An Interval is how far a function over time looks back.
type Interval struct {
	Pos         Pos
	Text        string // a number and a unit without a blank, such as 5min
	Nanoseconds int64  // more than 0
}

// A Grouping is the labels after by: a function of instances has a value for each group of instances in
// which they are equal.
type Grouping struct {
	ByPos, Lparen Pos
	Labels        []Label
	Rparen        Pos
}

// A Label is the name of a label.
type Label struct {
	Pos  Pos
	Name string
}

// Names returns the names of the labels.
func (g *Grouping) Names() []string {
	list := make([]string, len(g.Labels))
	for i, l := range g.Labels {
		list[i] = l.Name
	}
	return list
}

// A RescaleExpr converts X to other units.
type RescaleExpr struct {
	FunPos, Lparen Pos
	X              Expr
	UnitsPos       Pos // of the opening quote
	Units          string
	Rparen         Pos
}

// A MatchInstExpr keeps the instances whose names match a pattern, or those whose names do not.
type MatchInstExpr struct {
	FunPos, Lparen Pos
	NotPos         Pos    // -1 if there is no '!'
	PatternPos     Pos    // of the opening '/'
	Pattern        string // without one level of backslashes
	X              Expr
	Rparen         Pos
}

// A ConstExpr is a call of mkconst: a number with metadata. X is an [*IntLit] or a [*FloatLit].
type ConstExpr struct {
	FunPos, Lparen Pos
	X              Expr
	Specs          []*Spec
	Rparen         Pos
}

// A NovalueExpr is an arm of a choice that has metadata but never a value.
type NovalueExpr struct {
	FunPos, Lparen Pos
	Specs          []*Spec
	Rparen         Pos
}

// A Spec is one item of metadata. If several have the same tag, the last one counts.
type Spec struct {
	TagPos   Pos
	Tag      Token // TYPE, SEMANTICS, UNITS, INDOM or META
	ValuePos Pos   // of the opening quote, if there is one
	Value    string
	Quoted   bool // the value stands in quotes
}

func (*MetricRef) expr()     {}
func (*IntLit) expr()        {}
func (*FloatLit) expr()      {}
func (*ParenExpr) expr()     {}
func (*UnaryExpr) expr()     {}
func (*BinaryExpr) expr()    {}
func (*TernaryExpr) expr()   {}
func (*InstExpr) expr()      {}
func (*CallExpr) expr()      {}
func (*RescaleExpr) expr()   {}
func (*MatchInstExpr) expr() {}
func (*ConstExpr) expr()     {}
func (*NovalueExpr) expr()   {}

func (x *MetricRef) Span() (start, end Pos)     { return x.NamePos, x.NamePos + Pos(len(x.Name)) }
func (x *IntLit) Span() (start, end Pos)        { return x.ValuePos, x.ValuePos + Pos(len(x.Text)) }
func (x *FloatLit) Span() (start, end Pos)      { return x.ValuePos, x.ValuePos + Pos(len(x.Text)) }
func (x *ParenExpr) Span() (start, end Pos)     { return x.Lparen, x.Rparen + 1 }
func (x *UnaryExpr) Span() (start, end Pos)     { return x.OpPos, last(x.X) }
func (x *BinaryExpr) Span() (start, end Pos)    { return first(x), last(x) }
func (x *TernaryExpr) Span() (start, end Pos)   { return first(x), last(x.Y) }
func (x *InstExpr) Span() (start, end Pos)      { return first(x.X), x.Rbrack + 1 }
func (x *RescaleExpr) Span() (start, end Pos)   { return x.FunPos, x.Rparen + 1 }
func (x *MatchInstExpr) Span() (start, end Pos) { return x.FunPos, x.Rparen + 1 }
func (x *ConstExpr) Span() (start, end Pos)     { return x.FunPos, x.Rparen + 1 }
func (x *NovalueExpr) Span() (start, end Pos)   { return x.FunPos, x.Rparen + 1 }

// Span implements [Node].
func (x *CallExpr) Span() (start, end Pos) {
	if x.By != nil {
		return x.FunPos, x.By.Rparen + 1
	}
	return x.FunPos, x.Rparen + 1
}

// Span implements [Node].
func (s *Spec) Span() (start, end Pos) {
	end = s.ValuePos + Pos(len(s.Value))
	if s.Quoted {
		end += 2
	}
	return s.TagPos, end
}

// last returns the end of an expression without working out where it starts.
func last(x Expr) Pos {
	for {
		switch n := x.(type) {
		case *BinaryExpr:
			if n.Op.IsFunction() {
				return n.End
			}
			x = n.Y
		case *TernaryExpr:
			x = n.Y
		case *UnaryExpr:
			x = n.X
		default:
			_, end := x.Span()
			return end
		}
	}
}

// first returns the start of an expression without working out the ends of the operands on the way
// down a long chain.
func first(x Expr) Pos {
	for {
		switch n := x.(type) {
		case *BinaryExpr:
			if n.Op.IsFunction() {
				return n.OpPos
			}
			x = n.X
		case *TernaryExpr:
			x = n.Cond
		default:
			start, _ := x.Span()
			return start
		}
	}
}
