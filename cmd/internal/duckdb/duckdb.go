// Package duckdb runs queries by the program of that name.
package duckdb

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"

	"pmtools/cmd/internal/cli"
)

// Run runs a query, whose output goes to w. The status of duckdb becomes that of the command.
func Run(ctx context.Context, env *cli.Env, w io.Writer, query string) error {
	path, err := exec.LookPath("duckdb")
	if err != nil {
		return errors.New("--run needs duckdb (https://duckdb.org, or the package duckdb) on PATH; without --run the query is printed")
	}
	if w == io.Writer(env.Out) {
		w = env.Stdout
		if err := env.Flush(); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("SET TimeZone = 'UTC';\n"+query+";\n"), w, env.Stderr
	err = cmd.Run()
	if bad, ok := errors.AsType[*exec.ExitError](err); ok && bad.ExitCode() > 0 {
		return cli.Exit(bad.ExitCode())
	}
	return err
}
