package main

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
)

// update makes the scripts' files what the command prints.
var update = flag.Bool("update", false, "rewrite the wanted output of scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pmval": main})
}

// TestScript runs the command as a process: its environment, its files, and the streams it writes
// to.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			env.Set(e.Setenv)
			for _, name := range []string{"ta", "events", "alltypes", "marks"} {
				if err := archivetest.Build(e.WorkDir, name); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
