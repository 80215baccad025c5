// Command pminfo shows information about performance metrics: names, descriptions, help texts,
// labels and current values.
//
// It runs for milliseconds, so the runtime does not look for the limits of containers.
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

// gcPercent is how much the heap may grow between collections. The metrics of a whole host need
// some megabytes, and a collection takes longer than allocating them.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	os.Exit(cli.Main(newCommand))
}

type flags struct {
	show          show
	batch         int // -b
	batchSet      bool
	registrations []string // -r
}

// show selects the parts that are printed for each metric.
type show struct {
	description
	texts
	values
	labels, series      bool // -l, -s
	verify, errorsOnly  bool // -v, -e
	json, glob, suggest bool
}

type description struct {
	desc, line, decimal bool // -d, -1, -I
	pmid, fullPMID      bool // -m, -M
}

type texts struct{ oneline, help bool } // -t, -T

type values struct{ fetch, fetchAll, events bool } // -f, -F, -x

func newCommand(env *cli.Env) *command.Command {
	f := &flags{batch: 128}
	c := command.New(env, "pminfo", "[options] [metricname | pmid | indom]...")
	src := source.New(env, &c.Parser, "Cannot make standalone connection on localhost").WithArchives()
	c.Section("General options")
	c.Shared("archive", "debug", "host", "container", "local-PMDA", "spec-local", "namespace", "uniqnames",
		"origin", "timezone", "hostzone", "version", "help")
	c.Section("Protocol and reporting options")
	c.Func(f.setBatch, "b", "batch", "N", "fetch N metrics at a time for -f and -v [128]")
	c.Bool(&f.show.desc, "d", "desc", "get and print metric description")
	c.Bool(&f.show.line, "1", "desc-oneline", "variant of -d with one output line per metric")
	c.Bool(&f.show.errorsOnly, "e", "metadata-errors", "like -v, but don't report metrics with no values")
	c.Bool(&f.show.fetch, "f", "fetch", "fetch and print values for all instances")
	c.Bool(&f.show.fetchAll, "F", "fetchall", "fetch and print values for non-enumerable indoms")
	c.Bool(&f.show.decimal, "I", "fullindom", "print InDom in verbose format")
	c.Bool(&f.show.labels, "l", "labels", "print InDom, metric and instance labels")
	c.Bool(&f.show.pmid, "m", "pmid", "print PMID")
	c.Bool(&f.show.fullPMID, "M", "fullpmid", "print PMID in verbose format")
	c.Bool(&f.show.series, "s", "series", "print source, metric, instance series identifiers")
	c.Bool(&f.show.oneline, "t", "oneline", "get and display (terse) oneline text")
	c.Bool(&f.show.help, "T", "helptext", "get and display (verbose) help text")
	c.Section("Metrics options")
	c.Func(func(path string) error { load(env, src, path); return nil },
		"c", "derived", "FILE", "load global derived metric definitions from FILE(s)")
	c.Strings(&f.registrations, "r", "register", "name=expr", "register a per-context derived metric")
	c.Bool(&f.show.events, "x", "events", "unpack and report on any fetched event records")
	c.Bool(&f.show.verify, "v", "verify", "verify mode, be quiet and only report errors")
	c.Bool(&f.show.json, "", "json", "write an object for each metric, with the parts that the other options ask for")
	c.Bool(&f.show.glob, "", "glob", "operands may be patterns of names, with * ? and [...]")
	c.Bool(&f.show.suggest, "", "suggest", "propose names for unknown ones")
	for _, ours := range []string{"json", "glob", "suggest"} {
		c.Hide(ours)
	}
	c.Names, c.Value = src.Complete, src.CompleteValue
	c.Run = func(ctx context.Context, args []string) error {
		f.show.imply()
		return f.run(ctx, c, src, args)
	}
	return c
}

func (f *flags) setBatch(arg string) error {
	n, ok := option.Number(arg)
	if !ok {
		return errors.New("-b requires numeric argument")
	}
	f.batch, f.batchSet = n, true
	return nil
}

// load loads a file of derived metrics. Errors are reported and otherwise ignored.
func load(env *cli.Env, src *source.Opener, path string) {
	if err := src.Load(path); err != nil {
		env.Errorf("derived configuration(s) error: %s", pmerr.Message(err))
	}
}

// imply sets the options that others imply, and clears those that -v and -e turn off.
func (s *show) imply() {
	s.verify = s.verify || s.errorsOnly
	s.desc = s.desc || s.line || s.decimal
	s.pmid = s.pmid || s.fullPMID
	s.fetch = s.fetch || s.fetchAll || s.events
	if s.verify {
		s.desc, s.pmid, s.fullPMID, s.labels = false, false, false, false
		s.texts, s.values = texts{}, values{}
	}
}

func (s *show) needsDesc() bool {
	return s.desc || s.fetch || s.verify || s.labels || s.series
}

// needsSource reports whether the output needs more than names and identifiers.
func (s *show) needsSource() bool { return s.needsDesc() || s.oneline || s.help }

func (s *show) onlyNames() bool { return !s.pmid && !s.needsSource() }

func (s *show) spaced() bool { return s.desc || s.help || s.fetch || s.labels }
