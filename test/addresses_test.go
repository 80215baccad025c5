package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// address is that of a link in Markdown: a file, a section, or both.
	address  = regexp.MustCompile(`\]\(([^()\s#:]*)(#[^()\s]*)?\)`)
	title    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced   = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*`")
	unspoken = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestAddresses: what the documentation refers to within the tree is there, the sections too.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, name := range pages(t) {
		text := fenced.ReplaceAllString(read(t, name), "")
		for _, m := range address.FindAllStringSubmatch(text, -1) {
			to := name
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(name), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s refers to %s: %v", name, m[0], err)
			} else if m[2] != "" && !anchors(read(t, to))[m[2]] {
				t.Errorf("%s refers to %s, where no such section is", name, m[0])
			}
		}
	}
}

// pages returns the files of Markdown in the tree.
func pages(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "dist") {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages: %v", len(names), err)
	}
	return names
}

// anchors returns the addresses of the sections of a page, as forges make them of their titles.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range title.FindAllStringSubmatch(text, -1) {
		found["#"+strings.ReplaceAll(strings.ToLower(unspoken.ReplaceAllString(m[1], "")), " ", "-")] = true
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
