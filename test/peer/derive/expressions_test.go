package derive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// An expression is a line of cases/expressions.txt.
type expression struct{ archive, text string }

// readExpressions reads the file of expressions; each archive is a path.
func readExpressions(t *testing.T, root string) []expression {
	t.Helper()
	text, err := os.ReadFile("../cases/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	own := harness.Own(t, "ta")
	suite := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	var es []expression
	for _, l := range strings.Split(string(text), "\n") {
		a, e, ok := strings.Cut(l, "\t")
		if !ok || strings.HasPrefix(l, "#") {
			continue
		}
		if a == "ta" {
			a = filepath.Join(own, a)
		} else {
			a = filepath.Join(suite, a)
		}
		es = append(es, expression{a, e})
	}
	return es
}

// TestExpressions compares derived metrics defined on the command line, one at a time.
func TestExpressions(t *testing.T) {
	_, _, root := harness.Setup(t)
	var cs []harness.Command
	for _, e := range readExpressions(t, root) {
		cs = append(cs, harness.Command{Args: []string{"pminfo", "-a", e.archive, "-r", "x.y=" + e.text, "-df", "x.y"}})
	}
	harness.Compare(t, cs)
}

// TestConfigurations compares the same expressions defined in configuration files, one file for
// each.
func TestConfigurations(t *testing.T) {
	_, _, root := harness.Setup(t)
	dir := t.TempDir()
	var cs []harness.Command
	for i, e := range readExpressions(t, root) {
		file := fmt.Sprintf("%s/%d", dir, i)
		if err := os.WriteFile(file, []byte("x.y = "+e.text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		cs = append(cs, harness.Command{Args: []string{"pminfo", "-a", e.archive, "-c", file, "-dfm", "x.y"}, Note: "x.y=" + e.text})
	}
	harness.Compare(t, cs)
}
