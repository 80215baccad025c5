package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/internal/dbpmda"
)

type agentFlags struct {
	echo, prompt, noRC bool
	creds              int
}

func (a *app) newAgent() *repl.Verb {
	return &repl.Verb{
		Name: "agent", Usage: "[FILE ...]", Short: "Try an agent as pmcd would ask it, in the language of dbpmda(1)",
		Long: "Run scripts in the language of dbpmda(1), or standard input: start an agent, ask for\n" +
			"descriptions, values, instances, texts and labels, store values. The command help\n" +
			"lists the language. A file .dbpmdarc in the current directory is run first.\n" +
			"The name space is that of -n, or of the installation.",
		Doors: repl.Shell, Most: math.MaxInt, Files: true,
		New: func(fs *repl.Flags) repl.Run {
			f := new(agentFlags)
			fs.BoolVarP(&f.echo, "echo-input", "e", false, "print each line before it is run")
			fs.BoolVarP(&f.prompt, "interactive", "i", false, "prompt for lines, even if the input is not a terminal")
			fs.BoolVarP(&f.noRC, "norc", "f", false, "do not run .dbpmdarc")
			fs.IntVarP(&f.creds, "creds-timeout", "q", 3, "let an agent take `SECONDS` to introduce itself")
			return func(ctx context.Context, _ *repl.Session, args []string, _ io.Writer) error {
				return a.tryAgent(ctx, f, args)
			}
		},
	}
}

func (a *app) tryAgent(ctx context.Context, f *agentFlags, files []string) error {
	if f.creds < 1 {
		return repl.Misuse{Err: errors.New("--creds-timeout takes a number of seconds")}
	}
	names, root := a.sources.Names(), a.Env.Config().Get("PCP_VAR_DIR")+"/pmns/root"
	if _, err := os.Stat(root); names == nil && err == nil {
		if names, err = a.sources.ReadNames(root); err != nil {
			return err
		}
	}
	s := dbpmda.New(&dbpmda.Options{
		Out: a.Env.Out, Err: a.Env.Stderr, Names: names, Load: a.sources.ReadNames,
		CredsTimeout: time.Duration(f.creds) * time.Second, Zone: a.Env.Zone(),
	})
	defer s.Close()
	if !f.noRC {
		if err := runFile(ctx, s, ".dbpmdarc", ".dbpmdarc> ", true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	prompt := ""
	if f.prompt || len(files) == 0 && cli.IsTerminal(a.Env.Stdin) {
		prompt = "dbpmda> "
	}
	for _, name := range files {
		if err := runFile(ctx, s, name, prompt, f.echo); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return s.Run(ctx, a.Env.Stdin, prompt, f.echo)
	}
	return nil
}

func runFile(ctx context.Context, s *dbpmda.Session, name, prompt string, echo bool) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return s.Run(ctx, in, prompt, echo)
}
