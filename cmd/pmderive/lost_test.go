package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
)

// TestLost: where nothing can be written each command fails, and says so once.
func TestLost(t *testing.T) {
	base := archivetest.Path(t, "ta")
	conf := filepath.Join(t.TempDir(), "conf")
	if err := os.WriteFile(conf, []byte("a.b = no.such\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, items string }{
		{"eval t.b", ""}, {"eval -o csv -s 2 t.b", ""}, {"eval -o json -d -t 0.01 t.b", ""}, {"eval -o openmetrics t.b", ""}, {"eval --plot t.b", ""},
		{"explain t.b t.d", ""}, {"check " + conf, ""}, {"check -o json " + conf, ""}, {"fmt " + conf, ""}, {"functions", ""},
		{"--version", ""}, {"--help", ""}, {"eval --help", ""}, {"completion bash", ""}, {"", "t.b\n:list\n"}, {"", ":watch t.d\n"}, {"", ":help\n:quit\n"},
	} {
		got := clitest.RunFull("pmderive", newCommand, tt.items, append([]string{"-a", base}, strings.Fields(tt.line)...), nil)
		if got.Status != 1 || strings.Count(got.Stderr, "pmderive: cannot write output: No space left on device\n") != 1 || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("%s %s: status %d, %q", tt.line, tt.items, got.Status, got.Stderr)
		}
	}
}
