package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/derivetest"
	"pmtools/lib/safefile"
)

type testOptions struct {
	derivetest.Options
	output, junit   string
	verbose, record bool
}

func (a *app) newTest() *cobra.Command {
	o := new(testOptions)
	var form *repl.Flags
	run := ""
	cmd := &cobra.Command{
		Use:   "test FILE|DIR ...",
		Short: "Try derived metrics on values of your choice",
		Long: "Run the cases in files (in directories: those that end in " + derivetest.Suffix + "). A case states the\n" +
			"values of derived metrics for given values. The status is 0 if all cases pass, 1 if some fail,\n" +
			"2 if files cannot be used.",
		Args: operands(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if run != "" {
				var err error
				if o.Run, err = regexp.Compile(run); err != nil {
					return err
				}
			}
			o.Equivalent, o.Language = a.sources.Equivalence(), a.language()
			o.output = form.Settings.Output
			a.running = true
			ctx, stop := a.Env.Interruptible(cmd.Context(), os.Interrupt, syscall.SIGTERM) // temporary archives are removed then
			defer stop()
			return a.test(ctx, o, args)
		},
	}
	fs := cmd.Flags()
	form = repl.NewFlags(fs, repl.Shell, repl.Settings{})
	fs.StringVarP(&run, "run", "r", "", "run only cases whose names match `PATTERN`, a regular expression")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "list all cases")
	form.Output([]string{"text", "json"}, "json")
	fs.StringVar(&o.junit, "junit", "", "also write the outcome to `FILE` as JUnit's XML")
	fs.BoolVar(&o.record, "record", false, "write the results into cases that expect nothing, or whose results were recorded before")
	fs.StringVar(&o.Definitions, "definitions", "", "look for the files under test in `DIR`")
	fs.StringVar(&o.Keep, "keep", "", "keep the archives with the values in `DIR`")
	return cmd
}

// A tester is a run of files of cases.
type tester struct {
	*testOptions
	env     *cli.Env
	reports []*derivetest.Report
	bad     bool // a file cannot be used
}

// test runs files of cases, and those in directories.
func (a *app) test(ctx context.Context, o *testOptions, args []string) error {
	r := &tester{testOptions: o, env: a.Env}
	for _, name := range files.Below(args, func(name string) bool { return strings.HasSuffix(name, derivetest.Suffix) }) {
		report, err := r.file(ctx, name)
		switch {
		case cli.IsLost(err):
			return err
		case ctx.Err() != nil:
			return errors.New("interrupted")
		case err != nil:
			r.complain(err)
		case report != nil:
			r.reports = append(r.reports, report)
		}
	}
	if o.junit != "" {
		var b bytes.Buffer
		if err := derivetest.WriteJUnit(&b, r.reports); err != nil {
			return err
		}
		r.complain(safefile.Replace(o.junit, b.Bytes()))
	}
	return r.verdict()
}

// complain reports what makes the status that of wrong use.
func (r *tester) complain(err error) {
	if err != nil {
		r.env.Errorf("%v", err)
		r.bad = true
	}
}

// verdict writes how many cases there were, and returns the status.
func (r *tester) verdict() error {
	all, failed, recorded := 0, 0, 0
	for _, report := range r.reports {
		all, failed = all+len(report.Results), failed+report.Failed()
		for _, c := range report.Results {
			if c.Recorded {
				recorded++
			}
		}
	}
	if all > 0 && r.output != "json" {
		noun := "cases"
		if all == 1 {
			noun = "case"
		}
		fmt.Fprintf(r.env.Out, "%d %s, %d failed", all, noun, failed)
		if recorded > 0 {
			fmt.Fprintf(r.env.Out, ", %d only recorded", recorded)
		}
		fmt.Fprintln(r.env.Out)
	}
	switch {
	case r.bad:
		return wrongUse
	case all == 0 && !r.record:
		r.env.Errorf("there are no cases")
		return wrongUse
	case failed > 0:
		return cli.Exit(1)
	}
	return nil
}

// file runs, or records, a file of cases.
func (r *tester) file(ctx context.Context, name string) (*derivetest.Report, error) {
	text, err := safefile.Read(name, files.MaxFile)
	if err != nil {
		return nil, err
	}
	file, err := derivetest.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if r.record {
		now, err := file.Record(ctx, &r.Options)
		if err != nil || bytes.Equal(now, text) {
			return nil, err
		}
		return nil, safefile.Replace(name, now)
	}
	report, err := file.Run(ctx, &r.Options)
	if err != nil {
		return nil, err
	}
	if r.output == "json" {
		return report, answer.WriteLines(r.env.Out, report)
	}
	for _, w := range report.Warnings {
		r.env.Errorf("%s", w)
	}
	for i := range report.Results {
		switch c := &report.Results[i]; {
		case len(c.Failures) > 0:
			fmt.Fprint(r.env.Out, c.Text())
		case r.verbose && c.Recorded:
			fmt.Fprintf(r.env.Out, "ok   %s (recorded, to be confirmed)\n", c.Name)
		case r.verbose:
			fmt.Fprintf(r.env.Out, "ok   %s\n", c.Name)
		}
	}
	return report, nil
}
