package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/manual"
)

// runHelp shows a page.
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
			found = true
		}
	}
	for _, f := range check.Functions() {
		names = append(names, f.Name)
		if f.Name == name {
			io.WriteString(w, manual.Function(f))
			found = true
		}
	}
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
		if t.Name == name {
			io.WriteString(w, t.Text)
			found = true
		}
	}
	if !found {
		return &Problem{Msg: "there is no help about " + name, Notes: diagnose.DidYouMean(name, names)}
	}
	return nil
}

// helpIndex lists what there is.
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
	for _, topic := range manual.Topics() {
		summary := topic.Summary
		if topic.Name == "functions" {
			summary = strings.Join(diagnose.FunctionNames(), " ")
		}
		t.Rows = append(t.Rows, []string{"  " + topic.Name, summary})
	}
	return s.table(ctx, w, t)
}

// helpSettings lists the settings.
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
