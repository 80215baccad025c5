package derive

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/peer/harness"
)

// TestSQLLabels runs the queries of docs/sql.md that join labels.
func TestSQLLabels(t *testing.T) {
	ours, _, root := harness.Setup(t)
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "sql")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	e := duckEngine(root, dir)
	if e.skip != "" {
		t.Skip(e.skip)
	}
	if err := archivetest.Build(dir, "labels"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## By label\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var queries []string
	for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(section, -1) {
		queries = append(queries, m[1])
	}
	if len(queries) != 2 {
		t.Fatalf("docs/sql.md has %d queries", len(queries))
	}
	run := func(args ...string) string {
		cmd := exec.Command(filepath.Join(ours.Bin, "pmderive"), args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	run("-a", "labels", "export", "-o", "tables")
	out, err := e.run([]string{queries[0], "CREATE VIEW v AS\n" + run("sql", "-m", "tables", "lab.set"), queries[1], "SELECT avg(value) FROM v"})
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(out), "@query ")
	mean := strings.TrimPrefix(parts[len(parts)-1], "3\n")
	if want := "2\nexample.com,green," + mean; len(parts) != 5 || mean == "" || parts[3] != want {
		t.Errorf("%q, want %q", out, want)
	}
}
