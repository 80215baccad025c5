package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// heading is the heading of a section, such as "### W7.5 State-change notice".
	heading = regexp.MustCompile(`^#{2,4} ([A-Z]{1,2}\d+(?:\.\d+)*)\.? `)
	// numbered is a paragraph that has the number of a section.
	numbered = regexp.MustCompile(`^(?:\*\*)?([A-Z]\d+(?:\.\d+)+)\b`)
	// item is an item of a numbered list, or a row of a numbered table.
	item = regexp.MustCompile(`^(?:\| )?(\d+)(?:\.| \|) `)
	// chapter is the end of the name of a chapter and the sections behind it, maybe on the next
	// line of a comment.
	chapter = regexp.MustCompile(`\.md(?:\s|//|#)+((?:[A-Z]{1,2}\d+(?:\.\d+)*(?:, (?:and )?| and | to )?)+)`)
	// aside is a citation without its chapter: sections in parentheses, alone or behind a text.
	// Types of values and the like have no dot.
	aside = regexp.MustCompile(`[ (]([ACDPTVW]\d{1,2}\.\d{1,2})\b`)
	// section is one section of a citation.
	section = regexp.MustCompile(`[A-Z]{1,2}\d+(?:\.\d+)*`)
)

// sections returns the sections of each chapter of docs/spec, by the chapter's name.
func sections(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../docs/spec/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no chapters", err)
	}
	chapters := map[string]map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		chapters[strings.TrimSuffix(filepath.Base(f), ".md")] = sectionsOf(string(text))
	}
	return chapters
}

// sectionsOf returns the sections of a chapter. Item 6 of a list in T11 is T11.6, unless T11 has
// subsections.
func sectionsOf(text string) map[string]bool {
	found := map[string]bool{}
	last := ""
	for line := range strings.Lines(text) {
		if m := heading.FindStringSubmatch(line); m != nil {
			found[m[1]], last = true, m[1]
		} else if m := numbered.FindStringSubmatch(line); m != nil {
			found[m[1]] = true
		} else if m := item.FindStringSubmatch(line); m != nil && last != "" {
			found[last+"."+m[1]] = true
		}
	}
	return found
}

// unresolved returns the citations in a text that name no section.
func unresolved(text string, chapters map[string]map[string]bool) (bad []string) {
	for _, m := range chapter.FindAllStringSubmatchIndex(text, -1) {
		before := strings.TrimRight(text[:m[0]], "abcdefghijklmnopqrstuvwxyz")
		name := text[len(before):m[0]]
		for _, s := range section.FindAllString(text[m[2]:m[3]], -1) {
			if !chapters[name][s] {
				bad = append(bad, name+".md "+s)
			}
		}
	}
	for _, m := range aside.FindAllStringSubmatch(text, -1) {
		known := false
		for _, c := range chapters {
			known = known || c[m[1]]
		}
		if !known {
			bad = append(bad, m[1])
		}
	}
	return bad
}

// TestCitations checks that each citation of the specification, in code and in documentation, names
// a section that there is.
func TestCitations(t *testing.T) {
	t.Parallel()
	chapters := sections(t)
	n := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == ".peer" || name == "bin" || name == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".1", ".txt"}, filepath.Ext(name)) || name == "docs_test.go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n += len(chapter.FindAll(text, -1))
		for _, c := range unresolved(string(text), chapters) {
			t.Errorf("%s cites %s, which there is not", strings.TrimPrefix(path, "../"), c)
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Errorf("%d citations, error %v", n, err)
	}
}

// TestUnresolved finds sections that there are not.
func TestUnresolved(t *testing.T) {
	chapters := map[string]map[string]bool{"wire": sectionsOf("# W\n## W1 Transport\n1. first\n2. second\n## W2 Names\n### W2.1 Form\nW2.7 *Stale*: x\n")}
	for _, tt := range []struct{ text, want string }{
		{"wire.md W1", ""}, {"wire.md W1.2", ""}, {"wire.md\n\t// W2.1", ""}, {"(W2.7)", ""}, {"wire.md W1, W2.1", ""}, {"a U32 (U64) P95", ""},
		{"wire.md W3", "wire.md W3"}, {"wire.md W1.3", "wire.md W1.3 W1.3"}, {"wire.md W1, W9", "wire.md W9"}, {"(W2.1, W2.2)", "W2.2"}, {"fire.md W1", "fire.md W1"},
	} {
		if got := strings.Join(unresolved(tt.text, chapters), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
