package repl

import (
	"context"
	"fmt"
	"io"

	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
)

func newEdit() *Verb {
	return &Verb{
		Name: "edit", Usage: "[NAME]", Short: "Change the last item, or a definition, with $EDITOR and run it", Most: 1, Complete: ofDefinitions,
		New: plain(runEdit),
	}
}

func runEdit(ctx context.Context, s *Session, args []string, w io.Writer) error {
	if s.opt.Edit == nil {
		return query.Problemf("there is no editor here")
	}
	text := s.last
	if len(args) > 0 {
		d := s.defs.FindOwn(args[0])
		if d == nil {
			return s.notOwn(args[0])
		}
		text = d.Name() + " = " + d.String()
	}
	text, err := s.opt.Edit(text + "\n")
	if err != nil {
		return diagnose.From(err)
	}
	text = textwidth.OneLine(text)
	if text == "" {
		return nil
	}
	if it := item.Parse(text); it.Kind == item.Command && it.Name == "edit" {
		return query.Problemf("an item to edit cannot be :edit")
	}
	fmt.Fprintln(w, text)
	return s.run(ctx, text, w)
}
