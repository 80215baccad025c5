package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/picture"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// showHelp writes what there is to know about a command, the examples first.
func (a *app) showHelp(cmd *cobra.Command, _ []string) {
	if word := cmd.Flags().Arg(0); !cmd.HasParent() && syntax.LegalName(word) && !strings.Contains(word, ".") {
		a.unknown = a.unknownCommand(cmd, word)
		return
	}
	ctx, w := cmd.Root().Context(), cmd.OutOrStdout()
	p := &repl.Page{Door: repl.Shell, Verbs: a.verbs(), Table: a.table}
	var err error
	if i := slices.IndexFunc(p.Verbs, func(v *repl.Verb) bool { return v.Name == cmd.Name() }); i >= 0 {
		err = p.Verb(ctx, w, p.Verbs[i], cmd.LocalNonPersistentFlags())
	} else {
		fmt.Fprintf(w, "%s\n%s\n%s\n\nUsage: %s [options]\n", cmd.Short, repl.Examples(cmd.Name()), cmd.Long, cmd.UseLine())
		err = p.Index(ctx, w)
	}
	if err == nil {
		err = p.Options(ctx, w, "Options of all commands", cmd.Root().PersistentFlags())
	}
	a.unknown = err
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
