// Package eval computes expressions over columns of values.
//
// [New] turns a checked tree into a [Plan], which does not change and may be shared by goroutines.
// A [State] evaluates its plan again and again, each time on the values of another fetch; it holds
// what must be remembered between two fetches, the previous samples for delta() and rate(), and
// belongs to one consumer.
//
//	state := eval.New(tree, info).NewState()
//	state.Eval(&eval.Input{Time: t, Columns: operands}, &result)
//
// Columns ([pcp.Values]) hold the instances of a metric side by side. Operators work on whole
// columns in loops for one type. After the first evaluations a steady expression allocates nothing.
package eval

import (
	"slices"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Plan is an expression that is ready to be evaluated. Nodes are in a flat list with operands
// before operators; each has a slot, a column of a State to write its values to. A slot is used
// again as soon as its values have been used, so that a long expression needs few of them.
type Plan struct {
	nodes  []node
	root   int
	consts []pcp.Values // single numbers
	slots  int
	hists  int // nodes with a previous sample
	caches int // nodes that remember instances
	shared int // nodes that are evaluated once
	spans  []span
	groups []grouping

	operands []pcp.ID // those of the columns of the input
}

type kind uint8

const (
	kNone      kind = iota // never a value
	kMetric                // column arg of the input
	kConst                 // constant number arg
	kConstEach             // word, for each instance of indom
	kBinary                // pair
	kNegate                //
	kNot                   //
	kAvg                   //
	kSum                   //
	kMin                   //
	kMax                   //
	kCount                 //
	kDelta                 // history number arg
	kRate                  // the same
	kScalar                //
	kInstant               //
	kRescale               // scaler
	kInst                  // filter; cache number arg
	kMatch                 // filter; cache number arg
	kSelect                // the value list of x: a static choice, if the condition c, unless it is -1, has values
	kTernary               // the condition c decides
	kTop                   // the instances of the arg largest values
	kBottom                // of the arg smallest values
	kQuantile              // at the share that word is
	kStddev                //
	kMath                  // math of one value
	kOver                  // span and window number arg; at the share that word is
	kGroup                 // grouping and memory number arg; at the share that word is
	kShared                // the values of x, which are worked out once; memory number arg
)

// A node is a part of an expression. The fields that matter depend on its kind. They are values where
// most expressions have them, so that the evaluation of a node reads one piece of memory, and pointers
// elsewhere, so that the nodes of many expressions stay in the cache of the processor.
type node struct {
	kind kind
	column
	x, y   int // operands
	arg    int
	word   uint64
	pair   pair
	change change
	choice
	filter *filter
	scaler *pcp.Scaler
	math   func(float64) float64
	strict bool // sum() and avg() of no values have none
}

// A column is the values of a node in a State.
type column struct {
	typ   pcp.Type
	indom pcp.InDom // null if the node is singular
	slot  int       // -1 for a node that never has values of its own
}

// singular reports whether there is at most one value, of no instance.
func (c *column) singular() bool { return c.indom == pcp.NullInDom }

// A pair is how an operator combines two operands.
type pair struct {
	op     op
	invert bool     // the sides are exchanged
	common pcp.Type // both operands are converted to it
	scale  *check.Scale
}

// A change is how delta() and rate() compare two samples.
type change struct {
	bare    bool    // the operand is a metric by itself
	counter bool    // rate(): values must not decrease
	factor  float64 // rate(): multiplies the difference
}

// A choice is how one of two arms is taken.
type choice struct {
	c          int  // the condition
	novX, novY bool // kTernary: that arm is novalue()
}

// A filter selects instances: the one of a name, or those whose names match, or do not.
type filter struct {
	name   string
	match  func(string) bool
	invert bool
}

// New plans a tree that check.Check has accepted with info.
func New(e syntax.Expr, info *check.Info) *Plan {
	p := planner{plan: &Plan{nodes: make([]node, 0, 2), operands: info.Operands}, info: info}
	if len(info.Operands) > fewOperands {
		p.column = make(map[pcp.ID]int, len(info.Operands))
		for i, id := range info.Operands {
			p.column[id] = i
		}
	}
	p.plan.root = p.add(e)
	return p.plan
}

type planner struct {
	plan   *Plan
	info   *check.Info
	column map[pcp.ID]int // positions in info.Operands, unless these are few
	free   []int          // slots
	nested map[syntax.Expr]int
}

// fewOperands are so few that they are searched faster than a table is made.
const fewOperands = 8

func (p *planner) alloc() int {
	if n := len(p.free); n > 0 {
		slot := p.free[n-1]
		p.free = p.free[:n-1]
		return slot
	}
	p.plan.slots++
	return p.plan.slots - 1
}

func (p *planner) release(nodes ...int) {
	for _, i := range nodes {
		if s := p.plan.nodes[i].slot; s >= 0 {
			p.free = append(p.free, s)
		}
	}
}

func (p *planner) push(n node) int {
	p.plan.nodes = append(p.plan.nodes, n)
	return len(p.plan.nodes) - 1
}

func (p *planner) add(e syntax.Expr) int {
	t := p.info.Types[e]
	n := node{column: column{typ: t.Type, indom: t.InDom, slot: -1}}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return p.add(e.X)
	case *syntax.NestExpr:
		return p.nest(e.X)
	case *syntax.MetricRef:
		return p.metric(e, n)
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr:
		return p.constant(e, n)
	case *syntax.UnaryExpr:
		n.kind = kNegate
		if e.Op == syntax.NOT {
			n.kind = kNot
		}
		return p.unary(n, e.X)
	case *syntax.BinaryExpr:
		return p.binary(e, n)
	case *syntax.TernaryExpr:
		return p.ternary(e, n)
	case *syntax.CallExpr:
		return p.call(e, n)
	case *syntax.RescaleExpr:
		n.kind = kRescale
		from := p.info.Types[e.X]
		scaler, _ := pcp.NewScaler(from.Type, from.Units, p.info.Rescale[e]) // the check has made one
		n.scaler = &scaler
		return p.unary(n, e.X)
	case *syntax.InstExpr:
		n.kind, n.filter = kInst, &filter{name: e.Name}
		n.arg, p.plan.caches = p.plan.caches, p.plan.caches+1
		return p.unary(n, e.X)
	case *syntax.MatchInstExpr:
		n.kind, n.filter = kMatch, &filter{match: p.info.Patterns[e], invert: e.NotPos >= 0}
		n.arg, p.plan.caches = p.plan.caches, p.plan.caches+1
		return p.unary(n, e.X)
	}
	return p.push(n) // novalue()
}

// nest appends a definition that may stand in the expression several times. It is evaluated once,
// in a slot that is not used again, unless it remembers samples before: whether these are
// updated depends on where it stands.
func (p *planner) nest(x syntax.Expr) int {
	if i, ok := p.nested[x]; ok {
		return i
	}
	before := p.plan.hists + len(p.plan.spans)
	i := p.add(x)
	inner := &p.plan.nodes[i]
	if p.plan.hists+len(p.plan.spans) > before || inner.slot < 0 || inner.kind == kMetric || inner.kind == kConstEach {
		return i
	}
	if p.nested == nil {
		p.nested = make(map[syntax.Expr]int)
	}
	p.nested[x] = p.push(node{kind: kShared, column: column{inner.typ, inner.indom, -1}, x: i, arg: p.plan.shared})
	p.plan.shared++
	return p.nested[x]
}

// metric appends an operand, which has its values in the input. It gets a slot only for columns
// that need repair.
func (p *planner) metric(e *syntax.MetricRef, n node) int {
	if d, ok := p.info.Metrics[e]; ok {
		i, ok := p.column[d.ID]
		if p.column == nil {
			i = slices.Index(p.info.Operands, d.ID)
			ok = i >= 0
		}
		if ok {
			n.kind, n.arg, n.slot = kMetric, i, p.alloc()
		}
	}
	return p.push(n)
}

func (p *planner) constant(e syntax.Expr, n node) int {
	if v := p.info.Consts[e]; v.IsSet() {
		return p.number(n, v.Word())
	}
	return p.push(n)
}

// number appends a constant: one number, whose values do not change, or one for each instance that there is.
func (p *planner) number(n node, word uint64) int {
	n.word = word
	if !n.singular() {
		n.kind, n.slot = kConstEach, p.alloc()
		return p.push(n)
	}
	n.kind, n.arg = kConst, len(p.plan.consts)
	v := pcp.Values{Type: n.typ}
	repeat(&v, &n, pcp.NullInst)
	p.plan.consts = append(p.plan.consts, v)
	return p.push(n)
}

// unary appends a node with one operand. The memory of the operand may be reused while the result
// is written.
func (p *planner) unary(n node, operand syntax.Expr) int {
	n.x = p.add(operand)
	n.slot = p.alloc()
	p.release(n.x)
	return p.push(n)
}

// functions has the kinds of functions; those of one value are in mathFunction.
var functions = [...]struct {
	fun  syntax.Token
	kind kind
}{
	{"avg", kAvg}, {"sum", kSum}, {"min", kMin}, {"max", kMax}, {"count", kCount},
	{"scalar", kScalar}, {"instant", kInstant}, {"delta", kDelta}, {"rate", kRate},
	{"topn", kTop}, {"bottomn", kBottom}, {"quantile", kQuantile}, {"median", kQuantile}, {"stddev", kStddev},
}

func (p *planner) call(e *syntax.CallExpr, n node) int {
	for i := range functions {
		if functions[i].fun == e.Fun {
			n.kind = functions[i].kind
		}
	}
	switch e.Fun {
	case "defined":
		word := uint64(0)
		if p.info.Defined[e] {
			word = 1
		}
		return p.number(n, word)
	case "anon":
		return p.push(n)
	case "instant":
		return p.same(n, e.X)
	case "delta", "rate":
		p.history(&n, e.X)
	default:
		p.extension(&n, e)
	}
	if e.Over != nil {
		n.kind = kOver
		p.over(&n, e)
	}
	if e.By != nil {
		p.groups(&n, e)
	}
	return p.unary(n, e.X)
}

// history completes a node that remembers the sample before.
func (p *planner) history(n *node, operand syntax.Expr) {
	n.arg, p.plan.hists = p.plan.hists, p.plan.hists+1
	operand = syntax.Unparen(operand)
	_, n.change.bare = operand.(*syntax.MetricRef)
	t := p.info.Types[operand]
	n.change.counter = t.Sem == pcp.Counter && t.Type != pcp.Int32
	n.change.factor = check.TimeFactor(t.Units)
}

// ternary appends a choice. If the condition is known, the plan leaves the other arm out; the
// condition itself has, as the reference gives no values as long as it has none.
func (p *planner) ternary(e *syntax.TernaryExpr, n node) int {
	if choice := p.info.Choices[e]; choice != check.NotStatic {
		n.kind, n.c = kSelect, -1
		if _, checked := p.info.Types[e.Cond]; checked && !p.steady(e.Cond) {
			n.c = p.add(e.Cond)
			p.release(n.c)
		}
		if choice == check.Left {
			return p.same(n, e.X)
		}
		return p.same(n, e.Y)
	}
	n.kind = kTernary
	n.novX, n.novY = p.info.Novalue(e.X), p.info.Novalue(e.Y)
	n.c, n.x, n.y = p.add(e.Cond), p.add(e.X), p.add(e.Y)
	n.slot = p.alloc()
	p.release(n.c, n.x, n.y)
	return p.push(n)
}

// steady reports whether a condition has a value at any time, being made of numbers and defined().
func (p *planner) steady(e syntax.Expr) bool {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.IntLit, *syntax.FloatLit:
		return true
	case *syntax.ConstExpr:
		return p.info.Types[e].Singular() && p.info.Consts[e].IsSet()
	case *syntax.CallExpr:
		return e.Fun == "defined"
	case *syntax.UnaryExpr:
		return p.steady(e.X)
	case *syntax.BinaryExpr:
		return p.steady(e.X) && p.steady(e.Y)
	}
	return false
}

// same appends a node whose values are those of its operand, in the operand's slot.
func (p *planner) same(n node, operand syntax.Expr) int {
	n.x = p.add(operand)
	n.slot = p.plan.nodes[n.x].slot
	return p.push(n)
}
