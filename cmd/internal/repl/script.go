package repl

import (
	"context"
	"fmt"
	"io"
	"strings"

	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// maxDepth is how deep files may run each other.
const maxDepth = 10

func runFile(ctx context.Context, s *Session, name string, _ io.Writer) error {
	if s.opt.Files == nil {
		return query.Problemf("there are no files here")
	}
	if s.depth >= maxDepth {
		return query.Problemf("files run each other more than %d deep", maxDepth)
	}
	text, err := s.opt.Files.ReadFile(name)
	if err != nil {
		return diagnose.From(err)
	}
	s.depth++
	defer func() { s.depth-- }()
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		first, item := i+1, strings.TrimSuffix(lines[i], "\r")
		for i+1 < len(lines) && (strings.HasSuffix(item, `\`) || Incomplete(item)) {
			i++
			item = Join(item, strings.TrimSuffix(lines[i], "\r"))
		}
		if err := s.run(ctx, item, s.target()); err != nil {
			return s.inFile(err, name, first)
		}
	}
	return nil
}

// inFile returns an error of an item as one in a line of a file. Files that run the file are not
// mentioned.
func (s *Session) inFile(err error, name string, line int) error {
	p, ok := err.(*diagnose.Problem)
	if !ok || s.placed {
		return err
	}
	s.placed = true
	in := *p
	in.Msg = fmt.Sprintf("%s:%d: %s", name, line, p.Msg)
	return &in
}

func runOutput(_ context.Context, s *Session, name string, _ io.Writer) error {
	if err := s.closeOutput(); err != nil {
		return diagnose.From(err)
	}
	if name == "" {
		return nil
	}
	if s.opt.Files == nil {
		return query.Problemf("there are no files here")
	}
	out, err := s.opt.Files.Create(name)
	if err != nil {
		return diagnose.From(err)
	}
	s.out = out
	return nil
}

func (s *Session) closeOutput() error {
	if s.out == nil {
		return nil
	}
	out := s.out
	s.out = nil
	return out.Close()
}

func runEdit(ctx context.Context, s *Session, name string, w io.Writer) error {
	if s.opt.Edit == nil {
		return query.Problemf("there is no editor here")
	}
	text := s.last
	if name != "" {
		d := s.defs.FindOwn(name)
		if d == nil {
			return s.notOwn(name)
		}
		text = d.Name() + " = " + d.String()
	}
	text, err := s.opt.Edit(text + "\n")
	if err != nil {
		return diagnose.From(err)
	}
	text = query.OneLine(text)
	if text == "" {
		return nil
	}
	if it := item.Parse(text); it.Kind == item.Command && it.Name == "edit" {
		return query.Problemf("an item to edit cannot be :edit")
	}
	fmt.Fprintln(w, text)
	return s.run(ctx, text, w)
}

// toggling returns the command that changes a setting to the other value.
func toggling(word string, of func(*Settings) *bool) func(context.Context, *Session, string, io.Writer) error {
	return func(_ context.Context, s *Session, _ string, w io.Writer) error {
		on := of(&s.set)
		*on = !*on
		fmt.Fprintln(w, word+" "+onOffText(*on))
		return nil
	}
}

func (s *Session) saveSettings(w io.Writer) error {
	if s.opt.Save == nil {
		return query.Problemf("settings cannot be kept here")
	}
	var b strings.Builder
	for _, k := range settings {
		if k.key != "color" { // the terminal and NO_COLOR decide
			fmt.Fprintf(&b, ":set %s %s\n", k.key, k.get(&s.set))
		}
	}
	name, err := s.opt.Save([]byte(b.String()))
	if err != nil {
		return diagnose.From(err)
	}
	fmt.Fprintln(w, "settings to "+name)
	return nil
}
