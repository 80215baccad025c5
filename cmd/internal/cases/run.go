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
	"pmtools/derive/derivetest"
	"pmtools/lib/safefile"
)

// wrongUse is the status of files that cannot be used.
const wrongUse = cli.Exit(2)

type runner struct {
	*Options
	env     *cli.Env
	opt     *derivetest.Options
	reports []*derivetest.Report
	bad     bool // a file cannot be used
}

// Run runs files of cases, and those in directories.
func Run(ctx context.Context, env *cli.Env, o *Options, opt *derivetest.Options, args []string) error {
	r := &runner{Options: o, env: env, opt: opt}
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
func (r *runner) complain(err error) {
	if err != nil {
		r.env.Errorf("%v", err)
		r.bad = true
	}
}

// verdict writes how many cases there were, and returns the status.
func (r *runner) verdict() error {
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
	report, err := file.Run(ctx, r.opt)
	if err != nil {
		return nil, err
	}
	if r.Output == "json" {
		enc := json.NewEncoder(r.env.Out)
		enc.SetEscapeHTML(false)
		return report, enc.Encode(report)
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
