package repl

import (
	"context"
	"io"
	"strings"

	"pmtools/cmd/internal/item"
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

// runReport shows a report once, or as time goes by if an interval is given.
func runReport(ctx context.Context, s *Session, arg string, w io.Writer) error {
	interval, names := item.Interval(arg)
	x, err := s.expand(ctx, s.src, report.Arguments(names), func(p *diagnose.Problem) { s.note(w, p.Msg) })
	if err != nil {
		return err
	}
	q := s.one("")
	if interval > 0 {
		q = s.over("", interval, s.set.Samples)
	}
	q.Exprs = x.Exprs
	return s.follow(ctx, q, s.form(&q.Select), w, x.Shape)
}

func runReports(ctx context.Context, s *Session, arg string, w io.Writer) error {
	lib, err := s.opt.Reports.Open()
	if err != nil {
		return err
	}
	list, err := lib.List(strings.Fields(arg))
	if err != nil {
		return err
	}
	if known, err := list.Write(w, s.set.Output); known || err != nil {
		return err
	}
	return s.table(ctx, w, &Table{Header: list.Header, Rows: list.Rows, Wrap: true})
}
