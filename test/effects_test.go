package test

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"
)

// TestEffects: no argument of cmp.Or is a call that can fail. cmp.Or evaluates all of its arguments: a
// call that should only follow the success of another one would be made after its failure, too. Calls
// are statements of their own, and cmp.Or chooses among the errors that they returned.
func TestEffects(t *testing.T) {
	t.Parallel()
	fset, dirs := goFiles(t, func(name string) bool { return strings.HasSuffix(name, ".go") }, "cmd", "derive", "internal", "lib", "test")
	fails := map[string]bool{"Chmod": true, "Mkdir": true, "MkdirAll": true, "Munmap": true, "Remove": true, "RemoveAll": true, "Rename": true, "Symlink": true, "WriteFile": true}
	for f := range nodes[*ast.FuncDecl](dirs) {
		fails[f.Name.Name] = fails[f.Name.Name] || onlyFails(f.Type)
	}
	for field := range nodes[*ast.Field](dirs) { // parameters and fields that hold functions, and methods of interfaces
		for _, name := range field.Names {
			fails[name.Name] = fails[name.Name] || onlyFails(field.Type)
		}
	}
	for _, name := range []string{"Err", "Error", "Errorf", "compare", "failed", "text"} { // these describe a failure, or share their name with one that fails
		fails[name] = false
	}
	for call := range nodes[*ast.CallExpr](dirs) {
		if name, _ := called(call); name != "cmp.Or" {
			continue
		}
		for _, arg := range call.Args {
			if c, ok := arg.(*ast.CallExpr); ok {
				if full, name := called(c); fails[name] {
					t.Errorf("%v: %s can fail: let it be a statement of its own", fset.Position(c.Pos()), full)
				}
			}
		}
	}
}

// TestFirstError: the first of several errors is chosen by cmp.Or, not by hand.
func TestFirstError(t *testing.T) {
	t.Parallel()
	fset, dirs := goFiles(t, func(name string) bool { return strings.HasSuffix(name, ".go") }, "cmd", "derive", "internal", "lib", "test")
	for s := range nodes[*ast.IfStmt](dirs) {
		cond, ok := s.Cond.(*ast.BinaryExpr)
		if !ok || cond.Op != token.EQL || s.Else != nil || len(s.Body.List) != 1 {
			continue
		}
		set, ok := s.Body.List[0].(*ast.AssignStmt)
		if !ok || len(set.Lhs) != 1 || types.ExprString(cond.Y) != "nil" || types.ExprString(cond.X) != types.ExprString(set.Lhs[0]) {
			continue
		}
		name := types.ExprString(set.Lhs[0])
		if from, ok := set.Rhs[0].(*ast.Ident); ok && errorName.MatchString(name[strings.LastIndexByte(name, '.')+1:]) {
			t.Errorf("%v: write %s = cmp.Or(%s, %s)", fset.Position(s.Pos()), name, name, from.Name)
		}
	}
}

// errorName matches the names of variables that have an error.
var errorName = regexp.MustCompile(`(?i)err|^(bad|failed|first|gone|lost|late)$`)

// onlyFails reports whether an expression is the type of a function whose only result is an error.
func onlyFails(e ast.Expr) bool {
	f, ok := e.(*ast.FuncType)
	if !ok || f.Results.NumFields() != 1 {
		return false
	}
	result, ok := f.Results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "error"
}

// called returns the name of the function that is called, as it stands there and without what precedes the last dot.
func called(call *ast.CallExpr) (full, name string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name, f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name, f.Sel.Name
		}
		return f.Sel.Name, f.Sel.Name
	}
	return "", ""
}
