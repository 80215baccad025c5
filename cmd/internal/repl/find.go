package repl

import (
	"context"
	"io"
	"strings"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/find"
)

func newFind() *Verb {
	return &Verb{
		Name: "find", Usage: "WORD ...", Short: "Find metrics by words about them",
		Long: "Find metrics by words in their names, help texts, instances and definitions. Other forms of a word\n" +
			"and synonyms count too. The best matches come first, with an example value and why they match.",
		Doors: Both, Least: 1, Most: many, Asks: true,
		New: func(f *Flags) Run {
			top := find.Top
			f.IntVar(&top, "top", top, "show the `N` best matches")
			f.Output(answer.Forms(), "json")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				a, err := find.Find(ctx, s.catalogue(ctx), strings.Join(args, " "), top)
				if err != nil {
					return err
				}
				return s.show(ctx, w, a.Table(s.set.Numbers.Form(), s.zone))
			}
		},
	}
}
