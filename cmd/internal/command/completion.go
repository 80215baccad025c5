package command

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/internal/textwidth"
	"pmtools/lib/option"
)

//go:embed scripts
var scripts embed.FS

// Shells returns the names of the shells that there are completion scripts for.
func Shells() []string { return []string{"bash", "fish", "powershell", "zsh"} }

// CheckShell returns an error for a shell that there is no completion script for.
func CheckShell(shell string) error {
	if !slices.Contains(Shells(), shell) {
		return fmt.Errorf("no completion for shell '%s'; there is one for bash, fish, powershell and zsh", shell)
	}
	return nil
}

// proposing is the first argument of a command that a completion script calls.
const proposing = "__propose"

const completionOption = "completion"

func (c *Command) addCompletion() {
	c.Func(func(shell string) error {
		c.shell = shell
		return CheckShell(shell)
	}, "", completionOption, "SHELL", "write a completion script")
	c.Hide(completionOption)
}

func (c *Command) writeScript() error {
	c.Env.OwnForm = true
	return WriteScript(c.Env.Out, c.name, c.shell)
}

// WriteScript writes a completion script for a shell. The scripts are ours, not cobra's, because
// those evaluate the line that is being typed, and insert proposals without quotes.
func WriteScript(w io.Writer, prog, shell string) error {
	text, err := scripts.ReadFile("scripts/" + shell)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.ReplaceAll(string(text), "PROG", prog))
	return err
}

// Proposes reports whether a completion script has called the command.
func Proposes(env *cli.Env) bool {
	return len(env.Args) > 0 && (env.Args[0] == proposing || outdated(env.Args[0]))
}

// outdated reports whether cobra's script has called the command, which earlier versions installed.
func outdated(arg string) bool {
	return arg == cobra.ShellCompRequestCmd || arg == cobra.ShellCompNoDescRequestCmd
}

// Propose answers a completion script. Its arguments are the shell and the line before the cursor;
// for bash also the end of the line that is replaced, and the kind of completion. The first line of
// the answer says whether names of files complete the line ("files"), or the words of the other
// lines, with or without a blank after the word ("space", "names"). Join, unless it is nil, joins the
// last word with the option before it if the word is the beginning of a value that may also be missing.
func Propose(ctx context.Context, env *cli.Env, root *cobra.Command, join func(words []string) []string) error {
	env.OwnForm = true
	if outdated(env.Args[0]) {
		_, err := fmt.Fprintf(env.Out, ":%d\n", cobra.ShellCompDirectiveError)
		return err
	}
	args := append(env.Args[1:], "", "", "", "")
	shell, text := args[0], args[1]
	l, ok := line{}, true
	if shell == "powershell" {
		l.words = []string{root.Name()}
		for _, word := range env.Args[min(3, len(env.Args)):] { // the first is the program
			l.words = append(l.words, strings.TrimPrefix(word, "="))
		}
	} else if l, ok = readLine(shell, text, env.LookupEnv); !ok || len(l.words) < 2 {
		fmt.Fprintln(env.Out, "names")
		return nil
	}
	if shell != "bash" && strings.HasPrefix(l.raw, "~") { // the shell keeps the sign, which proposals do not have
		fmt.Fprintln(env.Out, "files")
		return nil
	}
	words := l.arguments(root.Name())
	if join != nil {
		words = join(words)
	}
	list, directive, err := ask(ctx, root, words)
	for i := range list { // the word alone is completed
		list[i].text = strings.TrimPrefix(list[i].text, strings.TrimSuffix(words[len(words)-1], l.last()))
	}
	if err != nil {
		return err
	}
	space := directive&cobra.ShellCompDirectiveNoSpace == 0
	switch {
	case len(list) == 0 && directive&cobra.ShellCompDirectiveNoFileComp == 0:
		fmt.Fprintln(env.Out, "files")
	case space:
		fmt.Fprintln(env.Out, "space")
	default:
		fmt.Fprintln(env.Out, "names")
	}
	if !space && len(list) == 1 && closes(shell, args[3], &l) {
		list = append(list, proposal{text: list[0].text + " "})
	}
	if shell == "bash" {
		list = forBash(&l, list, args[2], args[3], space)
	}
	for _, p := range list {
		if p.about != "" {
			p.text += "\t" + p.about
		}
		fmt.Fprintln(env.Out, p.text)
	}
	return nil
}

// closes reports whether a shell ends a word after the only proposal, although an expression may go on:
// it closes the quotes, or adds a blank. A second proposal keeps it from that.
func closes(shell, kind string, l *line) bool {
	switch shell {
	case "bash":
		return l.quote != bare && kind != listing
	case "fish":
		return l.quote != bare || strings.Contains(l.last(), "(")
	}
	return false
}

type proposal struct{ text, about string }

// ask returns what cobra proposes for the last of some words.
func ask(ctx context.Context, root *cobra.Command, words []string) ([]proposal, cobra.ShellCompDirective, error) {
	var out strings.Builder
	root.SetArgs(append([]string{cobra.ShellCompRequestCmd}, words...))
	root.SetOut(&out)
	root.SetErr(io.Discard)
	if err := root.ExecuteContext(ctx); err != nil {
		return nil, 0, err
	}
	last := words[len(words)-1]
	answer := strings.TrimSpace(out.String())
	end := strings.LastIndex(answer, ":") // cobra writes the directive after all proposals
	directive, _ := strconv.Atoi(answer[end+1:])
	answer = answer[:max(end, 0)]
	var list []proposal
	for line := range strings.SplitSeq(answer, "\n") {
		text, about, _ := strings.Cut(line, "\t")
		if option, _, ok := strings.Cut(last, "="); ok && strings.HasPrefix(last, "--") && !strings.HasPrefix(text, last) {
			text = option + "=" + text // cobra proposes values alone
		}
		if text != "" && strings.HasPrefix(text, last) && textwidth.Clean(text) == text {
			list = append(list, proposal{text, textwidth.Clean(about)})
		}
	}
	return list, cobra.ShellCompDirective(directive), nil
}

// listing is the kind of completion of bash that only shows words, after a second key.
const listing = "63"

// forBash returns proposals as bash inserts them, in place of the end of the line, replaced. Bash
// quotes nothing, and inserts the common prefix of several.
func forBash(l *line, list []proposal, replaced, kind string, space bool) []proposal {
	if !strings.HasSuffix(l.raw, replaced) {
		return nil
	}
	var out []proposal
	for _, p := range list {
		rest, ok := l.typed(p.text[len(l.last()):])
		if !ok {
			continue
		}
		rest = replaced + rest
		switch {
		case kind == listing && len(list) > 1 && p.about != "":
			rest += "  (" + p.about + ")"
		case space && l.quote == bare:
			rest += " "
		}
		out = append(out, proposal{text: rest})
	}
	return out
}

// Names returns a function that proposes names to cobra: those that begin with a prefix. Names that a
// shell could not show as they are, such as ones with newlines, are left out, and those that would be
// options.
func Names(list func(ctx context.Context, prefix string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		names := slices.DeleteFunc(list(ctx, prefix), func(name string) bool {
			odd := strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) })
			return odd || textwidth.Clean(name) != name || strings.HasPrefix(name, "-") || strings.TrimSpace(name) != name
		})
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func (c *Command) operands(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if o, earlier, value := c.pending(before, prefix); o != nil {
		return c.value(cmd, o, earlier, value)
	}
	switch {
	case strings.HasPrefix(prefix, "-"):
		return nil, cobra.ShellCompDirectiveNoFileComp
	case c.Names == nil:
		return nil, cobra.ShellCompDirectiveDefault
	}
	c.Messages = io.Discard
	if _, err := c.Parse(before); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return Names(c.Names)(cmd, before, prefix)
}

// pending returns the option whose value is being typed, the words before it, and the beginning of the
// value; or nil.
func (c *Command) pending(before []string, prefix string) (o *option.Option, earlier []string, value string) {
	if long, value, ok := strings.Cut(prefix, "="); ok && strings.HasPrefix(long, "--") {
		return c.taking(long), before, value
	}
	if n := len(before) - 1; n >= 0 {
		return c.taking(before[n]), before[:n], prefix
	}
	return nil, before, prefix
}

// taking returns the option that a word is, if it takes the next word, or nil.
func (c *Command) taking(word string) *option.Option {
	for o := range c.All() {
		if o.Word != "" && (word == "--"+o.Long || o.Short != "" && word == "-"+o.Short) {
			return o
		}
	}
	return nil
}

// value proposes values of an option.
func (c *Command) value(cmd *cobra.Command, o *option.Option, earlier []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if o.Long == "output" {
		return []string{"csv", "json"}, cobra.ShellCompDirectiveNoFileComp
	}
	if c.Value == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	c.Messages = io.Discard
	operands, _ := c.Parse(earlier) // an incomplete line may be wrong
	return Values(func(ctx context.Context, prefix string) ([]string, bool) {
		return c.Value(ctx, o.Long, operands, prefix)
	})(cmd, nil, prefix)
}

// Values returns a function that proposes values of an option to cobra: those that begin with a prefix, or
// names of files if the option is not known. A blank follows a value that is complete: neither the name of
// a directory nor part of a list.
func Values(list func(ctx context.Context, prefix string) (values []string, known bool)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, before []string, prefix string) ([]string, cobra.ShellCompDirective) {
		known := false
		values, directive := Names(func(ctx context.Context, prefix string) (values []string) {
			values, known = list(ctx, prefix)
			return values
		})(cmd, before, prefix)
		switch {
		case !known:
			return nil, cobra.ShellCompDirectiveDefault
		case !strings.Contains(prefix, ",") && len(values) == 1 && !strings.HasSuffix(values[0], "/"):
			directive = cobra.ShellCompDirectiveNoFileComp
		}
		return values, directive
	}
}

func (c *Command) cobra(operands cobra.CompletionFunc) *cobra.Command {
	root := &cobra.Command{
		Use:                c.name + " " + c.Operands,
		DisableFlagParsing: true,
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
		Run:                func(*cobra.Command, []string) {},
		ValidArgsFunction:  operands,
	}
	root.Flags().SortFlags = false
	for o := range c.All() {
		f := Flag(o)
		f.Hidden = o.Long == completionOption // the others are hidden from the usage text only
		root.Flags().AddFlag(f)
	}
	return root
}

// Flag returns an option as a flag of pflag's.
func Flag(o *option.Option) *pflag.Flag {
	f := &pflag.Flag{Name: o.Long, Shorthand: o.Short, Usage: o.Text, Hidden: o.Hidden, Value: value{o}}
	if o.Word == "" {
		f.NoOptDefVal = "true"
	}
	return f
}

// value is an option as a value of pflag's. Cobra looks for a boolean option "help" of its own and
// must find it unset.
type value struct{ *option.Option }

func (v value) Set(arg string) error {
	if v.Word == "" {
		arg = ""
	}
	return v.Option.Set(arg)
}

func (v value) String() string {
	if v.Option == nil || v.Word != "" {
		return ""
	}
	return "false"
}

func (v value) Type() string {
	if v.Word == "" {
		return "bool"
	}
	return v.Word
}
