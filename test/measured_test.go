package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMeasured: the tests, benchmarks and parts of make measure that docs name beside their figures exist.
func TestMeasured(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`go test \./(\S+) (.*)`)
	name := regexp.MustCompile(`-(run|bench) '?([A-Z]\w+)`)
	part := regexp.MustCompile(`make measure PARTS=(\w+)`)
	script, err := os.ReadFile(filepath.Join("peer", "measure"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, doc := range []string{"scale.md", "sql.md", "push.md"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range part.FindAllStringSubmatch(string(text), -1) {
			if found++; !strings.Contains(string(script), "\n"+c[1]+"() {\n") {
				t.Errorf("docs/%s: %s: test/peer/measure has no such part", doc, c[0])
			}
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
	if found < 12 {
		t.Errorf("only %d names", found)
	}
}
