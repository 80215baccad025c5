package repl

import (
	"context"
	"io"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// expand puts the columns of reports in the place of their names, and tells which are left out.
func (s *Session) expand(ctx context.Context, src *query.Source, args []string, tell func(*diagnose.Problem)) (report.Expansion, error) {
	x, err := s.opt.Reports.Expand(ctx, src, s.defs, args)
	var list []string
	for _, left := range x.Left {
		if left.Notes != nil {
			tell(left)
		} else {
			list = append(list, left.Msg)
		}
	}
	for _, about := range answer.Notes(list) {
		tell(query.Problemf("%s", about))
	}
	return x, err
}

func newReport() *Verb {
	return &Verb{
		Name: "report", Usage: "[INTERVAL] NAME ...", Short: "Show a report: metrics and formulas with labels",
		Long: "Show a report once, or as time goes by if there is an option about time. At the prompt :vmstat alone\n" +
			"does the same for the report of that name. Options are those of eval.",
		Doors: Both, Least: 1, Most: many, Leads: true, Partial: true, Complete: ofReports,
		New: func(f *Flags) Run {
			e := f.evaluation("")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				return e.run(ctx, s, report.Arguments(strings.Join(e.counted(e.paced(args)), " ")), w)
			}
		},
	}
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
	lib, err := s.opt.Reports.Open(ctx)
	if err != nil {
		return err
	}
	list, err := lib.List(names)
	if err != nil {
		return err
	}
	return s.show(ctx, w, list)
}
