package syntax

import (
	"fmt"
	"iter"
)

// Operands returns the places of a node's operands in the order of the text; those after the last
// are nil.
func Operands(n Node) (list [3]*Expr) {
	switch n := n.(type) {
	case *MetricRef, *IntLit, *FloatLit, *NovalueExpr, *Spec:
	case *ParenExpr:
		list[0] = &n.X
	case *NestExpr:
		list[0] = &n.X
	case *UnaryExpr:
		list[0] = &n.X
	case *BinaryExpr:
		list[0], list[1] = &n.X, &n.Y
	case *TernaryExpr:
		list[0], list[1], list[2] = &n.Cond, &n.X, &n.Y
	case *InstExpr:
		list[0] = &n.X
	case *CallExpr:
		if list[0] = &n.X; n.N != nil {
			list[0], list[1] = &n.N, &n.X
		}
	case *RescaleExpr:
		list[0] = &n.X
	case *MatchInstExpr:
		list[0] = &n.X
	case *ConstExpr:
		list[0] = &n.X
	default:
		panic(fmt.Sprintf("syntax.Walk: unexpected node %T", n))
	}
	return list
}

// Specs returns the metadata of a constant, nil for other nodes.
func Specs(n Node) []*Spec {
	switch n := n.(type) {
	case *ConstExpr:
		return n.Specs
	case *NovalueExpr:
		return n.Specs
	}
	return nil
}

// Walk visits a tree depth first, a node before its children and these in the order of the text. It
// calls f for each node; where f gives false the children are left out. A nil n is no tree and
// nothing is visited.
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, x := range Operands(n) {
		if x != nil {
			Walk(*x, f)
		}
	}
	for _, s := range Specs(n) {
		Walk(s, f)
	}
}

// At returns the smallest expression that a byte is in, or nil. Of a definition that stands in the place of a
// name it returns all: its parts have positions of another text.
func At(x Expr, pos Pos) (found Expr) {
	Walk(x, func(n Node) bool {
		e, ok := n.(Expr)
		if !ok {
			return false
		}
		start, end := e.Span()
		inside := start <= pos && pos < end
		if inside {
			found = e
		}
		_, other := e.(*NestExpr)
		return inside && !other
	})
	return found
}

// Mentions returns the names of metrics in a tree with their places: operands, and those of meta=.
func Mentions(n Node) iter.Seq2[string, Pos] {
	return func(yield func(string, Pos) bool) {
		for n := range Preorder(n) {
			more := true
			switch n := n.(type) {
			case *MetricRef:
				more = yield(n.Name, n.NamePos)
			case *Spec:
				more = n.Tag != META || yield(n.Value, n.ValuePos)
			}
			if !more {
				return
			}
		}
	}
}

// Preorder returns the nodes of a tree in the order of [Walk].
func Preorder(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		more := true
		Walk(n, func(n Node) bool {
			more = more && yield(n)
			return more
		})
	}
}
