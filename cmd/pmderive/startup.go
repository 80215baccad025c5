package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/source"
	"pmtools/lib/safefile"
)

// startup runs the files of items with which the prompt begins: the settings that ":set save" keeps,
// and what the user has written, PMDERIVE_INIT or pmderive/init in the directory for the
// configuration of programs.
func (a *app) startup(ctx context.Context, s *repl.Session) {
	init, set := a.Env.LookupEnv("PMDERIVE_INIT")
	if !set {
		init = a.configFile("init")
	}
	for _, name := range []string{a.configFile("settings"), init} {
		if name == "" {
			continue
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			a.item(ctx, s, ":run "+name)
		}
	}
}

// configFile returns the name of a file of configuration, or "".
func (a *app) configFile(name string) string {
	return source.StateFile(a.Env.LookupEnv, "XDG_CONFIG_HOME", ".config", name)
}

// saveSettings keeps settings for the start of other prompts, and returns where.
func (a *app) saveSettings(text []byte) (string, error) {
	name := a.configFile("settings")
	if name == "" {
		return "", errors.New("there is no home directory to keep settings in")
	}
	if err := safefile.MakeDir(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	return name, safefile.Replace(name, text)
}
