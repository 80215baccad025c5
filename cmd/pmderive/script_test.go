package main

import (
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pmderive": main})
}

// TestScript runs the command as a process: its environment, its files, and the streams it writes
// to.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"status": status},
		Setup: func(e *testscript.Env) error {
			env.Set(e.Setenv)
			for name, value := range map[string]string{
				"PMCD_PORT": "1", "PMCD_SOCKET": e.WorkDir + "/no.socket",
				"HOME": e.WorkDir, "XDG_STATE_HOME": "", "TERM": "xterm",
			} {
				e.Setenv(name, value)
			}
			for _, name := range []string{"ta", "demo", "labels", "truncated"} {
				if err := archivetest.Build(e.WorkDir, name); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// status runs a command, which must end with a status: status N COMMAND ARG...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ARG...")
	}
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](ts.Exec(args[1], args[2:]...)); ok {
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%q ends with status %d, not %s\n%s", args[1:], got, args[0], ts.ReadFile("stderr"))
	}
}
