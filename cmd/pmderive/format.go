package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"pmtools/derive"
	"pmtools/derive/lint"
	"pmtools/derive/syntax"
	"pmtools/lib/safefile"
)

type fmtFlags struct{ write, diff, check, expand, pcp bool }

func (a *app) newFmt() *cobra.Command {
	f := &fmtFlags{}
	cmd := &cobra.Command{
		Use:   "fmt [FILE|DIR ...]",
		Short: "Print files of derived metrics in canonical form",
		Long:  "Print files of derived metrics, or standard input, in canonical form. The definitions\nkeep their meaning.",
		RunE:  func(cmd *cobra.Command, args []string) error { return a.format(cmd.Context(), f, args) },
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result to the files instead")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print the changes instead; the status is 1 if there are any")
	cmd.Flags().BoolVarP(&f.check, "check", "l", false, "print the names of files that would change instead; the status is 1 if there are any")
	cmd.Flags().BoolVar(&f.expand, "expand", false, "put the definitions themselves in the place of their names")
	cmd.Flags().BoolVar(&f.pcp, "pcp", false, "write definitions of the extended language in that of PCP, and fail where values would change")
	return cmd
}

func (a *app) format(ctx context.Context, f *fmtFlags, args []string) error {
	if f.write && len(args) == 0 {
		return errors.New("standard input cannot be written to")
	}
	a.running = true
	var inside *derive.Set
	rewrite := lint.Format
	if f.pcp {
		rewrite = lint.Portable
	}
	if f.expand || f.pcp {
		inside = a.sources.Set()
	}
	list, bad := a.readFiles(args)
	failed := bad != nil
	if failed {
		a.complain(bad)
	}
	for _, file := range list {
		out, errs := rewrite(file.Name, file.Text, inside)
		if errs != nil {
			failed = true
			if err := a.explain(ctx, file, errs); err != nil {
				return err
			}
			continue
		}
		changed := !bytes.Equal(out, file.Text)
		switch {
		case f.check && changed:
			fmt.Fprintln(a.Env.Out, file.Name)
		case f.diff && changed:
			a.Env.Out.Write(diff.Diff(file.Name, file.Text, file.Name+" (formatted)", out))
		}
		failed = failed || changed && (f.check || f.diff)
		if f.write && changed && file.Name != stdinName {
			if err := safefile.Replace(file.Name, out); err != nil {
				a.Env.Errorf("%v", err)
				failed = true
			}
		}
		if !f.diff && !f.write && !f.check {
			a.Env.Out.Write(out)
		}
	}
	return exitIf(failed)
}

func (a *app) explain(ctx context.Context, file lint.File, errs []*syntax.FileError) error {
	l := lint.Linter{Definitions: a.sources.Set()}
	found, err := l.Files(ctx, []lint.File{file}, lint.Options{Syntax: true, Expand: true})
	if err != nil {
		return err
	}
	wrong := false
	for i := range found {
		if found[i].Severity == lint.SeverityError {
			fmt.Fprintf(a.Env.Stderr, "%v\n%s", &found[i], found[i].Snippet())
			wrong = true
		}
	}
	for i := 0; i < len(errs) && !wrong; i++ {
		fmt.Fprint(a.Env.Stderr, errs[i].Text())
	}
	return nil
}
