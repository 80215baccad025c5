package repl

import (
	"context"
	"io"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// expand puts the columns of reports in the place of their names, and tells which are left out.
func (s *Session) expand(ctx context.Context, src *query.Source, args []string, tell func(*diagnose.Problem)) (report.Expansion, error) {
	x, err := s.opt.Reports.Expand(ctx, src, s.defs, args)
	for _, left := range x.Left {
		tell(left)
	}
	return x, err
}

func newReport() *Verb {
	return &Verb{
		Name: "report", Usage: "[INTERVAL] NAME ...", Short: "Show a report: metrics and formulas with labels",
		Long: "Show a report once, or as time goes by if there is an interval or a number of samples. At the prompt\n" +
			":vmstat alone does the same for the report of that name.",
		Doors: Both, Least: 1, Most: many, Asks: true, Leads: true, Partial: true, Complete: ofReports,
		New: func(f *Flags) Run {
			pace := f.pace()
			f.Output(outputs[:3], "json")
			f.Numbers()
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				interval, names := pace(args)
				return s.report(ctx, names, interval, f.Changed("samples"), w)
			}
		},
	}
}

// report shows reports once, or as time goes by if an interval is given.
func (s *Session) report(ctx context.Context, names []string, interval time.Duration, again bool, w io.Writer) error {
	x, err := s.expand(ctx, s.src, report.Arguments(strings.Join(names, " ")), func(p *diagnose.Problem) { s.note(w, p.Msg) })
	if err != nil {
		return err
	}
	q := s.one("")
	if interval > 0 || again {
		q = s.over("", interval, s.set.Samples)
	}
	q.Exprs = x.Exprs
	return s.follow(ctx, q, s.form(&q.Select), w, x.Shape)
}

func newReports() *Verb {
	return &Verb{
		Name: "reports", Usage: "[NAME ...]", Short: "List the reports, or the columns of some",
		Long: "List the reports that eval, deps, summarize and others take as :NAME, and where each comes from, or the\n" +
			"columns of those of names. Reports are those of pmrep.conf(5) on this machine, or of --config, and a few\n" +
			"that need no file.",
		Doors: Both, Most: many, Complete: ofReports,
		New: func(f *Flags) Run {
			f.Output(answer.Forms(), "json")
			return listReports
		},
	}
}

func listReports(ctx context.Context, s *Session, names []string, w io.Writer) error {
	lib, err := s.opt.Reports.Open()
	if err != nil {
		return err
	}
	list, err := lib.List(names)
	if err != nil {
		return err
	}
	return s.show(ctx, w, list)
}
