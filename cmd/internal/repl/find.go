package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"pmtools/cmd/internal/find"
)

func runFind(ctx context.Context, s *Session, words string, w io.Writer) error {
	a, err := s.finder.Find(ctx, s.catalogue(ctx), words, cmp.Or(s.set.Top, find.Top))
	if err != nil {
		return err
	}
	if known, err := a.Write(w, s.set.Output, s.zone); known {
		return err
	}
	t := &Table{Header: find.Header, Rows: a.Rows(s.set.Numbers.Form()), Right: []bool{false, false, true}, Drop: []int{1}, Wrap: true}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	for _, note := range a.Notes {
		fmt.Fprintln(w, note)
	}
	return nil
}
