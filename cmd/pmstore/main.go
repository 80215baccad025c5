// Command pmstore changes the value of a performance metric.
//
// It runs for milliseconds, so the runtime does not look for the limits of containers.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"context"
	"os"
	"strings"
	_ "time/tzdata" // zones, where the system has none

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
)

func main() { os.Exit(cli.Main(newCommand)) }

type flags struct {
	fetch bool     // -F: print the values that are fetched afterwards
	force bool     // -f: store even if there is no value yet
	insts []string // -i: the names of the instances to store to; nil means all
}

func newCommand(env *cli.Env) *command.Command {
	f := new(flags)
	c := command.New(env, "pmstore", "[options] metricname value")
	c.FirstOperandEnds = true // so that a value may begin with a minus sign
	src := source.New(env, &c.Parser, "Cannot make standalone local connection")
	c.Section("General options")
	c.Shared("debug", "host", "local-PMDA", "spec-local", "namespace", "version", "help")
	c.Section("Value options")
	c.Bool(&f.fetch, "F", "fetch", "perform pmFetch after pmStore to confirm value")
	c.Bool(&f.force, "f", "force", "store the value even if there is no current value set")
	c.Func(f.addInsts, "i", "insts", "INSTS", "restrict store to comma-separated list of instances")
	c.Names, c.Value = src.Complete, src.CompleteValue
	c.Run = func(ctx context.Context, args []string) error { return f.run(ctx, c, src, args) }
	return c
}

// addInsts handles -i. There is no way to quote a separator.
func (f *flags) addInsts(arg string) error {
	f.insts = append(f.insts, strings.FieldsFunc(arg, func(c rune) bool { return strings.ContainsRune(", \t\n", c) })...)
	return nil
}
