package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/manual"
	"pmtools/cmd/internal/picture"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

//go:embed help/examples.txt
var exampleText string

// examples returns the examples of each command, with a line of text before them.
func examples() map[string]string {
	list := make(map[string]string)
	for part := range strings.SplitSeq(strings.TrimPrefix(exampleText, "== "), "\n== ") {
		name, text, _ := strings.Cut(part, "\n")
		list[name] = "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
	}
	return list
}

// commandGroups are the groups of commands, and optionGroups those of their options. Options that are in
// none belong to one command alone.
var commandGroups = []command.Group{
	{Title: "Commands to evaluate", Names: []string{"eval", "watch", "top", "plot", "report", "explain", "find", "describe", "metrics", "reports", "summarize", "compare", "functions"}},
	{Title: "Commands for definitions", Names: []string{"check", "test", "fmt", "deps", "install", "uninstall", "list", "lsp"}},
	{Title: "Commands for archives and databases", Names: []string{"record", "export", "compact", "sql", "push"}},
	{Title: "Commands for agents", Names: []string{"agent"}},
}

var optionGroups = []command.Group{
	{Title: "Options about values", Names: []string{"instances", "where", "top", "by", "sort", "every", "threshold", "fail-over", "limit", "raw", "units", "across", "percent", "scale", "no-scale", "verbose", "extended"}},
	{Title: "Options about output", Names: []string{"output", "json", "sarif", "dot", "pmlogger", "junit", "lcov", "output-file", "archive-out", "precision", "plot", "wide", "vertical", "long", "header", "timestamp", "delimiter", "safe-csv", "fail-empty"}},
	{Title: "Options about time", Names: []string{"start", "finish", "with-S", "with-T", "baseline", "align", "origin", "interval", "samples", "delay", "timezone", "hostzone"}},
	{Title: "Options about the source", Names: []string{"archive", "host", "hosts", "all-hosts", "local-PMDA", "spec-local", "container", "namespace", "derived", "stock", "no-stock", "config", "metrics", "tables", "unpack-limit"}},
	{Title: "General options", Names: []string{"debug", "help", "version"}},
}

// addHelp gives the commands their examples and groups, and the command help.
func (a *app) addHelp(root *cobra.Command) {
	root.SetHelpCommand(a.newHelp())
	root.SetHelpFunc(a.showHelp)
	root.InitDefaultHelpCmd()
	texts := examples()
	for _, c := range append(root.Commands(), root) {
		c.DisableFlagsInUseLine = true
		if text := texts[c.Name()]; text != "" {
			c.Example = text
		}
	}
}

// showHelp writes what there is to know about a command, the examples first.
func (a *app) showHelp(cmd *cobra.Command, _ []string) {
	if word := cmd.Flags().Arg(0); !cmd.HasParent() && syntax.LegalName(word) && !strings.Contains(word, ".") {
		a.unknown = unknownCommand(cmd, word)
		return
	}
	w := cmd.OutOrStdout()
	fmt.Fprintln(w, cmd.Short)
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.Long != "" {
		fmt.Fprintf(w, "\n%s\n", cmd.Long)
	}
	fmt.Fprintf(w, "\nUsage: %s [options]\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		command.WriteCommands(w, cmd, commandGroups)
	}
	width, _ := cli.TerminalSize(a.Env.Stdout)
	command.WriteOptions(w, cmd, optionGroups, width)
	io.WriteString(w, "\n'pmderive help TOPIC' tells about language, sources, time, output and more.\n")
}

// newHelp returns the command that tells about commands and topics.
func (a *app) newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC|FUNCTION]",
		Short: "Tell about a command, a topic or a function",
		Args:  operands(0, 1),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			names := slices.DeleteFunc(helpNames(cmd.Root()), func(name string) bool { return !strings.HasPrefix(name, prefix) })
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Root().Help()
			}
			for _, c := range cmd.Root().Commands() {
				if c.Name() == args[0] {
					return c.Help()
				}
			}
			if ok, err := manual.Write(a.Env.Out, args[0]); ok || err != nil {
				return err
			}
			bad := manual.Unknown(args[0], helpNames(cmd.Root()))
			return errors.New(strings.Join(append([]string{bad.Msg}, bad.Notes...), "; "))
		},
	}
}

// helpNames returns what there is help about.
func helpNames(root *cobra.Command) []string {
	names := manual.Names()
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// joinValues joins the options that may stand alone with a word that is a value for them: a file of a
// picture after --plot, units after --units.
func joinValues(args []string) (joined []string) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return append(joined, args[i:]...)
		}
		if i+1 < len(args) && (word == "--plot" && picture.Is(args[i+1]) || word == "--units" && isUnits(args[i+1])) {
			i++
			word += "=" + args[i]
		}
		joined = append(joined, word)
	}
	return joined
}

// joinBegun joins --units with a last word that units may begin with.
func joinBegun(words []string) []string {
	n := len(words) - 1
	if n < 1 || words[n-1] != "--units" || !slices.ContainsFunc(repl.UnitNames(), func(unit string) bool {
		return strings.HasPrefix(unit, words[n][strings.LastIndexByte(words[n], '/')+1:])
	}) {
		return words
	}
	return append(slices.Clone(words[:n-1]), "--units="+words[n])
}

// isUnits reports whether a word is a text of units, and not a number or the name of a metric.
func isUnits(word string) bool {
	u, _, err := pcp.ParseUnits(word)
	return err == nil && u != pcp.Units{} && !strings.HasPrefix(word, "-")
}
