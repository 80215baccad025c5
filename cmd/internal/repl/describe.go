package repl

import (
	"context"
	"errors"
	"io"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/describe"
)

func newDescribe() *Verb {
	v := &Verb{
		Name: "describe", Aliases: []Alias{{Name: "d"}}, Usage: "NAME ...", Short: "Show all about a metric",
		Long: "Show texts, type, instances, labels, values and rates of a metric, what it is made of, the definitions\n" +
			"that use it, when an archive has it, and expressions to try. A name that has metrics below it lists them.",
		Doors: Both, Least: 1, Most: many, Asks: true, Complete: ofNames,
		New: func(f *Flags) Run {
			only := ""
			f.Choice(&only, "part", "only", "", "show only this `PART`, in full, as an item of its name does", describe.Parts())
			f.Output(answer.Forms(), "json")
			return func(ctx context.Context, s *Session, list []string, w io.Writer) error {
				t, err := s.catalogue(ctx).Table(ctx, only, list, func(line string) { s.note(w, line) })
				if t == nil {
					return err
				}
				return errors.Join(err, s.show(ctx, w, t))
			}
		},
	}
	for _, part := range describe.Parts() {
		v.Aliases = append(v.Aliases, Alias{part, []string{"--only", part}})
	}
	return v
}
