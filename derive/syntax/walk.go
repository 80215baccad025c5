package syntax

import (
	"fmt"
	"iter"
)

// Walk visits a tree depth first, a node before its children and these in the order of the text. It
// calls f for each node; where f gives false the children are left out. A nil n is no tree and
// nothing is visited.
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	switch n := n.(type) {
	case *MetricRef, *IntLit, *FloatLit, *Spec:
	case *ParenExpr:
		Walk(n.X, f)
	case *NestExpr:
		Walk(n.X, f)
	case *UnaryExpr:
		Walk(n.X, f)
	case *BinaryExpr:
		Walk(n.X, f)
		Walk(n.Y, f)
	case *TernaryExpr:
		Walk(n.Cond, f)
		Walk(n.X, f)
		Walk(n.Y, f)
	case *InstExpr:
		Walk(n.X, f)
	case *CallExpr:
		Walk(n.X, f)
	case *RescaleExpr:
		Walk(n.X, f)
	case *MatchInstExpr:
		Walk(n.X, f)
	case *ConstExpr:
		Walk(n.X, f)
		walkSpecs(n.Specs, f)
	case *NovalueExpr:
		walkSpecs(n.Specs, f)
	default:
		panic(fmt.Sprintf("syntax.Walk: unexpected node %T", n))
	}
}

func walkSpecs(specs []*Spec, f func(Node) bool) {
	for _, s := range specs {
		Walk(s, f)
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
