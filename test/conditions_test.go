package test

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// mostParts is how many parts a condition has of which a test reports that one does not hold.
const mostParts = 3

// TestConditions: a test that fails says which of its conditions did.
func TestConditions(t *testing.T) {
	t.Parallel()
	fset, dirs := testFiles(t)
	for s := range nodes[*ast.IfStmt](dirs) {
		if n := parts(s.Cond); n > mostParts && fails(s.Body) {
			t.Errorf("%v: a condition of %d parts: split it, so that a failure says which part", fset.Position(s.Pos()), n)
		}
	}
}

// parts returns how many conditions are joined by ||.
func parts(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return parts(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LOR {
			return parts(e.X) + parts(e.Y)
		}
	}
	return 1
}

// fails reports whether a block begins with a report of failure.
func fails(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	s, ok := b.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf"}, f.Sel.Name)
}
