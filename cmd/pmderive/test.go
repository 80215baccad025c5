package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/form"
	"pmtools/derive/derivetest"
	"pmtools/lib/safefile"
)

type testFlags struct {
	run, output, junit string
	verbose, record    bool
	definitions, keep  string
}

// testOutputs are the forms of output of test.
var testOutputs = []string{"text", "json"}

func (a *app) newTest() *cobra.Command {
	f := &testFlags{}
	cmd := &cobra.Command{
		Use:   "test FILE|DIR ...",
		Short: "Try derived metrics on values of your choice",
		Long: "Run the cases in files (in directories: those that end in " + derivetest.Suffix + "). A case states the\n" +
			"values of derived metrics for given values. The status is 0 if all cases pass, 1 if some fail,\n" +
			"2 if files cannot be used.",
		Args: operands(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := form.CheckOutput(f.output, testOutputs); err != nil {
				return err
			}
			return a.test(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.run, "run", "r", "", "run only cases whose names match `PATTERN`, a regular expression")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "list all cases")
	form.AddOutputs(fs, &f.output, testOutputs, "json")
	fs.StringVar(&f.junit, "junit", "", "also write the outcome to `FILE` as JUnit's XML")
	fs.BoolVar(&f.record, "record", false, "write the results into cases that expect nothing, or whose results were recorded before")
	fs.StringVar(&f.definitions, "definitions", "", "look for the files under test in `DIR`")
	fs.StringVar(&f.keep, "keep", "", "keep the archives with the values in `DIR`")
	return cmd
}

// test runs files of cases.
func (a *app) test(ctx context.Context, f *testFlags, args []string) error {
	opt := &derivetest.Options{Definitions: f.definitions, Keep: f.keep, Equivalent: a.sources.Equivalence(), Language: a.language()}
	if f.run != "" {
		var err error
		if opt.Run, err = regexp.Compile(f.run); err != nil {
			return err
		}
	}
	a.running = true
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM) // temporary archives are removed then
	defer stop()
	bad := false
	var reports []*derivetest.Report
	for _, name := range files.Below(args, func(name string) bool { return strings.HasSuffix(name, derivetest.Suffix) }) {
		r, err := a.testFile(ctx, f, opt, name)
		switch {
		case cli.IsLost(err):
			return err
		case ctx.Err() != nil:
			return errors.New("interrupted")
		case err != nil:
			a.Env.Errorf("%v", err)
			bad = true
		case r != nil:
			reports = append(reports, r)
		}
	}
	if f.junit != "" {
		var b bytes.Buffer
		if err := derivetest.WriteJUnit(&b, reports); err != nil {
			return err
		}
		if err := safefile.Replace(f.junit, b.Bytes()); err != nil {
			a.Env.Errorf("%v", err)
			bad = true
		}
	}
	return a.verdict(f, reports, bad)
}

// verdict writes how many cases there were, and returns the status.
func (a *app) verdict(f *testFlags, reports []*derivetest.Report, bad bool) error {
	all, failed, recorded := 0, 0, 0
	for _, r := range reports {
		all, failed = all+len(r.Results), failed+r.Failed()
		for _, c := range r.Results {
			if c.Recorded {
				recorded++
			}
		}
	}
	if all > 0 && f.output != "json" {
		noun := "cases"
		if all == 1 {
			noun = "case"
		}
		fmt.Fprintf(a.Env.Out, "%d %s, %d failed", all, noun, failed)
		if recorded > 0 {
			fmt.Fprintf(a.Env.Out, ", %d only recorded", recorded)
		}
		fmt.Fprintln(a.Env.Out)
	}
	switch {
	case bad:
		return wrongUse
	case all == 0 && !f.record:
		a.Env.Errorf("there are no cases")
		return wrongUse
	}
	return exitIf(failed > 0)
}

// testFile runs, or records, a file of cases.
func (a *app) testFile(ctx context.Context, f *testFlags, opt *derivetest.Options, name string) (*derivetest.Report, error) {
	text, err := safefile.Read(name, files.MaxFile)
	if err != nil {
		return nil, err
	}
	file, err := derivetest.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if f.record {
		now, err := file.Record(ctx, opt)
		if err != nil || bytes.Equal(now, text) {
			return nil, err
		}
		return nil, safefile.Replace(name, now)
	}
	r, err := file.Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	if f.output == "json" {
		enc := json.NewEncoder(a.Env.Out)
		enc.SetEscapeHTML(false)
		return r, enc.Encode(r)
	}
	for _, w := range r.Warnings {
		a.Env.Errorf("%s", w)
	}
	for i := range r.Results {
		switch c := &r.Results[i]; {
		case len(c.Failures) > 0:
			fmt.Fprint(a.Env.Out, c.Text())
		case f.verbose && c.Recorded:
			fmt.Fprintf(a.Env.Out, "ok   %s (recorded, to be confirmed)\n", c.Name)
		case f.verbose:
			fmt.Fprintf(a.Env.Out, "ok   %s\n", c.Name)
		}
	}
	return r, nil
}
