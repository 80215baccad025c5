package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/paint"
	"pmtools/derive/coverage"
	"pmtools/derive/derivetest"
	"pmtools/derive/mutate"
	"pmtools/lib/safefile"
)

// wrongUse is the status of files that cannot be used.
const wrongUse = cli.Exit(2)

type runner struct {
	*Options
	env     *cli.Env
	opt     *derivetest.Options
	reached *coverage.Collector // nil if it is not wanted
	reports []*derivetest.Report
	benches []*derivetest.Bench // for mutants
	bad     bool                // a file cannot be used
}

// Run runs files of cases, and those in directories.
func Run(ctx context.Context, env *cli.Env, o *Options, opt *derivetest.Options, args []string) error {
	r := &runner{Options: o, env: env, opt: opt}
	if o.coverage {
		r.reached = coverage.New()
	}
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
	return r.verdict(ctx)
}

// complain reports what makes the status that of wrong use.
func (r *runner) complain(err error) {
	if err != nil {
		r.env.Errorf("%v", err)
		r.bad = true
	}
}

// verdict writes how many cases there were and what they have reached, and returns the status.
func (r *runner) verdict(ctx context.Context) error {
	all, failed, recorded := 0, 0, 0
	for _, report := range r.reports {
		all, failed = all+len(report.Results), failed+report.Failed()
		for _, c := range report.Results {
			if c.Recorded {
				recorded++
			}
		}
	}
	if all > 0 && r.Output != "json" {
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
	covered := true
	if r.reached != nil && all > 0 {
		var err error
		if covered, err = r.coverageWritten(); err != nil {
			return err
		}
	}
	if r.mutate && all > 0 {
		noticed, err := r.mutated(ctx, failed)
		if err != nil {
			return err
		}
		covered = covered && noticed
	}
	switch {
	case r.bad:
		return wrongUse
	case all == 0 && !r.record:
		r.env.Errorf("there are no cases")
		return wrongUse
	case failed > 0, !covered:
		return cli.Exit(1)
	}
	return nil
}

// coverageWritten writes what has been reached, and reports whether that is as much as is wanted.
func (r *runner) coverageWritten() (enough bool, err error) {
	p := r.reached.Profile()
	if r.lcov != "" {
		r.complain(safefile.Replace(r.lcov, p.LCOV()))
	}
	if r.Output == "json" {
		if err := r.encode(map[string]any{"coverage": p.JSON()}); err != nil {
			return false, err
		}
	} else {
		r.paint(p.Text(r.width(), r.verbose))
	}
	if percent := p.Total().Percent(); percent < r.minCoverage {
		r.env.Errorf("the coverage is %.1f %%, less than %g %%", percent, r.minCoverage)
		return false, nil
	}
	return true, nil
}

// mutated tries mutants and writes what has become of them, and reports whether as many are killed as are wanted.
func (r *runner) mutated(ctx context.Context, failed int) (enough bool, err error) {
	switch {
	case r.bad:
		r.env.Errorf("mutants are not tried: there are files that cannot be used")
		return false, nil
	case failed > 0:
		first := ""
		for _, report := range r.reports {
			for _, c := range report.Results {
				if first == "" && len(c.Failures) > 0 {
					first = fmt.Sprintf("%s:%d: case %s", c.File, c.Line, c.Name)
				}
			}
		}
		r.env.Errorf("mutants are not tried: make the tests pass first (%s)", first)
		return false, nil
	}
	report, err := mutate.Run(ctx, r.benches)
	switch {
	case ctx.Err() != nil:
		return false, errors.New("interrupted")
	case err != nil:
		return false, err
	case r.Output == "json":
		err = r.encode(map[string]any{"mutation": report})
	default:
		r.paint(report.Text(r.width(), r.verbose))
	}
	if report.Score < r.minScore {
		r.env.Errorf("the mutation score is %.1f %%, less than %g %%", report.Score, r.minScore)
		return false, err
	}
	return true, err
}

// width returns how many columns lines may have.
func (r *runner) width() int {
	width, _ := cli.TerminalSize(r.env.Stdout)
	return width
}

// paint writes text, on a terminal with its carets in colour.
func (r *runner) paint(text string) {
	if r.env.ColorWanted(r.env.Stdout) {
		text = paint.Carets(text)
		r.env.Paints(true, false)
	}
	fmt.Fprint(r.env.Out, text)
}

func (r *runner) encode(v any) error {
	enc := json.NewEncoder(r.env.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// file runs, or records, a file of cases.
func (r *runner) file(ctx context.Context, name string) (*derivetest.Report, error) {
	text, err := safefile.Read(name, files.MaxFile)
	if err != nil {
		return nil, err
	}
	file, err := derivetest.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if r.record {
		now, err := file.Record(ctx, r.opt)
		if err != nil || bytes.Equal(now, text) {
			return nil, err
		}
		return nil, safefile.Replace(name, now)
	}
	run := file.Run
	if r.reached != nil {
		run = func(ctx context.Context, opt *derivetest.Options) (*derivetest.Report, error) {
			return r.reached.Run(ctx, file, opt)
		}
	}
	report, err := run(ctx, r.opt)
	if err != nil {
		return nil, err
	}
	if r.mutate && report.Failed() == 0 {
		opt := *r.opt
		opt.Keep = ""
		bench, _, err := file.Bench(ctx, &opt)
		if err != nil {
			return nil, err
		}
		r.benches = append(r.benches, bench)
	}
	if r.Output == "json" {
		return report, r.encode(report)
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
