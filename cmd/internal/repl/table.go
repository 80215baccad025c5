package repl

import (
	"context"
	"fmt"
	"io"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/grid"
)

// A Table is rows of text in columns.
type Table = answer.Table

// show shows a table, in the form that the settings say.
func (s *Session) show(ctx context.Context, w io.Writer, t *Table) error {
	if p, ok := w.(interface{ Whole() }); ok && s.set.Output != outputs[0] {
		p.Whole() // a pager breaks lines
	}
	switch s.set.Output {
	case "csv":
		return t.WriteCSV(w)
	case "json":
		return t.WriteJSON(w)
	}
	for _, line := range t.Above {
		fmt.Fprintln(w, line)
	}
	if len(t.Rows) > 0 || len(t.Header) > 0 {
		if err := s.table(ctx, w, t); err != nil {
			return err
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintln(w, note)
	}
	return nil
}

func (s *Session) table(ctx context.Context, w io.Writer, t *Table) error {
	if s.set.Vertical && len(t.Header) > 0 {
		t = t.Vertical()
	}
	if s.opt.Table != nil {
		return s.opt.Table(ctx, w, t)
	}
	return grid.Draw(ctx, w, t, 0)
}
