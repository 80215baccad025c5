package repl

import (
	"context"
	"errors"
	"io"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/describe"
	"pmtools/derive/diagnose"
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
				return s.describe(ctx, list, only, w)
			}
		},
	}
	for _, part := range describe.Parts() {
		v.Aliases = append(v.Aliases, Alias{part, []string{"--only", part}})
	}
	return v
}

// describe describes metrics. One that cannot be described does not keep the others from that.
func (s *Session) describe(ctx context.Context, list []string, only string, w io.Writer) error {
	c := s.catalogue(ctx)
	var pages []*describe.Description
	part := describe.NewPart(c, only, len(list) > 1, func(line string) { s.note(w, line) })
	add := part.Add
	if only == "" {
		c.Take(ctx, list, s.set.Interval)
		add = func(ctx context.Context, name string) error {
			d, err := c.New(ctx, name, s.set.Interval)
			if err == nil {
				pages = append(pages, d)
			}
			return err
		}
	}
	var bad []error
	for _, name := range list {
		err := add(ctx, name)
		if p, wrong := errors.AsType[*diagnose.Problem](err); wrong {
			bad = append(bad, p)
		} else if err != nil {
			return err
		}
	}
	t := &part.Table
	if only == "" {
		t = describe.Table(pages, s.set.Numbers.Form(), s.zone)
	}
	if len(bad) < len(list) {
		bad = append(bad, s.show(ctx, w, t))
	}
	return errors.Join(bad...)
}
