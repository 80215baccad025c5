package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
)

// readme returns the fenced blocks of README.md of one language.
func readme(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// demo returns a directory with the archive that make demo leaves.
func demo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := archivetest.Build(dir, "demo"); err != nil {
		t.Fatal(err)
	}
	return dir
}

// build compiles a program and returns its path.
func build(t *testing.T, target string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "built.exe")
	cmd := env.Go("build", "-o", file, target)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", target, err, out)
	}
	return file
}

// runDemo runs a program where the archive demo is.
func runDemo(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = demo(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// TestReadmeCommands runs the command lines of README.md. The sessions of pmderive are run by its
// own tests.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, block := range readme(t, "console") {
		line, want, _ := strings.Cut(block, "\n")
		words := strings.Fields(strings.TrimPrefix(line, "$ "))
		if words[0] == "pmderive" {
			continue
		}
		got := runDemo(t, command(t, words[0]), words[1:]...)
		got = regexp.MustCompile("(?m) +$").ReplaceAllString(got, "") // README.md has none at the end of a line
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: (-README +now)\n%s", line, d)
		}
		ran++
	}
	if ran == 0 {
		t.Error("README.md shows no command")
	}
}

// TestReadmeProgram builds and runs the program of README.md, which is followed by its output.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	programs, outputs := readme(t, "go"), readme(t, "text")
	if len(programs) == 0 || len(programs) != len(outputs) {
		t.Fatalf("%d programs, %d outputs", len(programs), len(outputs))
	}
	for i, text := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(outputs[i], runDemo(t, build(t, file))); d != "" {
			t.Errorf("(-README +now)\n%s", d)
		}
	}
}
