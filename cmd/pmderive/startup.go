package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/source"
)

// startup runs the file of items with which the prompt begins: PMDERIVE_INIT, or pmderive/init in the directory for the
// configuration of programs.
func (a *app) startup(ctx context.Context, s *repl.Session) {
	name, set := a.Env.LookupEnv("PMDERIVE_INIT")
	if !set {
		name = a.configFile("init")
	}
	if name == "" {
		return
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		a.item(ctx, s, ":run "+name)
	}
}

// configFile returns the name of a file of configuration, or "".
func (a *app) configFile(name string) string {
	return source.StateFile(a.Env.LookupEnv, "XDG_CONFIG_HOME", ".config", name)
}
