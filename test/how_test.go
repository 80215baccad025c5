package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"strings"
	"testing"
)

// walkStep matches a link to a file of Go, and a function in docs/how-it-works.md.
var walkStep = regexp.MustCompile("\\[([a-z/_]+\\.go)\\]\\(\\.\\./([a-z/_]+\\.go)\\)|`([A-Za-z.]+)\\(\\)`")

// TestHowItWorks: docs/how-it-works.md has two walks of at most twelve steps, and each function that it
// names is in the file that it names last.
func TestHowItWorks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/how-it-works.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walks, _ := strings.Cut(string(text), "\n## ")
	for walk := range strings.SplitSeq(walks, "\n## ") {
		title, _, _ := strings.Cut(walk, "\n")
		if n := len(regexp.MustCompile(`(?m)^\d+\. \*\*`).FindAllString(walk, -1)); n < 8 || n > 12 {
			t.Errorf("%s has %d steps", title, n)
		}
		var file string
		var has map[string]bool
		for _, m := range walkStep.FindAllStringSubmatch(walk, -1) {
			switch {
			case m[1] != m[2]:
				t.Errorf("%s: the link %s leads to %s", title, m[1], m[2])
			case m[1] != "":
				file, has = m[1], functionsOf(t, "../"+m[1])
			case !has[m[3]]:
				t.Errorf("%s: %s has no function %s", title, file, m[3])
			}
		}
	}
}

// functionsOf returns the names of the functions in a file, those of methods with their types.
func functionsOf(t *testing.T, name string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	has := make(map[string]bool)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
			has[f.Name.Name] = true
		} else if ok {
			has[strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*")+"."+f.Name.Name] = true
		}
	}
	return has
}
