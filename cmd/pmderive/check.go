package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/derive/repl"
	"pmtools/lib/regular"
)

// checkFlags are the options of check.
type checkFlags struct {
	syntax, expand bool
	output         string
}

// newCheck returns the command that checks files for mistakes.
func (a *app) newCheck() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [FILE ...]",
		Short: "Look for mistakes in files of derived metrics",
		Long:  "Look for mistakes in files of derived metrics, or in standard input: of syntax, and\nof meaning with the metrics of the source.",
		RunE:  func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), f, args) },
	}
	cmd.Flags().BoolVar(&f.syntax, "syntax", false, "look only for what needs no source")
	cmd.Flags().BoolVar(&f.expand, "expand", false, "let definitions stand inside others")
	cmd.Flags().StringVarP(&f.output, "output", "o", "text", "`FORM` of output: text, json")
	return cmd
}

// check checks files for mistakes.
func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	if f.output != "text" && f.output != "json" {
		return fmt.Errorf("unknown output '%s'; there are text and json", f.output)
	}
	a.running = true
	list, failed := a.readFiles(args)
	if len(list) == 0 {
		return exitIf(failed)
	}
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := s.Lint(ctx, list, repl.Lint{Syntax: f.syntax, Expand: f.expand})
	if err != nil {
		return err
	}
	onTerminal := cli.IsTerminal(a.Env.Stdout)
	enc := json.NewEncoder(a.Env.Out)
	enc.SetEscapeHTML(false)
	for i := range found {
		d := &found[i]
		failed = failed || d.Severity == repl.SeverityError
		if f.output == "json" {
			if err := enc.Encode(d); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(a.Env.Out, d)
		if onTerminal {
			fmt.Fprint(a.Env.Out, d.Snippet())
		}
	}
	return exitIf(failed)
}

// stdinName is the name of standard input in messages.
const stdinName = "<stdin>"

// readFiles reads files, or standard input if args is empty. It reports files that cannot be read.
func (a *app) readFiles(args []string) (list []repl.File, failed bool) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		var text []byte
		var err error
		if name == "-" {
			name = stdinName
			text, err = readAll(a.Env.Stdin)
		} else {
			text, err = regular.ReadStream(name, maxFile) // the shell's <(command) is a pipe
		}
		if err != nil {
			a.Env.Errorf("%v", err)
			failed = true
			continue
		}
		list = append(list, repl.File{Name: name, Text: text})
	}
	return list, failed
}
