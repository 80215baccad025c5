package main

import (
	"context"
	"os/exec"
	"path/filepath"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/record"
)

// archiveVersion returns the version of archives that PCP's configuration asks for, 0 for the usual one.
func (a *app) archiveVersion() int {
	if a.Env.Config().Get("PCP_ARCHIVE_VERSION") == "2" {
		return 2
	}
	return 0
}

// record begins a recording in the background of one of the kinds of sources. If PCP's pmlogger is installed, it
// records the metrics of a daemon. This process records those of its own collectors and of containers, and of
// hosts with a password, which must not appear on a command line.
func (a *app) record(ctx context.Context, kind, name, folio string, h record.Host) (*record.Session, error) {
	cfg := &record.Config{Folio: folio, Creator: a.Env.Prog, Open: func(ctx context.Context, _ string) (pmapi.Source, error) {
		return a.open(ctx, kind, name)
	}}
	cfg.Version = a.archiveVersion()
	switch kind {
	case repl.Host:
		h.Name = name
	case repl.Local:
		h.Name = "localhost"
	default:
		h.Name = "local:"
	}
	if kind != repl.Local && a.Options.Container == "" && pmcd.Redact(h.Name) == h.Name {
		cfg.Logger = a.logger()
	}
	return record.Start(ctx, cfg, h)
}

// logger returns the path of pmlogger, "" if it is not installed.
func (a *app) logger() string {
	dir := a.Env.Config().Get("PCP_BINADM_DIR")
	if dir == "" {
		return ""
	}
	path, err := exec.LookPath(filepath.Join(dir, "pmlogger"))
	if err != nil {
		return ""
	}
	return path
}
