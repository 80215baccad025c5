// Command pminfo shows what is known of performance metrics: names,
// descriptions, help texts, labels and current values.
//
// It runs for milliseconds, so the runtime need not ask for the limits of the
// machine's containers.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	_ "time/tzdata" // zones, where the system has none

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/source"
	"pmtools/lib/option"
	"pmtools/lib/pmerr"
)

// gcPercent is how much the heap may grow between collections. What pminfo prints
// of a whole host needs some megabytes, and a collection takes longer than getting
// them.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	os.Exit(cli.Main(newCommand))
}

// flags are the options of pminfo's own.
type flags struct {
	desc, line, decimal     bool // -d, -1, -I
	pmid, fullPMID          bool // -m, -M
	oneline, help           bool // -t, -T
	fetch, fetchAll, events bool // -f, -F, -x
	labels, series          bool // -l, -s
	verify, errorsOnly      bool // -v, -e
	batch                   int  // -b
	batchSet                bool
	registrations           []string // -r
}

// newCommand returns the command pminfo.
func newCommand(env *cli.Env) *command.Command {
	f := &flags{batch: 128}
	c := command.New(env, "pminfo", "[options] [metricname | pmid | indom]...")
	src := source.New(env, &c.Parser, "Cannot make standalone connection on localhost").WithArchives()
	c.Section("General options")
	c.Shared("archive", "debug", "host", "container", "local-PMDA", "spec-local", "namespace", "uniqnames",
		"origin", "timezone", "hostzone", "version", "help")
	c.Section("Protocol and reporting options")
	c.Func(f.setBatch, "b", "batch", "N", "fetch N metrics at a time for -f and -v [128]")
	c.Bool(&f.desc, "d", "desc", "get and print metric description")
	c.Bool(&f.line, "1", "desc-oneline", "variant of -d with one output line per metric")
	c.Bool(&f.errorsOnly, "e", "metadata-errors", "like -v, but don't report metrics with no values")
	c.Bool(&f.fetch, "f", "fetch", "fetch and print values for all instances")
	c.Bool(&f.fetchAll, "F", "fetchall", "fetch and print values for non-enumerable indoms")
	c.Bool(&f.decimal, "I", "fullindom", "print InDom in verbose format")
	c.Bool(&f.labels, "l", "labels", "print InDom, metric and instance labels")
	c.Bool(&f.pmid, "m", "pmid", "print PMID")
	c.Bool(&f.fullPMID, "M", "fullpmid", "print PMID in verbose format")
	c.Bool(&f.series, "s", "series", "print source, metric, instance series identifiers")
	c.Bool(&f.oneline, "t", "oneline", "get and display (terse) oneline text")
	c.Bool(&f.help, "T", "helptext", "get and display (verbose) help text")
	c.Section("Metrics options")
	c.Func(func(path string) error { load(env, src, path); return nil },
		"c", "derived", "FILE", "load global derived metric definitions from FILE(s)")
	c.Strings(&f.registrations, "r", "register", "name=expr", "register a per-context derived metric")
	c.Bool(&f.events, "x", "events", "unpack and report on any fetched event records")
	c.Bool(&f.verify, "v", "verify", "verify mode, be quiet and only report errors")
	c.Run = func(ctx context.Context, args []string) error {
		f.imply()
		return f.run(ctx, c, src, args)
	}
	return c
}

// setBatch takes the argument of -b.
func (f *flags) setBatch(arg string) error {
	n, ok := option.Number(arg)
	if !ok {
		return errors.New("-b requires numeric argument")
	}
	f.batch, f.batchSet = n, true
	return nil
}

// load loads a file of derived metrics. Errors are reported, and have no other effect.
func load(env *cli.Env, src *source.Opener, path string) {
	if err := src.Load(path); err != nil {
		env.Errorf("derived configuration(s) error: %s", pmerr.Message(err))
	}
}

// imply sets the options that others imply, and clears what -v and -e switch off.
func (f *flags) imply() {
	f.verify = f.verify || f.errorsOnly
	f.desc = f.desc || f.line || f.decimal
	f.pmid = f.pmid || f.fullPMID
	f.fetch = f.fetch || f.fetchAll || f.events
	if f.verify {
		f.desc, f.pmid, f.fullPMID, f.fetch, f.fetchAll, f.oneline, f.help, f.labels = false, false, false, false, false, false, false, false
	}
}

// needsDesc reports whether what is printed takes a metric's description.
func (f *flags) needsDesc() bool {
	return f.desc || f.fetch || f.verify || f.labels || f.series
}

// needsSource reports whether anything but names and identifiers is printed.
func (f *flags) needsSource() bool { return f.needsDesc() || f.oneline || f.help }

// spaced reports whether an empty line stands before each metric.
func (f *flags) spaced() bool { return f.desc || f.help || f.fetch || f.labels }
