package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/cmd/internal/manual"
	"pmtools/derive/check"
)

func newFunctions() *Verb {
	return &Verb{
		Name: "functions", Usage: "[NAME]", Short: "Describe the functions of the language", Doors: Both, Most: 1,
		Complete: func(c *completer, arg string) int {
			for _, f := range check.Extended.Functions() {
				c.offer(arg, f.Name)
			}
			return 0
		},
		New: plain(func(_ context.Context, _ *Session, args []string, w io.Writer) error {
			return manual.WriteFunctions(w, strings.Join(args, ""))
		}),
	}
}

func newHelp() *Verb {
	return &Verb{
		Name: "help", Aliases: []Alias{{Name: "h"}}, Usage: "[COMMAND|TOPIC|FUNCTION]", Short: "Tell about a command, a topic or a function",
		Doors: Both, Most: 1, Bare: true, Complete: ofTopics,
		New: func(f *Flags) Run {
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				return s.help(ctx, f.Door, strings.TrimSuffix(strings.TrimPrefix(strings.Join(args, ""), ":"), "()"), w)
			}
		},
	}
}

// help tells about all that a name stands for, or what there is help about.
func (s *Session) help(ctx context.Context, door Door, name string, w io.Writer) error {
	if name == "" {
		return s.helpIndex(ctx, door, w)
	}
	names := manual.Names()
	var found *Verb
	for _, v := range s.verbs {
		names = append(names, v.names()...)
		if slices.Contains(v.names(), name) {
			found = v
		}
	}
	if found != nil {
		if err := s.helpVerb(ctx, door, found, w); err != nil {
			return err
		}
	}
	var text strings.Builder
	switch known, err := manual.Write(&text, name); {
	case err != nil:
		return err
	case found == nil && !known:
		return Misuse{manual.Unknown(name, names)}
	case found != nil && known:
		fmt.Fprintln(w)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// helpIndex lists what there is help about.
func (s *Session) helpIndex(ctx context.Context, door Door, w io.Writer) error {
	if door == Shell && s.opt.Help != nil {
		return s.opt.Help("")
	}
	if err := s.table(ctx, w, &Table{Wrap: true, Rows: [][]string{{"An expression is evaluated; NAME = EXPR defines a derived metric."}}}); err != nil {
		return err
	}
	return s.page(door).Index(ctx, w)
}

// helpVerb tells about a verb at a door, or at the other one if it has that alone.
func (s *Session) helpVerb(ctx context.Context, door Door, v *Verb, w io.Writer) error {
	if len(At(door, []*Verb{v})) == 0 {
		door = Both &^ door
	}
	if door == Shell && s.opt.Help != nil {
		return s.opt.Help(v.Name)
	}
	f := s.flags(v)
	v.New(f)
	if err := s.page(door).Verb(ctx, w, v, f.FlagSet); err != nil || v.Name != "set" {
		return err
	}
	io.WriteString(w, "\nKeys:\n")
	for _, k := range settings {
		fmt.Fprintf(w, "  %s: %s\n", k.key, k.help)
	}
	return nil
}

// page returns the help of a door.
func (s *Session) page(door Door) *Page { return &Page{door, s.verbs, s.table} }
