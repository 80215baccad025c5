package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/install"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/lint"
)

type installFlags struct {
	checkFlags
	user, system, force, dry bool
	dir                      string
}

// addPlace adds the options that install and uninstall have.
func (f *installFlags) addPlace(cmd *cobra.Command, forced string) *pflag.FlagSet {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.BoolVar(&f.user, "user", false, "take the directory for your own definitions, ~/.config/pmderive/derived")
	fs.BoolVar(&f.system, "system", false, "take the directory that all tools of this machine read")
	fs.StringVar(&f.dir, "dir", "", "take `DIR`")
	cmd.MarkFlagsMutuallyExclusive("user", "system", "dir")
	fs.BoolVar(&f.force, "force", false, forced)
	fs.BoolVar(&f.dry, "dry-run", false, "only say what would be done")
	return fs
}

func (a *app) newInstall() *cobra.Command {
	f := &installFlags{checkFlags: checkFlags{output: checkOutputs[0]}}
	cmd := &cobra.Command{
		Use:   "install FILE ...",
		Short: "Put files of derived metrics where the tools look for them",
		Long: "Put files of derived metrics where pmderive and the tools of PCP look for them, after the same checks as\n" +
			"those of check: a file with an error is not installed. Unless an option chooses a directory, it is the\n" +
			"first one in PCP_DERIVED_CONFIG or, where that is not set, the directory of the system. On a terminal\n" +
			"the command asks before it replaces a file.",
		Args: operands(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error { return a.install(cmd.Context(), f, args) },
	}
	f.addRules(f.addPlace(cmd, "replace a file with other content without asking"))
	return cmd
}

// tools returns where the tools look for definitions.
func (a *app) tools() *install.Tools {
	return install.NewTools(a.Env.Config(), a.configFile("derived"))
}

// place returns the directory that the options choose, "" for none.
func (f *installFlags) place(t *install.Tools) (string, error) {
	if f.user && t.User == "" {
		return "", errors.New("there is no home directory to install into")
	}
	return map[bool]string{f.user: t.User, f.system: t.System, f.dir != "": f.dir}[true], nil
}

func (a *app) install(ctx context.Context, f *installFlags, args []string) error {
	if err := f.complete(); err != nil {
		return err
	}
	a.running = true
	t := a.tools()
	dir, err := f.place(t)
	if err == nil && dir == "" {
		dir, err = t.Default()
	}
	if err != nil {
		return err
	}
	list, failed := a.readFiles(args)
	if failed {
		return exitIf(failed)
	}
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := s.Lint(ctx, list, f.lint)
	if err != nil {
		return err
	}
	if err := lint.Write(a.Env.Stderr, found, "text", true); err != nil {
		return err
	}
	if lint.Wrong(found) {
		return errors.New("nothing is installed: there are errors")
	}
	job := t.NewJob(dir, f.dry)
	job.Replace = func(question string) bool { return f.force || !f.dry && a.Env.Confirm(question) }
	for _, file := range list {
		line, err := job.Install(filepath.Base(file.Name), file.Text)
		if failed = failed || err != nil; err != nil {
			a.complain(err)
			continue
		}
		fmt.Fprintln(a.Env.Out, line)
	}
	for _, line := range job.Notes() {
		fmt.Fprintln(a.Env.Stderr, line)
	}
	return exitIf(failed)
}

func (a *app) newUninstall() *cobra.Command {
	f := &installFlags{}
	cmd := &cobra.Command{
		Use:   "uninstall FILE|NAME ...",
		Short: "Remove files of derived metrics, or a metric, from where the tools look",
		Long: "Remove files that install has put where the tools look, by their names with or without .conf, or a single\n" +
			"metric with its texts from its file. Files of PCP's packages stay, unless --force removes the link to one.",
		Args: operands(1, math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			a.running = true
			t := a.tools()
			dir, err := f.place(t)
			if err != nil {
				return err
			}
			failed := false
			for _, arg := range args {
				line, err := t.Uninstall(arg, dir, f.force, f.dry)
				if failed = failed || err != nil; err != nil {
					a.complain(err)
					continue
				}
				fmt.Fprintln(a.Env.Out, line)
			}
			return exitIf(failed)
		},
	}
	f.addPlace(cmd, "remove files of PCP's packages, too")
	return cmd
}
