package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"syscall"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/derivetest"
	"pmtools/internal/textwidth"
	"pmtools/lib/safefile"
)

func (a *app) newTest() *repl.Verb {
	return &repl.Verb{
		Name: "test", Usage: "FILE|DIR ...", Short: "Try derived metrics on values of your choice",
		Long: "Run the cases in files (in directories: those that end in " + derivetest.Suffix + "). A case states the\n" +
			"values of derived metrics for given values. The status is 0 if all cases pass, 1 if some fail,\n" +
			"2 if files cannot be used.",
		Doors: repl.Both, Least: 1, Most: math.MaxInt, Bare: true, Files: true,
		New: func(f *repl.Flags) repl.Run {
			r, run := &tester{form: f, complain: a.Env.Errorf}, ""
			f.StringVarP(&run, "run", "r", "", "run only cases whose names match `PATTERN`, a regular expression")
			f.BoolVarP(&r.verbose, "verbose", "v", false, "list all cases")
			f.Output([]string{"text", "json"}, "json")
			f.StringVar(&r.junit, "junit", "", "also write the outcome to `FILE` as JUnit's XML")
			f.BoolVar(&r.record, "record", false, "write the results into cases that expect nothing, or whose results were recorded before")
			f.StringVar(&r.Definitions, "definitions", "", "look for the files under test in `DIR`")
			f.StringVar(&r.Keep, "keep", "", "keep the archives with the values in `DIR`")
			f.Gone("pmderive no longer measures what cases reach; remove the option, and write a case for each arm of a choice", "coverage", "lcov", "min-coverage")
			f.Gone("pmderive no longer makes mistakes in definitions; remove the option, and write cases with values on both sides of each condition", "mutate", "min-score")
			return func(ctx context.Context, s *repl.Session, args []string, w io.Writer) (err error) {
				if run != "" {
					if r.Run, err = regexp.Compile(run); err != nil {
						return repl.Misuse{Err: err}
					}
				}
				r.Equivalent, r.Language, r.w = a.sources.Equivalence(), max(a.language(), f.Settings.Language), w
				if f.Door == repl.Prompt {
					return r.test(ctx, args)
				}
				ctx, stop := a.Env.Interruptible(ctx, os.Interrupt, syscall.SIGTERM) // temporary archives are removed then
				defer stop()
				return r.test(ctx, args)
			}
		},
	}
}

// A tester is a run of files of cases.
type tester struct {
	derivetest.Options
	junit           string
	verbose, record bool

	form     *repl.Flags
	w        io.Writer
	complain func(format string, args ...any)
	reports  []*derivetest.Report
	bad      bool // a file cannot be used
}

// test runs files of cases, and those in directories.
func (r *tester) test(ctx context.Context, args []string) error {
	for _, name := range files.Below(args, func(name string) bool { return strings.HasSuffix(name, derivetest.Suffix) }) {
		report, err := r.file(ctx, name)
		switch {
		case cli.IsLost(err):
			return err
		case ctx.Err() != nil:
			return errors.New("interrupted")
		case err != nil:
			r.fail(err)
			r.reports = append(r.reports, &derivetest.Report{File: name, Err: err})
		case report != nil:
			r.reports = append(r.reports, report)
		}
	}
	if r.junit != "" {
		var b bytes.Buffer
		if err := derivetest.WriteJUnit(&b, r.reports); err != nil {
			return err
		}
		r.fail(safefile.Replace(r.junit, b.Bytes()))
	}
	return r.verdict()
}

// fail reports what makes the status that of wrong use.
func (r *tester) fail(err error) {
	if err != nil {
		r.complain("%v", err)
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
	if all > 0 && r.form.Settings.Output != "json" {
		fmt.Fprintf(r.w, "%s, %d failed", textwidth.Plural(all, "case"), failed)
		if recorded > 0 {
			fmt.Fprintf(r.w, ", %d only recorded", recorded)
		}
		fmt.Fprintln(r.w)
	}
	if all == 0 && !r.record && !r.bad {
		r.fail(errors.New("there are no cases"))
	}
	switch {
	case r.bad && r.form.Door == repl.Shell:
		return wrongUse
	case r.bad, failed > 0:
		return repl.ErrFound
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
	if r.form.Settings.Output == "json" {
		return report, answer.WriteLines(r.w, report)
	}
	for _, w := range report.Warnings {
		r.complain("%s", w)
	}
	for i := range report.Results {
		switch c := &report.Results[i]; {
		case len(c.Failures) > 0:
			fmt.Fprint(r.w, c.Text())
		case r.verbose && c.Recorded:
			fmt.Fprintf(r.w, "ok   %s (recorded, to be confirmed)\n", c.Name)
		case r.verbose:
			fmt.Fprintf(r.w, "ok   %s\n", c.Name)
		}
	}
	return report, nil
}
