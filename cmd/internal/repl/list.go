package repl

import (
	"context"
	"io"

	"pmtools/cmd/internal/answer"
)

func newList() *Verb {
	return &Verb{
		Name: "list", Usage: "[NAME ...]", Short: "List the definitions that the tools load, and where they come from",
		Long: "List the definitions in the files that the tools load, or those of names and below them: the file and line\n" +
			"of each, whether it belongs to PCP (stock), is installed or comes from -c (option), and which definition of\n" +
			"the same name hides it. With an option for a source, also those that a metric of the source hides. At the\n" +
			"prompt it lists the definitions of the session, unless there are names or --all.",
		Doors: Both, Most: many, Complete: ofDefinitions,
		New: func(f *Flags) Run {
			all := f.Door == Shell
			f.BoolVar(&all, "all", all, "list the definitions of files too, not only those of the session")
			f.Output(answer.Forms(), "json")
			return func(ctx context.Context, s *Session, names []string, w io.Writer) error {
				if f.Door == Prompt && len(names) > 0 && names[0] == "all" {
					return misuse(":list all is :list --all now")
				}
				if all || len(names) > 0 {
					return s.listAll(ctx, names, w)
				}
				return s.listOwn(ctx, w)
			}
		},
	}
}

// listOwn lists the definitions of the session, for people as they are typed.
func (s *Session) listOwn(ctx context.Context, w io.Writer) error {
	t := &Table{Keys: []string{"name", "expr"}, Records: [][]string{}}
	for _, d := range s.defs.Own() {
		t.Records = append(t.Records, []string{d.Name(), d.String()})
		t.Notes = append(t.Notes, d.Name()+" = "+d.String())
	}
	return s.show(ctx, w, t)
}

// listAll lists the definitions of the session and of files. The source is asked which of them its metrics
// hide if the session has one, or has been started with one.
func (s *Session) listAll(ctx context.Context, names []string, w io.Writer) error {
	tools, options, err := s.tools()
	if err != nil {
		return err
	}
	c := tools.Catalog(options)
	for _, d := range s.defs.Own() {
		c.Hide(d.Name(), d.String())
	}
	if err := c.Keep(names); err != nil {
		return err
	}
	if s.kind != Default || s.src != nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
		if err := c.Mask(ctx, s.src); err != nil {
			return err
		}
	}
	return s.show(ctx, w, c.Table())
}
