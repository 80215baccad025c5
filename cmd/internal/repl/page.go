package repl

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/manual"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
)

// A Group is the title below which help lists verbs.
type Group string

// The groups.
const (
	Metadata    Group = "What is there"
	Evaluation  Group = "See values"
	Analysis    Group = "What happened, and when"
	Definitions Group = "Derived metrics and their files"
	Databases   Group = "Record, export, send"
	Positions   Group = "Where values come from, and of when"
	Others      Group = "The program itself"
)

// In puts verbs into the group.
func (g Group) In(verbs ...*Verb) []*Verb {
	for _, v := range verbs {
		v.Group = g
	}
	return verbs
}

//go:embed examples.txt
var examples string

// Examples returns the command lines that show how a command of the shell is used, with a line of text before them.
func Examples(name string) string {
	_, text, _ := strings.Cut("\n"+examples, "\n== "+name+"\n")
	text, _, _ = strings.Cut(text, "\n== ")
	if text = strings.TrimSpace(text); text != "" {
		text = "\nExamples:\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
	}
	return text
}

// A Page is the help of a door.
type Page struct {
	Door  Door
	Verbs []*Verb                                                // of both doors
	Table func(ctx context.Context, w io.Writer, t *Table) error // draws tables
}

// Verb writes the help of a verb: its description, examples and options.
func (p *Page) Verb(ctx context.Context, w io.Writer, v *Verb, options *pflag.FlagSet) error {
	if err := p.Table(ctx, w, &Table{Rows: [][]string{{v.Short}}, Wrap: true}); err != nil {
		return err
	}
	text := Examples(v.Name)
	if v.Long != "" {
		text += "\n" + v.Long + "\n"
	}
	usage := v.usage(p.Door)
	if options.HasAvailableFlags() || p.Door == Shell {
		usage = strings.Replace(usage, v.Name, v.Name+" [options]", 1)
	}
	if _, err := fmt.Fprintf(w, "%s\nUsage: %s\n", text, usage); err != nil {
		return err
	}
	return p.Options(ctx, w, "Options", options)
}

// Options writes the syntax, meaning and default of each option.
func (p *Page) Options(ctx context.Context, w io.Writer, title string, options *pflag.FlagSet) error {
	var rows [][]string
	options.SortFlags = false
	options.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := OptionText(f)
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		rows = append(rows, []string{strings.TrimRight(name+" "+value, " "), text})
	})
	return p.list(ctx, w, title, rows)
}

// OptionText returns the name of an option's value, and its meaning with its default.
func OptionText(f *pflag.Flag) (value, text string) {
	value, text = pflag.UnquoteUsage(f)
	if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
		text += " (default " + f.DefValue + ")"
	}
	return value, text
}

// Index lists the verbs in their groups, and the topics.
func (p *Page) Index(ctx context.Context, w io.Writer) error {
	sign := ""
	if p.Door == Prompt {
		sign = ":"
	}
	for _, g := range []Group{Metadata, Evaluation, Analysis, Definitions, Databases, Positions, Others} {
		var rows [][]string
		for _, v := range At(p.Door, p.Verbs) {
			if v.Group == g {
				rows = append(rows, []string{fmt.Sprintf("  %-11s", sign+v.Name), v.Short + v.also(p.Door)})
			}
		}
		if err := p.list(ctx, w, string(g), rows); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, topic := range manual.All() {
		summary := topic.Summary
		if topic.Name == "functions" {
			summary = strings.Join(diagnose.FunctionNames(check.PCP), " ")
		}
		rows = append(rows, []string{fmt.Sprintf("  %-11s", topic.Name), summary})
	}
	return p.list(ctx, w, "Topics of help, besides commands", rows)
}

// list writes rows below a title, unless there are none.
func (p *Page) list(ctx context.Context, w io.Writer, title string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\n%s:\n", title); err != nil {
		return err
	}
	return p.Table(ctx, w, &Table{Rows: rows, Wrap: true})
}
