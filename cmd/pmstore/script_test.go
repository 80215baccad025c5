package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pmtools/test/env"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pmstore": main})
}

// TestScript runs the command as a process: its environment, its files, and the streams it writes
// to. Each script has a daemon of its own.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			_, socket := serve(t)
			env.Set(e.Setenv)
			e.Setenv("PMCD_SOCKET", socket)
			return nil
		},
	})
}
