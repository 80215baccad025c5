package main

import (
	"github.com/spf13/pflag"

	"pmtools/cmd/internal/repl"
)

// sides returns the sources that a command line names for compare: an archive, hosts, this machine.
func (a *app) sides(fs *pflag.FlagSet) []repl.Side {
	sides := []repl.Side{}
	if o := &a.Options; o.HasArchive && fs.Changed("archive") {
		sides = append(sides, repl.Side{Kind: repl.Archive, Name: o.Archive})
	}
	for _, name := range a.hosts {
		sides = append(sides, repl.Side{Kind: repl.Host, Name: name})
	}
	if o := &a.Options; o.HasHost && len(a.hosts) == 0 {
		sides = append(sides, repl.Side{Kind: repl.Host, Name: o.Host})
	}
	if a.Options.Local {
		sides = append(sides, repl.Side{Kind: repl.Local})
	}
	return sides
}
