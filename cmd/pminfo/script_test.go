package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pmtools/lib/archive/archivetest"
	"pmtools/test/env"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pminfo": main})
}

// TestScript runs the command as a process: its environment, its files, and the streams it writes
// to.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			env.Set(e.Setenv)
			for _, name := range []string{"ta", "events", "labels"} {
				if err := archivetest.Build(e.WorkDir, name); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
