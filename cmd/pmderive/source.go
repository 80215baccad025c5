package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/grid"
	"pmtools/cmd/internal/install"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/source"
	"pmtools/derive/check"
	"pmtools/lib/export/bucket"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
)

// session returns a session over the source that the options ask for, with its options changed. The source is opened when it
// is needed, or here if -z asks for its zone.
func (a *app) session(ctx context.Context, set repl.Settings, change ...func(*repl.Options)) (*repl.Session, error) {
	loaded := a.loaded()
	if !a.bare {
		a.sources.LoadDefault()
	}
	opt, err := a.replOptions(set)
	if err != nil {
		return nil, err
	}
	opt.Loaded = loaded
	for _, f := range change {
		f(opt)
	}
	s := repl.New(opt)
	if a.Options.HostZone {
		if err := s.UseSourceZone(ctx, source.KnownZone); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// loaded returns the names of the definitions of -c.
func (a *app) loaded() (names []string) {
	for _, name := range a.sources.Set().Names() {
		if !strings.HasPrefix(name, "event.") {
			names = append(names, name)
		}
	}
	return names
}

// language returns the language of expressions.
func (a *app) language() check.Language {
	if a.sources.Extended {
		return check.Extended
	}
	return check.PCP
}

// kind returns the kind and the name of the source that the options ask for.
func (a *app) kind() (kind, name string) {
	switch kind, name := a.Options.Source(); kind {
	case option.Host:
		return repl.Host, name
	case option.Archive:
		return repl.Archive, name
	case option.Local:
		return repl.Local, ""
	}
	return repl.Default, ""
}

// sides returns the sources that a command line names for compare: an archive, hosts, this machine.
func (a *app) sides(fs *pflag.FlagSet) []repl.Side {
	o, sides := &a.Options, []repl.Side{}
	if o.HasArchive && fs.Changed("archive") {
		sides = append(sides, repl.Side{Kind: repl.Archive, Name: o.Archive})
	}
	for _, name := range a.hosts {
		sides = append(sides, repl.Side{Kind: repl.Host, Name: name})
	}
	if o.HasHost && len(a.hosts) == 0 {
		sides = append(sides, repl.Side{Kind: repl.Host, Name: o.Host})
	}
	if o.Local {
		sides = append(sides, repl.Side{Kind: repl.Local})
	}
	return sides
}

// replOptions returns the options of a session over the source that the options ask for.
func (a *app) replOptions(set repl.Settings) (*repl.Options, error) {
	env := a.Env
	set.Language = max(set.Language, a.language())
	zone, err := a.zone()
	if err != nil {
		return nil, err
	}
	kind, name := a.kind()
	var progress func(string)
	if cli.IsTerminal(env.Stderr) {
		progress = env.Progress
	}
	return &repl.Options{
		Sources: repl.Sources{
			Open: a.open, Kind: kind, Name: name, Report: a.report, OpenHost: a.sources.Hosts(), Equivalent: a.sources.Equivalence(),
			ArchiveVersion: a.archiveVersion(), Machines: a.machines, Derived: a.sources.Open,
		},
		World: repl.World{
			Tools: func() (*install.Tools, []string) {
				return install.NewTools(env.Config(), a.configFile("derived")), a.sources.Loaded
			},
			Read: a.readFiles, Confirm: env.Confirm, Progress: progress,
			Now: env.Now, Waits: env.Waits, Debug: a.debug, Files: files.FS{}, Table: a.table, Output: a.output, Shell: a.shell, History: func() []string { return a.history.Items }, Note: a.note, Complain: a.complain,
		},
		Reports:     &a.reports,
		Definitions: a.sources.Set(), Zone: zone, Settings: set, Verbs: a.ownVerbs(),
	}, nil
}

// archiveVersion returns the version of archives that PCP's configuration asks for, 0 for the usual one.
func (a *app) archiveVersion() int {
	if a.Env.Config().Get("PCP_ARCHIVE_VERSION") == "2" {
		return 2
	}
	return 0
}

// zone returns the zone in which times are shown and meant, unless -z asks for that of the source.
func (a *app) zone() (*time.Location, error) {
	if a.Options.HasTimezone {
		return source.KnownZone(a.Options.Timezone)
	}
	return a.Env.Zone(), nil
}

// table draws a table within the width of the terminal.
func (a *app) table(ctx context.Context, w io.Writer, t *repl.Table) error {
	width, _ := cli.TerminalSize(a.Env.Stdout)
	if _, file := w.(files.Redirected); file {
		width = 0
	}
	return grid.Draw(ctx, w, t, width)
}

// open opens a source of the kinds of package repl.
func (a *app) open(ctx context.Context, kind, name string) (pmapi.Source, error) {
	if a.catalog != "" {
		tables, err := bucket.Tables(a.catalog)
		if err != nil {
			return nil, err
		}
		src, err := tables.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		return src, nil
	}
	o := &a.Options
	o.Local, o.HasHost, o.HasArchive = kind == repl.Local, kind == repl.Host, kind == repl.Archive
	switch kind {
	case repl.Host:
		o.Host = name
	case repl.Archive:
		o.Archive = name
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // opening a pipe would wait
			if list, err := a.Folio(name); err == nil && len(list) > 0 {
				o.Archive = strings.Join(list, ",")
			}
		}
	}
	return a.sources.OpenPlain(ctx)
}

// debug sets debug options as -D does.
func (a *app) debug(spec string) error {
	if err := a.Options.AddDebug(spec); err != nil {
		return err
	}
	a.sources.Registry() // applies the options
	return nil
}
