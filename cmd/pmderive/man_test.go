package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/lib/option"
)

// roff escapes text for the manual page.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "\n.", "\n"+`\&.`)

// TestManualSections compares the sections of the manual page that are made of examples.txt and of the verbs.
func TestManualSections(t *testing.T) {
	const page = "../../man/pmderive.1"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"EXAMPLES": roffExamples(t), "COMMANDS": roffCommands()} {
		before, rest, ok := strings.Cut(string(text), ".SH "+name)
		old, after, more := strings.Cut(rest, "\n.SH ")
		if !ok || !more {
			t.Fatalf("%s has no section %s", page, name)
		}
		if want = "\n" + strings.TrimSuffix(want, "\n"); !*update && old != want {
			t.Errorf("section %s of %s is stale; go test ./cmd/pmderive -run ManualSections -update writes it", name, page)
		}
		text = []byte(before + ".SH " + name + want + "\n.SH " + after)
	}
	if *update {
		if err := os.WriteFile(page, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// roffExamples returns the examples for the manual page: each text is a tag of a paragraph.
func roffExamples(t *testing.T) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimPrefix(exampleText(t), "== "), "\n== ") {
		_, text, _ := strings.Cut(part, "\n")
		open := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			switch comment, ok := strings.CutPrefix(line, "# "); {
			case ok:
				if open {
					b.WriteString(".fi\n")
				}
				fmt.Fprintf(&b, ".PP\n%s\n.PP\n.nf\n", roff.Replace(strings.ToUpper(comment[:1])+comment[1:]))
				open = true
			case line != "":
				fmt.Fprintf(&b, "    %s\n", roff.Replace(line))
			}
		}
		if open {
			b.WriteString(".fi\n")
		}
	}
	return b.String()
}

// roffCommands returns what the manual page says of the verbs. Options that mean the same as those of eval, which the
// section OPTIONS describes, have their names only.
func roffCommands() string {
	a := newCommand(&cli.Env{LookupEnv: func(string) (string, bool) { return "", false }})
	root, verbs := a.newRoot(), a.verbs()
	above := roffOptions(root, verbs[slices.IndexFunc(verbs, func(v *repl.Verb) bool { return v.Name == "eval" })])
	slices.SortFunc(verbs, func(v, w *repl.Verb) int { return cmp.Compare(v.Name, w.Name) })
	var b strings.Builder
	b.WriteString(`A name with a colon is that of the prompt, one without a colon that of the shell. Options of one of the two only
say so; those that are described above have only their names here.
`)
	for _, v := range verbs {
		usage := usageWord.ReplaceAllStringFunc(roff.Replace(v.Usage), func(word string) string {
			if word == strings.ToUpper(word) {
				return `\fI` + word + `\fR`
			}
			return `\fB` + word + `\fR`
		})
		var names []string
		if v.Doors&repl.Shell != 0 {
			names = append(names, v.Name)
		}
		if v.Doors != repl.Shell {
			names = append(names, ":"+v.Name)
		}
		text := roff.Replace(cmp.Or(v.Long, strings.TrimSuffix(v.Short, ".")+".")) + "\n"
		for _, alias := range v.Aliases {
			if names = append(names, ":"+alias.Name); len(alias.Options) > 0 {
				text += fmt.Sprintf("\\fB:%s\\fR is \\fB:%s %s\\fR.\n", alias.Name, v.Name, roff.Replace(strings.Join(alias.Options, " ")))
			}
		}
		fmt.Fprintf(&b, ".TP\n%s\n%s", strings.TrimSpace(`\fB`+strings.Join(names, `\fR, \fB`)+`\fR `+usage), text)
		var own, known []string
		for _, o := range roffOptions(root, v) {
			if slices.Contains(above, o) {
				known = append(known, o.name+o.door)
			} else {
				own = append(own, ".TP\n"+o.name+o.value+"\n"+o.text+o.door+".\n")
			}
		}
		if len(known) > 0 {
			b.WriteString(".IP\nOptions as above: " + strings.Join(known, ",\n") + ".\n")
		}
		if len(own) > 0 {
			b.WriteString(".RS\n" + strings.Join(own, "") + ".RE\n")
		}
	}
	return b.String()
}

// usageWord matches what stands in a usage for itself or, in capitals, for a value.
var usageWord = regexp.MustCompile(`[-\\\w]+`)

// A roffOption is what the manual page says of an option.
type roffOption struct{ name, value, text, door string }

// roffOptions returns the options of a verb at both doors.
func roffOptions(root *cobra.Command, v *repl.Verb) (list []roffOption) {
	shell, prompt := pflag.NewFlagSet("", 0), pflag.NewFlagSet("", 0)
	if v.Doors != repl.Shell {
		v.New(repl.NewFlags(prompt, repl.Prompt, repl.Settings{}, &option.Parser{}, nil))
	}
	if cmd, _, err := root.Find([]string{v.Name}); err == nil && cmd != root {
		shell = cmd.LocalNonPersistentFlags()
	}
	shell.SortFlags = false
	add := func(f *pflag.Flag, door string) {
		value, text := repl.OptionText(f)
		o := roffOption{name: `\fB` + roff.Replace("--"+f.Name) + `\fR`, text: roff.Replace(strings.ToUpper(text[:1]) + text[1:]), door: door}
		if f.Shorthand != "" {
			o.name = `\fB\-` + f.Shorthand + `\fR, ` + o.name
		}
		if value != "" {
			o.value = ` \fI` + roff.Replace(value) + `\fR`
		}
		if !f.Hidden {
			list = append(list, o)
		}
	}
	shell.VisitAll(func(f *pflag.Flag) {
		door := " (in the shell)"
		if v.Doors == repl.Shell || prompt.Lookup(f.Name) != nil {
			door = ""
		}
		add(f, door)
	})
	prompt.VisitAll(func(f *pflag.Flag) {
		switch {
		case v.Doors&repl.Shell == 0:
			add(f, "")
		case shell.Lookup(f.Name) == nil:
			add(f, " (at the prompt)")
		}
	})
	return list
}

// TestManual checks that the manual page describes every command, option and item.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../man/pmderive.1")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), `\-`, "-")
	_, above, _ := strings.Cut(text, ".SH OPTIONS\n")
	above, _, _ = strings.Cut(above, ".SH ")
	a := newCommand(&cli.Env{LookupEnv: func(string) (string, bool) { return "", false }})
	root := a.newRoot()
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		n++
		if !strings.Contains(text, c.Name()) {
			t.Errorf("man/pmderive.1 does not document %s", c.Name())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "--"+f.Name) {
				t.Errorf("man/pmderive.1 does not document --%s of %s", f.Name, c.Name())
			}
			if c.Name() == "eval" && !strings.Contains(above, `\fB--`+f.Name+`\fR`) {
				t.Errorf("section OPTIONS of man/pmderive.1 does not document --%s", f.Name)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	root.SetOut(io.Discard)
	visit(root)
	if n < 6 {
		t.Errorf("%d commands", n)
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(text, "--"+f.Name) {
			t.Errorf("man/pmderive.1 does not document --%s", f.Name)
		}
	})
	for _, item := range []string{
		":explain", ":watch", ":plot", ":metrics", ":desc", ":inst", ":text", ":labels", ":list", ":show", ":drop", ":load", ":save", ":save!",
		":source", ":time", ":step", ":next", ":prev", ":set", ":debug", ":help", ":quit",
		":run", ":top", ":find", ":describe", ":d", ":report", ":reports", ":install", ":uninstall", ":install!",
	} {
		if !strings.Contains(text, `\fB`+item+`\fR`) {
			t.Errorf("man/pmderive.1 does not document %s", item)
		}
	}
}
