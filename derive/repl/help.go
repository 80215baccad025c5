package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/digest"
	"pmtools/derive/manual"
)

func runHelp(ctx context.Context, s *Session, name string, w io.Writer) error {
	name = strings.TrimSuffix(strings.TrimPrefix(name, ":"), "()")
	if name == "" {
		return s.helpIndex(ctx, w)
	}
	var names []string
	found := false
	for _, c := range commands() {
		names = append(names, c.name)
		if c.name == name {
			fmt.Fprintf(w, ":%s\n    %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
			if name == "set" {
				s.helpSettings(w)
			}
			if err := s.table(ctx, w, &Table{Rows: digest.Usage(name), Wrap: true}); err != nil {
				return err
			}
			found = true
		}
	}
	known, err := WriteHelp(w, name)
	if found = found || known; !found {
		names = append(names, HelpNames()...)
		return NoHelp(name, names)
	}
	return err
}

// WriteHelp writes about a function or a topic, and reports whether there is one with a name.
func WriteHelp(w io.Writer, name string) (known bool, err error) {
	for _, f := range check.Functions() {
		if known = f.Name == name; known {
			_, err = io.WriteString(w, manual.Function(f))
			return known, err
		}
	}
	for _, t := range manual.All() {
		if known = t.Name == name; known {
			_, err = io.WriteString(w, t.Text)
			return known, err
		}
	}
	return false, nil
}

// NoHelp returns the problem that there is no help about a name, and which of some names may be meant.
func NoHelp(name string, names []string) *Problem {
	return &Problem{Msg: "there is no help about " + name, Notes: diagnose.DidYouMean(name, names)}
}

// HelpNames returns the names that WriteHelp knows: topics and functions.
func HelpNames() (names []string) {
	for _, t := range manual.All() {
		names = append(names, t.Name)
	}
	return append(names, diagnose.FunctionNames()...)
}

func (s *Session) helpIndex(ctx context.Context, w io.Writer) error {
	io.WriteString(w, "An expression is evaluated; NAME = EXPR defines a derived metric.\n\n")
	t := &Table{Wrap: true}
	for _, c := range commands() {
		t.Rows = append(t.Rows, []string{":" + strings.TrimSpace(c.name+" "+c.args), c.help})
	}
	if err := s.table(ctx, w, t); err != nil {
		return err
	}
	io.WriteString(w, "\nTopics of :help, besides commands:\n")
	t = &Table{Wrap: true}
	for _, topic := range manual.All() {
		summary := topic.Summary
		if topic.Name == "functions" {
			summary = strings.Join(diagnose.FunctionNames(), " ")
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

// Functions returns the functions of the language.
func Functions() []check.Function { return check.Functions() }

// WriteFunctions writes about one function, or about all of them if there is no name.
func WriteFunctions(w io.Writer, name string) error {
	list := check.Functions()
	if name == "" {
		io.WriteString(w, manual.Functions())
		return nil
	}
	name = strings.TrimSuffix(name, "()")
	i := slices.IndexFunc(list, func(f check.Function) bool { return f.Name == name })
	if i < 0 {
		return &Problem{Msg: "there is no function " + name, Notes: diagnose.DidYouMean(name, diagnose.FunctionNames())}
	}
	io.WriteString(w, manual.Function(list[i]))
	return nil
}
