package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/lib/version"
)

// TestVersion: whatever names the version names that of lib/version. A version that ends in -dev is
// not released yet.
func TestVersion(t *testing.T) {
	number, dev := strings.CutSuffix(version.Version, "-dev")
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(number) {
		t.Fatalf("lib/version has %q, want three numbers, and -dev before the release", version.Version)
	}
	texts := map[string]string{}
	for _, pattern := range []string{"README.md", "CHANGELOG.md", "SECURITY.md", "docs/*.md", "man/*", "*/*/go.mod"} {
		files, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				texts[strings.TrimPrefix(filepath.ToSlash(file), "../")] = string(text)
			}
		}
	}
	for _, problem := range versions(number, dev, texts) {
		t.Error(problem)
	}
	if _, err := os.Stat("api/" + number + ".txt"); err != nil && !dev {
		t.Errorf("%v: go test ./test -run TestAPI -update-api writes it", err)
	}
}

var (
	named   = regexp.MustCompile(`\bpmtools[-_ /]v?(\d+\.\d+\.\d+)\b`)
	minor   = regexp.MustCompile(`\bversion (\d+\.\d+)\b`)
	changes = regexp.MustCompile(`(?m)^## (.*)$`)
)

// versions returns what names another version than number.
func versions(number string, dev bool, texts map[string]string) (problems []string) {
	for name, text := range texts {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if m[1] != number {
				problems = append(problems, fmt.Sprintf("%s names %s, lib/version %s", name, m[0], number))
			}
		}
	}
	if m := minor.FindStringSubmatch(texts["README.md"]); m == nil || !strings.HasPrefix(number, m[1]+".") {
		problems = append(problems, fmt.Sprintf("README.md names %q, lib/version %s", m, number))
	}
	headings := changes.FindAllStringSubmatch(texts["CHANGELOG.md"], 2)
	if len(headings) < 2 || headings[0][1] != "Unreleased" {
		return append(problems, fmt.Sprintf("CHANGELOG.md begins with the headings %q, want Unreleased, then the last release", headings))
	}
	if released := headings[1][1] == number; released == dev {
		problems = append(problems, fmt.Sprintf("the last release in CHANGELOG.md is %s; lib/version has %s, unreleased: %v", headings[1][1], number, dev))
	}
	return problems
}

// TestVersions finds what names another version.
func TestVersions(t *testing.T) {
	whole := func(readme, changes, page string) map[string]string {
		return map[string]string{"README.md": readme, "CHANGELOG.md": changes, "docs/install.md": page}
	}
	const readme, log, page = "It is version 0.2:", "# Changes\n\n## Unreleased\n\n## 0.2.0\n\n- x\n\n## 0.1.0\n", "https://example.org/pmtools/0.2.0"
	for _, tt := range []struct {
		texts map[string]string
		dev   bool
		want  int
	}{
		{whole(readme, log, page), false, 0}, {whole(readme, strings.Replace(log, "## 0.2.0\n", "", 1), page), true, 0},
		{whole(readme, log, page), true, 1}, {whole(readme, strings.Replace(log, "## 0.2.0\n", "", 1), page), false, 1},
		{whole("It is version 0.1:", log, page), false, 1}, {whole("", log, page), false, 1},
		{whole(readme, "## 0.2.0\n\n## 0.1.0\n", page), false, 1}, {whole(readme, "## Unreleased\n", page), false, 1},
		{whole(readme, log, "pmtools-0.2.1-linux-amd64.tar.gz"), false, 1}, {whole(readme, log, "pmtools_0.1.0 pmtools 0.3.0"), false, 2},
	} {
		if got := versions("0.2.0", tt.dev, tt.texts); len(got) != tt.want {
			t.Errorf("%v: %q, want %d", tt.texts, got, tt.want)
		}
	}
}
