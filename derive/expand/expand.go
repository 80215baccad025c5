// Package expand puts the expressions of derived metrics in the place of their names, which the
// language of derived metrics forbids.
//
//	e := expand.New(definitions.find)
//	expr, err := e.Expand(definition)
//
// Sizes are counted before trees grow: an expression that would be too large is refused.
package expand

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

const maxNested = 1000

// A definition is a pointer to a derived metric; nil is none.
type definition interface {
	comparable
	Name() string
	Expr() syntax.Expr
	String() string // the text of the expression
}

// An Expander expands definitions of type D, each of them once: its tree is shared by all expressions
// that it stands in. An Expander may not be shared by goroutines.
type Expander[D definition] struct {
	find func(name string) D
	done map[D]*expansion[D]
	none D
}

// New returns an Expander that has expanded nothing yet. For the name of an operand find returns the
// definition that takes its place, or nil if the name stands for itself.
func New[D definition](find func(name string) D) *Expander[D] {
	return &Expander[D]{find: find, done: make(map[D]*expansion[D])}
}

// An expansion is a definition with those in it that it mentions.
type expansion[D definition] struct {
	def  D
	refs []*syntax.MetricRef // operands in whose place definitions stand
	next int                 // of refs, to be expanded
	busy bool

	expr   syntax.Expr
	shape  syntax.Shape
	length int // of the text
	levels int // of definitions inside each other
	err    *check.Error
	limit  bool // err is about the size; it has the same words for every definition above
}

// Expand returns the expression of a definition with NestExprs in it. The error is a *check.Error.
func (e *Expander[D]) Expand(d D) (syntax.Expr, error) {
	if e.done[d] == nil {
		e.expand(d)
	}
	if x := e.done[d]; x.err != nil {
		return nil, x.err
	}
	return e.done[d].expr, nil
}

// expand expands a definition, those first that it mentions. There is no recursion over
// definitions, as they may be nested without bounds.
func (e *Expander[D]) expand(d D) {
	for stack := []*expansion[D]{e.begin(d)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		if top.err != nil || top.next == len(top.refs) {
			e.finish(top)
			stack = stack[:len(stack)-1]
			continue
		}
		inner := e.find(top.refs[top.next].Name)
		top.next++
		switch x := e.done[inner]; {
		case x == nil:
			stack = append(stack, e.begin(inner))
		case x.busy:
			refuseCycle(stack[slices.Index(stack, x):])
		}
	}
}

func (e *Expander[D]) begin(d D) *expansion[D] {
	x := &expansion[D]{def: d, busy: true, length: len(d.String())}
	e.done[d] = x
	var skip syntax.Node
	for node := range syntax.Preorder(d.Expr()) {
		switch node := node.(type) {
		case *syntax.CallExpr:
			ref, ok := node.X.(*syntax.MetricRef)
			if !ok || node.Operand() != nil {
				continue
			}
			skip = ref
			if node.Fun != "anon" && e.find(ref.Name) != e.none && x.err == nil {
				x.refuse(ref, fmt.Sprintf("%s() takes the name of a metric and no expression, and %s is a derived metric",
					node.Fun.Symbol(), ref.Name))
			}
		case *syntax.MetricRef:
			if node != skip && e.find(node.Name) != e.none {
				x.refs = append(x.refs, node)
			}
		}
	}
	return x
}

// finish makes the tree of a definition when those in it have theirs.
func (e *Expander[D]) finish(x *expansion[D]) {
	x.busy = false
	if x.err != nil {
		return
	}
	for _, ref := range x.refs {
		if inner := e.done[e.find(ref.Name)]; inner != nil {
			x.levels = max(x.levels, inner.levels+1)
			switch {
			case x.err != nil:
			case x.levels > maxNested:
				x.refuse(ref, fmt.Sprintf("definitions are nested too deeply: more than %d inside each other", maxNested))
				x.limit = true
			case inner.limit:
				x.refuse(ref, inner.err.Text)
				x.limit = true
			case inner.err != nil:
				x.err = inner.err.Inside(ref)
			}
		}
	}
	if x.err != nil {
		return
	}
	x.expr, x.shape = syntax.Nest(x.def.Expr(), func(ref *syntax.MetricRef) (syntax.Expr, syntax.Shape) {
		d := e.find(ref.Name)
		if d == e.none {
			return nil, syntax.Shape{}
		}
		inner := e.done[d]
		x.length = min(x.length+inner.length+len("()")-len(ref.Name), syntax.MaxLen+1)
		return inner.expr, inner.shape
	})
	x.limit = true // what is too large stays too large inside others
	switch {
	case x.length > syntax.MaxLen:
		x.refuse(x.refs[0], fmt.Sprintf("the expanded expression is too long: more than %d bytes", syntax.MaxLen))
	case x.shape.Depth > syntax.MaxDepth, x.shape.Height > syntax.MaxHeight:
		x.refuse(x.refs[0], fmt.Sprintf("the expanded expression is too deep: more than %d operators or parentheses inside each other", syntax.MaxDepth))
	default:
		x.limit = false
	}
}

// refuse reports an operand as the mistake in a definition.
func (x *expansion[D]) refuse(ref *syntax.MetricRef, text string, notes ...string) {
	x.err = &check.Error{Pos: ref.NamePos, What: "nested " + ref.Name, Text: text, Notes: notes}
}

const maxCycle = 20

// refuseCycle refuses definitions of which each mentions the next and the last one the first.
func refuseCycle[D definition](list []*expansion[D]) {
	var names []string
	for _, x := range list {
		names = append(names, x.def.Name())
	}
	for i, x := range list {
		cycle := append(append(slices.Clone(names[i:min(len(names), i+maxCycle)]), names[:min(i, max(0, i+maxCycle-len(names)))]...), x.def.Name())
		if len(names) > maxCycle {
			cycle = slices.Insert(cycle, maxCycle, "...")
		}
		x.refuse(x.refs[x.next-1], x.def.Name()+" is defined by itself", strings.Join(cycle, " -> "))
	}
}

// Names returns the names in an expanded expression in whose places expressions stand, each once,
// in the order of their first appearance.
func Names(x syntax.Expr) []string {
	var names []string
	var seen map[syntax.Expr]bool // most expressions have no definitions in them
	syntax.Walk(x, func(node syntax.Node) bool {
		n, ok := node.(*syntax.NestExpr)
		if ok && !seen[n.X] {
			if seen == nil {
				seen = make(map[syntax.Expr]bool)
			}
			seen[n.X] = true
			names = append(names, n.Ref.Name)
			return true
		}
		return !ok
	})
	return names
}
