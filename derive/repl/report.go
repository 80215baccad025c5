package repl

import (
	"context"
	"io"
	"strings"

	"pmtools/derive/internal/item"
	"pmtools/derive/query"
	"pmtools/derive/report"
)

// expanded returns expressions with the columns of reports in the place of their names.
func (s *Session) expanded(ctx context.Context, src *query.Source, exprs []string) ([]string, error) {
	if !report.Named(exprs) {
		return exprs, nil
	}
	lib, err := s.opt.Reports()
	if err != nil {
		return nil, err
	}
	x, err := lib.Expand(ctx, src, s.defs, exprs)
	if err != nil {
		return nil, err
	}
	for _, left := range x.Left {
		s.complain(s.target(), left)
	}
	return x.Exprs, nil
}

// runReport shows a report once, or as time goes by if an interval is given.
func runReport(ctx context.Context, s *Session, arg string, w io.Writer) error {
	lib, err := s.opt.Reports()
	if err != nil {
		return err
	}
	interval, rest := item.Interval(arg)
	x, err := lib.Expand(ctx, s.src, s.defs, report.Arguments(rest))
	if err != nil {
		return err
	}
	for _, left := range x.Left {
		s.note(w, left.Msg)
	}
	q := s.one("")
	if interval > 0 {
		q = s.over("", interval, s.set.Samples)
	}
	q.Exprs = x.Exprs
	return s.follow(ctx, q, s.form(&q.Select), w, x.Shape)
}

func runReports(ctx context.Context, s *Session, arg string, w io.Writer) error {
	lib, err := s.opt.Reports()
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
