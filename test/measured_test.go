package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMeasured: the tests and benchmarks that docs name beside their figures exist.
func TestMeasured(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`go test \./(\S+) (.*)`)
	name := regexp.MustCompile(`-(run|bench) '?([A-Z]\w+)`)
	found := 0
	for _, doc := range []string{"scale.md", "push.md"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range command.FindAllStringSubmatch(string(text), -1) {
			code := ""
			files, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(c[1]), "*_test.go"))
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				code += string(text)
			}
			for _, n := range name.FindAllStringSubmatch(c[2], -1) {
				found++
				want := "func " + n[2]
				if n[1] == "bench" {
					want = "func Benchmark" + n[2]
				}
				if !strings.Contains(code, want) {
					t.Errorf("docs/%s: %s: there is no %s", doc, c[0], want)
				}
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d names", found)
	}
}
