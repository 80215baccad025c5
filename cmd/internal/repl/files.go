package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/lint"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
)

func newLoad() *Verb {
	return &Verb{
		Name: "load", Usage: "FILE", Short: "Read definitions from a configuration file", Least: 1, Most: 1, Asks: true, Files: true,
		New: plain(func(ctx context.Context, s *Session, args []string, w io.Writer) error {
			return s.load(ctx, args[0], w)
		}),
	}
}

func (s *Session) load(ctx context.Context, name string, w io.Writer) error {
	src, err := s.opt.Files.ReadFile(name)
	if err != nil {
		return diagnose.From(err)
	}
	f := readDefinitions(name, src, s.defs.Own())
	s.define(s.defs.Replace(f.own))
	if s.files[name] = len(f.problems) == 0 && f.dropped == 0; s.files[name] {
		s.saved = name
	}
	fmt.Fprintf(w, "%s from %s\n", textwidth.Plural(f.taken, "definition"), name)
	if err := s.recheck(ctx, w); err != nil {
		return err
	}
	if len(f.problems) == 0 {
		return nil
	}
	return &diagnose.Problem{Msg: textwidth.Plural(f.wrong, "line") + " of " + name + " left out", Notes: f.problems}
}

func newSave() *Verb {
	return &Verb{
		Name: "save", Aliases: []Alias{{Name: "save!", Options: []string{"--force"}}}, Usage: "[FILE]",
		Short: "Write the definitions to a configuration file",
		Long: "Write the definitions to FILE, or to the file that this session has read whole or written last.\n" +
			"Other files that are there already are overwritten with --force only.",
		Most: 1, Asks: true, Files: true,
		New: func(f *Flags) Run {
			force := f.Bool("force", false, "write definitions of the extended language, too, and replace the content of any file")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				name := cmp.Or(strings.Join(args, ""), s.saved)
				if name == "" {
					return query.Problemf("this session has neither read nor written a whole file: :save FILE writes a new one")
				}
				return s.save(ctx, name, *force, w)
			}
		},
	}
}

func (s *Session) save(ctx context.Context, name string, over bool, w io.Writer) error {
	old, _ := s.opt.Files.ReadFile(name) // an error is that of writing it, too
	text, err := lint.Saved(ctx, s.binder(), s.defs.Own(), over || syntax.IsExtended(old))
	if bad, ok := errors.AsType[*diagnose.Problem](err); ok {
		bad.Notes = append(bad.Notes, ":save! "+name+" writes a file for pmderive alone; its first line says so")
	}
	if err != nil {
		return err
	}
	switch err := s.opt.Files.WriteFile(name, []byte(text), over || s.files[name]); {
	case errors.Is(err, fs.ErrExist):
		why := "this session has not read or written it"
		if _, known := s.files[name]; known {
			why = "not all of what is in it was read"
		}
		return &diagnose.Problem{Msg: name + " is not overwritten: " + why, Notes: []string{":save! " + name + " writes it all the same"}, Err: err}
	case err != nil:
		return diagnose.From(err)
	}
	s.files[name], s.saved, s.dirty = true, name, false
	fmt.Fprintf(w, "%s to %s\n", textwidth.Plural(len(s.defs.Own()), "definition"), name)
	return nil
}
