package main

import (
	"strings"
	"testing"

	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
)

// TestLost: where nothing can be written, forms of ours fail, and the reference's does not.
func TestLost(t *testing.T) {
	base := archivetest.Path(t, "ta")
	const lost = "pmval: cannot write output: No space left on device\n"
	for _, tt := range []struct{ line, stderr string }{
		{"-s 2 t.b", ""}, {"-s 2 -d -t 0.01 t.b", ""}, {"-v -s 2 t.b", ""},
		{"--output csv t.b", lost}, {"--output csv -t 0.01 -d -s 2 t.b", lost}, {"--output json -t 3 t.b", lost}, {"--plot t.b", lost},
		{"--completion bash", lost}, {"__propose", lost},
	} {
		args := strings.Fields(tt.line)
		if !strings.Contains(tt.line, "compl") && tt.line != "__propose" {
			args = append([]string{"-a", base}, args...)
		}
		got := clitest.RunFull("pmval", newCommand, "", args, nil)
		if failed := tt.stderr != ""; !strings.HasSuffix(got.Stderr, tt.stderr) || strings.Count(got.Stderr, "cannot write") > 1 || (got.Status != 0) != failed {
			t.Errorf("%s: status %d, %q", tt.line, got.Status, got.Stderr)
		}
	}
}
