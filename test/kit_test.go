package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testFiles returns the test files of each directory, those of modules of their own too.
func testFiles(t *testing.T) (fset *token.FileSet, dirs map[string][]*ast.File) {
	t.Helper()
	isTest := func(name string) bool { return strings.HasSuffix(name, "_test.go") }
	return goFiles(t, isTest, "cmd", "derive", "internal", "lib", "test")
}

// goFiles returns the files of each directory below some that have a name as wanted.
func goFiles(t *testing.T, wanted func(name string) bool, tops ...string) (fset *token.FileSet, dirs map[string][]*ast.File) {
	t.Helper()
	fset, dirs = token.NewFileSet(), make(map[string][]*ast.File)
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join("..", top), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "testdata":
				return fs.SkipDir
			case !wanted(name):
				return nil
			}
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution|parser.ParseComments)
			dirs[filepath.Dir(name)] = append(dirs[filepath.Dir(name)], f)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fset, dirs
}

// TestEnvironment: no test sees the environment that go test was started in. Only the go tool does,
// which has its cache and its modules there.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	fset, dirs := testFiles(t)
	for dir, files := range dirs {
		if !slices.ContainsFunc(files, func(f *ast.File) bool {
			return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"pmtools/test/env"` })
		}) && dir != filepath.Join("..", "test", "env") {
			t.Errorf(`%s: its tests run in anybody's environment: let one of them import _ "pmtools/test/env"`, dir)
		}
	}
	for call := range nodes[*ast.CallExpr](dirs) {
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Command" && len(call.Args) > 0 {
			if arg, ok := call.Args[0].(*ast.BasicLit); ok && arg.Value == `"go"` {
				t.Errorf("%v: use env.Go", fset.Position(call.Pos()))
			}
		}
	}
}

// nodes yields the nodes of one type.
func nodes[N ast.Node](dirs map[string][]*ast.File) func(yield func(N) bool) {
	return func(yield func(N) bool) {
		for _, dir := range slices.Sorted(maps.Keys(dirs)) {
			for _, f := range dirs[dir] {
				for n := range ast.Preorder(f) {
					if n, ok := n.(N); ok && !yield(n) {
						return
					}
				}
			}
		}
	}
}
