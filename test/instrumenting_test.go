package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInstrumenting builds the programs of docs/instrumenting.md, runs its sessions, and finds its
// pieces of programs in the examples of lib/prom.
func TestInstrumenting(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("pminfo -L shows other metrics here")
	}
	text, err := os.ReadFile("../docs/instrumenting.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("../lib/prom/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	indent := regexp.MustCompile(`(?m)^\t+`)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mmv"), 0o777); err != nil {
		t.Fatal(err)
	}
	run := func(program string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "PCP_TMP_DIR="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return string(out)
	}
	programs := map[string]string{"pminfo": command(t, "pminfo")}
	for _, m := range regexp.MustCompile("(?ms)^```(go|console)\n(.*?)^```\n").FindAllStringSubmatch(string(text), -1) {
		switch block := m[2]; {
		case m[1] == "console":
			var got strings.Builder
			for _, line := range regexp.MustCompile(`(?m)^\$ .*$`).FindAllString(block, -1) {
				words := strings.Fields(line)[1:]
				got.WriteString(line + "\n" + run(programs[words[0]], words[1:]...))
			}
			if d := cmp.Diff(block, got.String()); d != "" {
				t.Errorf("-docs +now\n%s", d)
			}
		case strings.Contains(block, "package main\n"):
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(block), 0o666); err != nil {
				t.Fatal(err)
			}
			program := build(t, file)
			if strings.Contains(block, "Command acme") {
				programs["acme"] = program
			} else if out := run(program); out != "" {
				t.Errorf("the program says %s", out)
			}
		case !strings.Contains(indent.ReplaceAllString(string(examples), ""), indent.ReplaceAllString(block, "")):
			t.Errorf("no example of lib/prom has\n%s", block)
		}
	}
}
