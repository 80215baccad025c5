package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/cmd/internal/manual"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
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
		Name: "help", Usage: "[TOPIC]", Short: "Explain a command, a function or the language", Most: 1, Complete: ofTopics,
		New: plain(runHelp),
	}
}

func runHelp(ctx context.Context, s *Session, args []string, w io.Writer) error {
	name := strings.TrimSuffix(strings.TrimPrefix(strings.Join(args, ""), ":"), "()")
	if name == "" {
		return s.helpIndex(ctx, w)
	}
	var names []string
	found := false
	for _, v := range At(Prompt, s.verbs()) {
		names = append(names, v.names()...)
		if slices.Contains(v.names(), name) {
			fmt.Fprintln(w, v.usage(Prompt))
			if err := s.table(ctx, w, &Table{Rows: [][]string{{"  ", v.Short}}, Wrap: true}); err != nil {
				return err
			}
			if name == "set" {
				s.helpSettings(w)
			}
			if err := s.table(ctx, w, &Table{Rows: s.helpRows(v), Wrap: true}); err != nil {
				return err
			}
			found = true
		}
	}
	known, err := manual.Write(w, name)
	if found = found || known; !found {
		names = append(names, manual.Names()...)
		return manual.Unknown(name, names)
	}
	return err
}

func (s *Session) helpIndex(ctx context.Context, w io.Writer) error {
	t := &Table{Wrap: true, Rows: [][]string{{"An expression is evaluated; NAME = EXPR defines a derived metric."}, {""}}}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	t = &Table{Wrap: true}
	for _, v := range At(Prompt, s.verbs()) {
		text := v.Short
		if len(v.Aliases) > 0 {
			text += " (also :" + strings.Join(v.names()[1:], ", :") + ")"
		}
		t.Rows = append(t.Rows, []string{v.usage(Prompt), text})
	}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	io.WriteString(w, "\nTopics of :help, besides commands:\n")
	t = &Table{Wrap: true}
	for _, topic := range manual.All() {
		summary := topic.Summary
		if topic.Name == "functions" {
			summary = strings.Join(diagnose.FunctionNames(check.PCP), " ")
		}
		t.Rows = append(t.Rows, []string{"  " + topic.Name, summary})
	}
	return s.table(ctx, w, t)
}

func (s *Session) helpSettings(w io.Writer) {
	for _, k := range settings {
		fmt.Fprintf(w, "    %s: %s\n", k.key, k.help)
	}
}
