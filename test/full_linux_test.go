package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFull: where there is no room for the output, our forms end with status 1 and the reason. PCP's forms end as the
// reference does, with status 0 in silence (docs/durability.md).
func TestFull(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device without room here: ", err)
	}
	defer full.Close()
	demo := filepath.Join(demo(t), "demo")
	const lost = ": cannot write output: No space left on device\n"
	for _, tt := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"pminfo", "-a", demo, "-f", "kernel.all.load"}, 0, ""},
		{[]string{"pmval", "-a", demo, "-s", "2", "kernel.all.load"}, 0, ""},
		{[]string{"pminfo", "-a", demo, "--json", "kernel.all.load"}, 1, "pminfo" + lost},
		{[]string{"pmval", "-a", demo, "-s", "2", "--output", "csv", "kernel.all.load"}, 1, "pmval" + lost},
		{[]string{"pmderive", "-a", demo, "eval", "kernel.all.load"}, 1, "pmderive" + lost},
		{[]string{"pmderive", "-a", demo, "summarize"}, 1, "pmderive" + lost},
	} {
		c := exec.Command(command(t, tt.args[0]), tt.args[1:]...)
		var errs strings.Builder
		c.Stdout, c.Stderr = full, &errs
		_ = c.Run() // the status says it
		if got := c.ProcessState.ExitCode(); got != tt.status || errs.String() != tt.stderr {
			t.Errorf("%q: status %d, %q, want %d, %q", tt.args, got, errs.String(), tt.status, tt.stderr)
		}
	}
}
