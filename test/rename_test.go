package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/env"
)

// TestRename gives a copy of the module another path. Then every import must resolve, and the old
// path must be gone.
func TestRename(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here")
	}
	dir := t.TempDir()
	for _, name := range []string{"cmd", "derive", "docs", "internal", "lib", "test"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "Makefile", "README.md"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env.Go().Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return string(out)
	}
	run("make", "rename", "MODULE=example.org/x/renamed")
	imports := run("go", "list", "-deps", "-test", "./...")
	if strings.Contains("\n"+imports, "\npmtools") || !strings.Contains(imports, "\nexample.org/x/renamed/lib/pcp\n") {
		t.Errorf("packages after make rename:\n%s", imports)
	}
	if nested := run("go", "list", "-C", "lib/prom", "-deps", "-test", "./..."); strings.Contains("\n"+nested, "\npmtools") {
		t.Errorf("packages of lib/prom after make rename:\n%s", nested)
	}
	if text := run("cat", "README.md", "test/arrows_test.go"); strings.Contains(text, `"pmtools/`) {
		t.Error("README.md or test/arrows_test.go still name the old path")
	}
}
