package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/digest"
	"pmtools/cmd/internal/repl"
)

func (a *app) newCompare() *cobra.Command {
	f, q := &digestFlags{}, &digest.Compare{Options: &a.Options}
	var first digest.Side
	cmd := &cobra.Command{
		Use:   "compare [ARCHIVE] [ARCHIVE] [:REPORT ...]",
		Short: "Compare two archives, hosts, or windows of an archive: what changed most",
		Long: "Compare the metrics of two sources, or of two windows of an archive: means, quantiles and extremes of\n" +
			"each instance, counters as rates. The largest changes come first. Archives are arguments, hosts follow -h;\n" +
			"hosts are sampled at the same time, every -t until -T, or 11 samples a second apart.",
		Args: func(cmd *cobra.Command, args []string) error {
			sides := a.sides(cmd.Flags(), q.Reports(args), q.Second())
			if err := q.Check(len(sides)); err != nil {
				return err
			}
			if len(sides) > 0 {
				first, q.Others = sides[0], sides[1:]
				o := &a.Options // -S is for archives
				o.HasArchive, o.HasHost, o.Local = first.Kind == repl.Archive, first.Kind == repl.Host, first.Kind == repl.Local
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), q, f, func(o *repl.Options) { o.Kind, o.Name = first.Kind, first.Name })
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish", "interval", "samples")
	f.add(fs, q.Add)
	return cmd
}

// sides returns the sources that are compared: archives, hosts, this machine. An archive of the
// environment counts where there are too few others.
func (a *app) sides(fs *pflag.FlagSet, archives []string, second bool) (sides []digest.Side) {
	for _, name := range archives {
		sides = append(sides, digest.Side{Kind: repl.Archive, Name: name})
	}
	for _, name := range a.hosts {
		sides = append(sides, digest.Side{Kind: repl.Host, Name: name})
	}
	if o := &a.Options; o.HasHost && len(a.hosts) == 0 {
		sides = append(sides, digest.Side{Kind: repl.Host, Name: o.Host})
	}
	if a.Options.Local {
		sides = append(sides, digest.Side{Kind: repl.Local})
	}
	wanted := 2
	if second {
		wanted = 1
	}
	if o := &a.Options; o.HasArchive && (fs.Changed("archive") || len(sides) < wanted) {
		sides = append([]digest.Side{{Kind: repl.Archive, Name: o.Archive}}, sides...)
	}
	return sides
}
