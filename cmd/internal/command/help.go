package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Group is commands or options that help shows together.
type Group struct {
	Title string
	Names []string
}

// WriteCommands lists the commands below one, by their groups.
func WriteCommands(w io.Writer, cmd *cobra.Command, groups []Group) {
	rest := cmd.Commands()
	write := func(title string, wanted func(*cobra.Command) bool) {
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, c := range rest {
			if (c.IsAvailableCommand() || c.Name() == "help") && wanted(c) {
				fmt.Fprintf(w, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
		rest = slices.DeleteFunc(rest, wanted)
	}
	for _, g := range groups {
		write(g.Title, func(c *cobra.Command) bool { return slices.Contains(g.Names, c.Name()) })
	}
	write("Other commands", func(*cobra.Command) bool { return true })
}

// WriteOptions lists the options of a command, those of its own first, within a width.
func WriteOptions(w io.Writer, cmd *cobra.Command, groups []Group, width int) {
	grouped := make([]*pflag.FlagSet, len(groups)+1)
	for i := range grouped {
		grouped[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
		grouped[i].SortFlags = false
	}
	add := func(f *pflag.Flag) {
		i := slices.IndexFunc(groups, func(g Group) bool { return slices.Contains(g.Names, f.Name) })
		grouped[i+1].AddFlag(f)
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	for i, fs := range grouped {
		title := "Options"
		if i > 0 {
			title = groups[i-1].Title
		}
		if fs.HasAvailableFlags() {
			usage := strings.ReplaceAll(fs.FlagUsagesWrapped(width), `[="-"]`, "      ")
			fmt.Fprintf(w, "\n%s:\n%s", title, usage)
		}
	}
}
