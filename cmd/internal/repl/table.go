package repl

import (
	"context"
	"io"

	"pmtools/cmd/internal/table"
)

// A Table is rows of text in columns.
type Table = table.Table

func (s *Session) table(ctx context.Context, w io.Writer, t *Table) error {
	if s.set.Vertical && len(t.Header) > 0 {
		t = t.Vertical()
	}
	if s.opt.Table != nil {
		return s.opt.Table(ctx, w, t)
	}
	return t.WritePlain(w)
}
