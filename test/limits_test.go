package test

import (
	"go/ast"
	"go/token"
	"strconv"
	"testing"
	"time"
)

// patience is what a test waits for at least before it fails: machines are loaded.
const patience = 30 * time.Second

// TestLimits: no test fails because a machine is slow. A limit of less than patience belongs into
// testing/synctest, whose clock does not run while anything works.
func TestLimits(t *testing.T) {
	t.Parallel()
	fset, dirs := testFiles(t)
	for _, files := range dirs {
		for _, f := range files {
			if imports(f, "testing/synctest") {
				continue
			}
			measured := durations(f)
			for n := range ast.Preorder(f) {
				if d := limit(n, measured); d > 0 && d < patience {
					t.Errorf("%v: a limit of %v, want %v", fset.Position(n.Pos()), d, patience)
				}
			}
		}
	}
}

// imports reports whether a file imports a package.
func imports(f *ast.File, path string) bool {
	for _, i := range f.Imports {
		if i.Path.Value == strconv.Quote(path) {
			return true
		}
	}
	return false
}

// durations returns the variables of a file that hold how long something took.
func durations(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	for n := range ast.Preorder(f) {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Rhs) == 1 && isCall(s.Rhs[0], "Since") {
			if name, ok := s.Lhs[0].(*ast.Ident); ok {
				names[name.Name] = true
			}
		}
	}
	return names
}

// isCall reports whether an expression calls a function of package time.
func isCall(e ast.Expr, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != name {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && pkg.Name == "time"
}

// limit returns the time after which a test fails at a node, or 0: how long it took is compared, or
// time.After is waited for, or so many naps.
func limit(n ast.Node, measured map[string]bool) time.Duration {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if name, ok := n.X.(*ast.Ident); n.Op == token.GTR && (ok && measured[name.Name] || isCall(n.X, "Since")) {
			return duration(n.Y)
		}
	case *ast.CommClause:
		if s, ok := n.Comm.(*ast.ExprStmt); ok && len(n.Body) > 0 {
			if from, ok := s.X.(*ast.UnaryExpr); ok && isCall(from.X, "After") {
				return duration(from.X.(*ast.CallExpr).Args[0])
			}
		}
	case *ast.RangeStmt:
		times := number(n.X)
		for _, s := range n.Body.List {
			if s, ok := s.(*ast.ExprStmt); ok && times > 50 && isCall(s.X, "Sleep") {
				return time.Duration(times) * duration(s.X.(*ast.CallExpr).Args[0])
			}
		}
	}
	return 0
}

// duration returns a number of time's units, or 0 for another expression.
func duration(e ast.Expr) time.Duration {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.MUL {
			return time.Duration(number(e.X)) * duration(e.Y)
		}
	case *ast.SelectorExpr:
		return map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}[e.Sel.Name]
	}
	return 0
}

// number returns an integer literal, or 0 for another expression.
func number(e ast.Expr) int {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.INT {
		n, _ := strconv.Atoi(lit.Value)
		return n
	}
	return 0
}
