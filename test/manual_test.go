package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// manuals returns the manual pages by their names, without the escapes of roff.
func manuals(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../man/*.[1-9]")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d manual pages, %v", len(files), err)
	}
	pages := make(map[string]string)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(file)] = strings.NewReplacer(`\-`, "-", `\(aq`, "'", `\e`, `\`).Replace(string(b))
	}
	return pages
}

// elsewhere matches examples that need a daemon, a database, an editor, an agent, or a shell.
var elsewhere = regexp.MustCompile(`^pmderive.* (push|lsp|agent)\b|\$\(| -h |^pmderive -L$`)

// TestManualExamples runs the examples of the manual pages, and each page has some.
func TestManualExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("../docs/examples")); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ *(pm(?:info|val|store|err|derive)\b.*)$`)
	for name, page := range manuals(t) {
		_, section, ok := strings.Cut(page, "\n.SH EXAMPLES\n")
		section, _, _ = strings.Cut(section, "\n.SH ")
		found := line.FindAllStringSubmatch(section, -1)
		if !ok || len(found) < 3 {
			t.Errorf("%s has %d examples, want 3", name, len(found))
		}
		for _, m := range found {
			if elsewhere.MatchString(m[1]) {
				continue
			}
			var args []string
			for i, part := range strings.Split(m[1], "'") {
				if i%2 == 1 {
					args = append(args, part)
				} else {
					args = append(args, strings.Fields(part)...)
				}
			}
			c := exec.Command(command(t, args[0]), args[1:]...)
			c.Dir, c.Env = dir, append(os.Environ(), "TZ=UTC")
			out, err := c.CombinedOutput()
			if err != nil && args[0] != "pmerr" { // whose status with -l is PCP's, 1
				t.Errorf("%s: %s: %v\n%s", name, m[1], err, out)
			}
		}
	}
}

// TestManualReferences: pages point only to pages and guides that exist.
func TestManualReferences(t *testing.T) {
	t.Parallel()
	pages := manuals(t)
	reference := regexp.MustCompile(`\b(pm(?:info|val|store|err|derived?|tools)) ?\(([1-9])\)`)
	guide := regexp.MustCompile(`\b([a-z-]+\.md)\b`)
	for name, page := range pages {
		for _, m := range reference.FindAllStringSubmatch(page, -1) {
			if pages[m[1]+"."+m[2]] == "" {
				t.Errorf("%s points to %s(%s)", name, m[1], m[2])
			}
		}
		for _, m := range guide.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat("../docs/" + m[1]); err != nil {
				t.Errorf("%s points to %v", name, err)
			}
		}
	}
}

// TestManualFormat: groff has nothing to say about the pages.
func TestManualFormat(t *testing.T) {
	t.Parallel()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here: the pages are not formatted")
	}
	for name := range manuals(t) {
		c := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z", filepath.Join("..", "man", name))
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
