package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"pmtools/derive/repl"
)

// fmtFlags are the options of fmt.
type fmtFlags struct{ write, diff, expand bool }

// newFmt returns the command that formats files.
func (a *app) newFmt() *cobra.Command {
	f := &fmtFlags{}
	cmd := &cobra.Command{
		Use:   "fmt [FILE ...]",
		Short: "Print files of derived metrics in canonical form",
		Long:  "Print files of derived metrics, or standard input, in canonical form. What they define\nstays the same.",
		RunE:  func(_ *cobra.Command, args []string) error { return a.format(f, args) },
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result to the files instead")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change instead")
	cmd.Flags().BoolVar(&f.expand, "expand", false, "put definitions inside others in the place of their names")
	return cmd
}

// format formats files.
func (a *app) format(f *fmtFlags, args []string) error {
	if f.write && len(args) == 0 {
		return errors.New("standard input cannot be written to")
	}
	a.running = true
	var others *repl.Session
	if f.expand {
		others = repl.New(&repl.Options{Registry: a.sources.Registry()})
		defer others.Close()
	}
	list, failed := a.readFiles(args)
	for _, file := range list {
		out, errs := repl.FormatFile(file.Name, file.Text, f.expand, others)
		for _, e := range errs {
			fmt.Fprint(a.Env.Stderr, e.Text())
		}
		if errs != nil {
			failed = true
			continue
		}
		changed := !bytes.Equal(out, file.Text)
		if f.diff && changed {
			a.Env.Out.Write(diff.Diff(file.Name, file.Text, file.Name+" (formatted)", out))
		}
		if f.write && changed && file.Name != stdinName {
			if err := replaceFile(file.Name, out); err != nil {
				a.Env.Errorf("%v", err)
				failed = true
			}
		}
		if !f.diff && !f.write {
			a.Env.Out.Write(out)
		}
	}
	return exitIf(failed)
}
