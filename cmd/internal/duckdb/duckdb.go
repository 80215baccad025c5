// Package duckdb runs queries with the program duckdb.
package duckdb

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"

	"pmtools/cmd/internal/cli"
)

// Run runs a query. Its output goes to w, as csv, json, or a table that is cut to 40 rows. The status of
// duckdb becomes that of the command.
func Run(ctx context.Context, env *cli.Env, w io.Writer, query, form string) error {
	path, err := exec.LookPath("duckdb")
	if err != nil {
		return errors.New("--run needs the program duckdb on PATH: 'brew install duckdb', 'winget install DuckDB.cli', or 'curl https://install.duckdb.org | sh'; without --run the query is printed")
	}
	if w == io.Writer(env.Out) {
		w = env.Stdout
		if err := env.Flush(); err != nil {
			return err
		}
	}
	var args []string
	switch form {
	case "csv":
		args = []string{"-csv", "-nullvalue", ""}
	case "json":
		args = []string{"-json"}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("SET TimeZone = 'UTC';\n"+query+";\n"), w, env.Stderr
	err = cmd.Run()
	if bad, ok := errors.AsType[*exec.ExitError](err); ok && bad.ExitCode() > 0 {
		return cli.Exit(bad.ExitCode())
	}
	return err
}
