package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/form"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/sarif"
	"pmtools/derive/derivetest"
	"pmtools/derive/lint"
	"pmtools/lib/safefile"
)

type checkFlags struct {
	lint          lint.Options
	output        string
	strict, rules bool
	disable       []string
}

// checkOutputs are the forms of output of check.
var checkOutputs = []string{"text", "json", "sarif"}

func (a *app) newCheck() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [FILE|DIR ...]",
		Short: "Look for mistakes in files of derived metrics",
		Long: "Look for mistakes in files of derived metrics, or in standard input: mistakes of syntax, mistakes\n" +
			"of meaning with the metrics of the source, and definitions that are legal but hardly meant. An\n" +
			"error makes the status 1; a mistake that PCP accepts is a warning, and does so with --strict only.",
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.addRules(fs)
	fs.BoolVar(&f.strict, "strict", false, "let warnings make the status 1, too")
	fs.BoolVar(&f.rules, "rules", false, "list the rules for warnings")
	form.AddOutputs(fs, &f.output, checkOutputs, "json", "sarif")
	return cmd
}

// addRules adds the options that select rules.
func (f *checkFlags) addRules(fs *pflag.FlagSet) {
	fs.BoolVar(&f.lint.Syntax, "syntax", false, "make only the checks that need no source")
	fs.BoolVar(&f.lint.Expand, "expand", false, "allow definitions inside others")
	fs.BoolVar(&f.lint.Unknown, "allow-unknown", false, "accept metrics that the source does not have")
	fs.StringSliceVar(&f.disable, "disable", nil, "leave out `RULES`, or \"all\"")
}

func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	if err := f.complete(); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	a.running = true
	if f.rules {
		return lint.WriteRules(a.Env.Out)
	}
	list, failed := a.readFiles(args)
	if len(list) == 0 {
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
	failed = failed || lint.Wrong(found) || f.strict && len(found) > 0
	if err := a.writeFindings(f.output, found); err != nil {
		return err
	}
	return exitIf(failed)
}

// complete checks the options.
func (f *checkFlags) complete() (err error) {
	if err := form.CheckOutput(f.output, checkOutputs); err != nil {
		return err
	}
	f.lint.Rules = []*lint.Rule{}
	for _, name := range f.disable {
		if name != "all" && !slices.Contains(lint.RuleNames(), name) {
			return fmt.Errorf("there is no rule %s; --rules lists them", name)
		}
	}
	for _, r := range lint.Rules() {
		if !slices.Contains(f.disable, r.Name) && !slices.Contains(f.disable, "all") {
			f.lint.Rules = append(f.lint.Rules, r)
		}
	}
	return nil
}

func (a *app) writeFindings(output string, found []lint.Diagnostic) error {
	if output == "sarif" {
		return sarif.Write(a.Env.Out, found)
	}
	return lint.Write(a.Env.Out, found, output, cli.IsTerminal(a.Env.Stdout))
}

// stdinName is the name of standard input in messages.
const stdinName = "<stdin>"

// readFiles reads files, or standard input if args is empty. It reports files that cannot be read.
func (a *app) readFiles(args []string) (list []lint.File, failed bool) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range files.Below(args, func(name string) bool { return !strings.HasSuffix(name, derivetest.Suffix) }) {
		var text []byte
		var err error
		if name == "-" {
			name = stdinName
			text, err = files.ReadAll(a.Env.Stdin)
		} else {
			text, err = safefile.ReadStream(name, files.MaxFile) // the shell's <(command) is a pipe
		}
		if err != nil {
			a.Env.Errorf("%v", err)
			failed = true
			continue
		}
		list = append(list, lint.File{Name: name, Text: text})
	}
	return list, failed
}
