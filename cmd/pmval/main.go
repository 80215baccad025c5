// Command pmval shows the values of one metric as time goes by: live, or from an archive, as they
// are or, for counters, as rates.
//
// Short runs take milliseconds, so the runtime need not ask for the limits of the machine's
// containers.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"context"
	"fmt"
	"os"
	_ "time/tzdata" // zones, where the system has none

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
	"pmtools/lib/option"
	"pmtools/lib/pmerr"
)

func main() { os.Exit(cli.Main(newCommand)) }

type flags struct {
	delay     bool // -d
	recorded  bool // -U: every record as it is, nothing between
	raw       bool // -r
	verbose   bool // -v
	precision int  // -f: digits after the point, -1 for the usual form
	width     int  // -w: of a column, 0 for that of the type
	stamps    int  // -X: 1 with date and microseconds, 2 with nanoseconds
	selection
	filter    string // -x: stored to the metric first
	hasFilter bool
	form
	reconnect bool // --reconnect
}

// A selection is the instances that are shown.
type selection struct {
	insts       []string // -i, or the operand: their names
	hasInsts    bool     // show these instances only
	fromOperand bool     // they are those of the operand
}

// A form is how values are shown if not as the reference does.
type form struct {
	output string // --output: csv, json or ""
	long   bool   // --long
	units  bool   // --units
	safe   bool   // --safe-csv
	plot   bool   // --plot
	color  bool   // --color
}

func newCommand(env *cli.Env) *command.Command {
	f := &flags{precision: -1}
	c := command.New(env, "pmval", "[options] metricname")
	c.LateChecks = true
	src := source.New(env, &c.Parser, "Cannot establish local context").WithArchives()
	src.KeepNames = true
	c.Section("General options")
	c.Shared("align", "archive", "debug", "guimode", "host", "namespace", "origin", "guiport", "start", "samples",
		"finish", "interval", "timezone", "hostzone", "version", "help", "spec-local", "local-PMDA", "container")
	c.Func(func(path string) error { return loadDerived(src, path) },
		"", "derived", "FILE", "load derived metric definitions from FILE(s)")
	c.Section("Reporting options")
	c.Bool(&f.delay, "d", "delay", "delay, pause between updates for archive replay")
	c.Func(atLeast(&f.precision, 0, "f"), "f", "precision", "N", "fixed output format with N digits precision")
	c.Func(f.add, "i", "instances", "INST", "comma-separated metrics instance list")
	c.Bool(&f.raw, "r", "raw", "output raw counter values (no rate conversion)")
	c.Func(func(name string) error { f.recorded = true; return c.Options.AddArchive(name) },
		"U", "nointerp", "FILE", "non-interpolated fetching; ignores interval")
	c.Bool(&f.verbose, "v", "verbose", "increase diagnostic output")
	c.Func(atLeast(&f.width, 1, "w"), "w", "width", "N", "set the width of each column of output")
	c.Func(func(value string) error { f.filter, f.hasFilter = value, true; return nil },
		"x", "filter", "VALUE", "store to the metric before fetching (filter)")
	c.Count(&f.stamps, "X", "timestamp", "include date and microseconds in reported timestamps")
	f.addHidden(c)
	c.Names, c.Value = src.Complete, src.CompleteValue
	c.Run = func(ctx context.Context, args []string) error { return f.run(ctx, c, src, args) }
	return c
}

// addHidden adds the options that the reference does not have.
func (f *flags) addHidden(c *command.Command) {
	c.Func(f.setOutput, "", "output", "FORMAT", "print csv or json instead of columns")
	c.Bool(&f.plot, "", "plot", "draw a chart of the values instead of printing them")
	c.Bool(&f.color, "", "color", "use colours on a terminal")
	c.Bool(&f.reconnect, "", "reconnect", "if the daemon goes away, wait until it is back")
	c.Bool(&f.long, "", "long", "write csv with a line for each value")
	c.Bool(&f.units, "", "units", "put units after the names of columns in csv")
	c.Bool(&f.safe, "", "safe-csv", "write csv without fields that spreadsheets take for formulas")
	for _, long := range []string{"output", "long", "units", "safe-csv", "plot", "color", "reconnect"} {
		c.Hide(long)
	}
}

func loadDerived(src *source.Opener, path string) error {
	if err := src.Load(path); err != nil {
		return fmt.Errorf("pmLoadDerivedConfig failed: %s", pmerr.Message(err))
	}
	return nil
}

func atLeast(p *int, low int, letter string) func(string) error {
	return func(arg string) error {
		n, ok := option.Number(arg)
		if !ok || n < low {
			return fmt.Errorf("-%s requires +ve numeric argument", letter)
		}
		*p = n
		return nil
	}
}

func (s *selection) add(arg string) error {
	s.insts, s.hasInsts = append(s.insts, option.SplitInstances(arg)...), true
	return nil
}
