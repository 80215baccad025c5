package repl

import (
	"context"
	"io"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/grid"
)

// A Table is rows of text in columns.
type Table = answer.Table

// show shows a table, in the form that the settings say.
func (s *Session) show(ctx context.Context, w io.Writer, t *Table) error {
	return t.Write(w, s.set.Output, func(w io.Writer, t *Table) error { return s.table(ctx, w, t) })
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
