package derive

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// TestDepsForLogger lets the reference's pmlogger record what deps writes for it. The definitions find
// all that they are made of in the archive.
func TestDepsForLogger(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	env := harness.Live(t)
	dir := t.TempDir()
	conf := filepath.Join(root, "etc/pcp/derived/cpu-util.conf")
	run := func(args ...string) harness.Outcome {
		t.Helper()
		o, err := ours.Run(harness.Command{Args: append([]string{"pmderive"}, args...), Env: []string{"PCP_DERIVED_CONFIG="}}, root)
		if err != nil || o.Status != 0 {
			t.Fatalf("%q: %v, status %d\n%s%s", args, err, o.Status, o.Stdout, o.Stderr)
		}
		return o
	}
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, run("deps", "--pmlogger", "-t", "100msec", conf).Stdout, 0o666); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(dir, "archive")
	logger := exec.Command(filepath.Join(theirs.Bin, "pmlogger"), "-c", config, "-h", "127.0.0.1:45399", "-s", "2", "-l", filepath.Join(dir, "log"), base)
	logger.Env = append(append(os.Environ(), env...), "PCP_TMP_DIR="+dir)
	if out, err := logger.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("%v\n%s%s", err, out, log)
	}
	run("-a", base, "check", "--strict", "--disable", "novalue", conf)
	for _, name := range strings.Fields(string(run("deps", conf).Stdout)) {
		run("-a", base, "eval", name)
	}
}
