package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/derive/repl"
	"pmtools/derive/syntax"
	"pmtools/lib/archive"
	"pmtools/lib/export"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// exportFlags are the options of export.
type exportFlags struct {
	dir       string
	check     bool
	follow    bool
	wide      bool
	partition string
	timed     bool // there is -t or -s
	by        export.Partition
}

// newExport returns the command that writes archives as tables.
func (a *app) newExport() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [METRIC|PREFIX|NAME=EXPR ...]",
		Short: "Write archives or live values as Parquet files",
		Long: "Write what archives (-a) have as tables in Parquet, a row for each value, for engines such as\n" +
			"DuckDB, ClickHouse and Spark. NAME=EXPR adds a derived metric. A name that has metrics below it\n" +
			"stands for them; without any, all that is recorded and all that -c defines is exported. Of a\n" +
			"directory, the archives of each host are exported as one. Of a live source (-h, -L) the values\n" +
			"of every interval (-t) are exported, a file a day, until Ctrl-C or as many times as -s says.",
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if f.wide && !cmd.Flags().Changed("partition") {
				f.partition = "host" // one file
			}
			if f.by, err = export.ParsePartition(f.partition); err != nil {
				return fmt.Errorf("--partition: %w", err)
			}
			f.timed = cmd.Flags().Changed("interval") || cmd.Flags().Changed("samples")
			return a.export(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.dir, "output", "o", "export", "the `DIR` that holds the tables, made if it is not there")
	fs.StringVar(&f.partition, "partition", "host,date", "make directories of `PROPERTIES` of rows: host, date, both or none")
	fs.BoolVar(&f.check, "check", false, "read the files back and compare them with the archives")
	fs.BoolVar(&f.follow, "follow", false, "keep up with an archive that is being written, a file a minute, until Ctrl-C")
	fs.BoolVar(&f.wide, "wide", false, "write one table with a row for each record and a column for each instance")
	a.addShared(fs, "interval", "samples")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

// export writes archives or live values as tables.
func (a *app) export(ctx context.Context, f *exportFlags, args []string) error {
	o := &a.Options
	switch {
	case !o.HasArchive && !o.HasHost && !o.Local:
		return errors.New("export needs a source: -a ARCHIVE, a list or a directory of them, -h HOST or -L")
	case o.HasArchive && f.timed:
		return errors.New("archives are exported record by record: -t and -s are for live sources")
	case !o.HasArchive && (f.check || f.follow || f.wide):
		return errors.New("--check, --follow and --wide are for archives")
	case f.check && f.follow || f.wide && (f.check || f.follow):
		return errors.New("--check, --follow and --wide exclude each other")
	}
	a.running = true
	debug.SetGCPercent(50) // little is allocated for each value, so it costs nothing
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case !o.HasArchive:
		return a.exportLive(ctx, f, args)
	case f.follow:
		return a.exportFollowing(ctx, f, o.Archive, args)
	}
	sets, err := recordings(ctx, o.Archive)
	if err != nil {
		return err
	}
	failed := false
	for _, set := range sets {
		err := a.exportSet(ctx, f, set, args)
		if ctx.Err() != nil {
			return errors.New("interrupted: nothing of the archive was kept")
		}
		if err != nil {
			a.complain(fmt.Errorf("%s: %w", set, conflict(ctx, set, err)))
			failed = true
		}
	}
	return exitIf(failed)
}

// exportLive writes the values of a live source.
func (a *app) exportLive(ctx context.Context, f *exportFlags, args []string) error {
	interval := cmp.Or(a.Options.Interval, repl.DefaultInterval)
	cfg := f.config("live-" + time.Now().UTC().Format("20060102T150405.000000"))
	return a.exportStream(ctx, f, cfg, args, func() (*export.Records, error) {
		plain, err := a.sources.OpenPlain(ctx)
		if err != nil {
			return nil, err
		}
		return export.Sample(plain, interval, a.Options.Samples), nil
	})
}

// exportFollowing writes an archive that is being written.
func (a *app) exportFollowing(ctx context.Context, f *exportFlags, list string, args []string) error {
	names, err := archive.List(list)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("--follow keeps up with one archive, not with %d: %s", len(names), list)
	}
	cfg := f.config(exportName(names[0]))
	cfg.Period = time.Minute
	return a.exportStream(ctx, f, cfg, args, func() (*export.Records, error) {
		return export.Follow(ctx, names[0], a.sources.OpenPlain)
	})
}

// exportStream writes records that have no end.
func (a *app) exportStream(ctx context.Context, f *exportFlags, cfg *export.Config, args []string, open func() (*export.Records, error)) error {
	var sum export.Summary
	err := a.withRecords(ctx, cfg, args, open, func(src *derive.Source, recs *export.Records) (err error) {
		defer a.showProgress(ctx, cfg, nil)()
		sum, err = export.Write(ctx, src, recs, cfg)
		return err
	})
	if err != nil {
		return err
	}
	a.summarizeExport(f, cfg, &sum)
	return sum.Damage
}

// config returns what is to be exported under a name.
func (f *exportFlags) config(name string) *export.Config {
	return &export.Config{Dir: f.dir, Name: name, Partition: f.by}
}

// recordings splits what -a names into lists that are exported as one each: those of a host.
func recordings(ctx context.Context, list string) (sets []string, err error) {
	info, err := os.Stat(list)
	if err != nil || !info.IsDir() {
		return []string{list}, nil // an archive or a list of them, of one host
	}
	names, err := archive.List(list)
	if err != nil {
		return nil, err
	}
	var hosts []string
	for _, name := range names {
		host := ""
		if s, err := archive.Open(ctx, name, nil); err == nil { // otherwise its export says why not
			host = s.Label().Host
			s.Close()
		}
		if i := slices.Index(hosts, host); i >= 0 && host != "" {
			sets[i] += "," + name
			continue
		}
		hosts, sets = append(hosts, host), append(sets, name)
	}
	return sets, nil
}

// exportSet writes the archives of one host, and reads them back for --check.
func (a *app) exportSet(ctx context.Context, f *exportFlags, set string, args []string) error {
	a.Options.Archive = set
	first, _, _ := strings.Cut(set, ",")
	cfg := f.config(exportName(first))
	open := func() (*export.Records, error) {
		plain, err := a.sources.OpenPlain(ctx)
		if err != nil {
			return nil, err
		}
		return export.NewRecords(plain)
	}
	write := export.Write
	if f.wide {
		var columns *export.Wide
		err := a.withRecords(ctx, cfg, args, open, func(src *derive.Source, recs *export.Records) (err error) {
			columns, err = export.Columns(ctx, src, recs, cfg)
			return err
		})
		if err != nil {
			return err
		}
		write = columns.Write
	}
	var sum export.Summary
	err := a.withRecords(ctx, cfg, args, open, func(src *derive.Source, recs *export.Records) (err error) {
		defer a.showProgress(ctx, cfg, recs)()
		sum, err = write(ctx, src, recs, cfg)
		return err
	})
	if err == nil && f.check { // with a source of its own: this one knows the last sample
		err = a.withRecords(ctx, cfg, args, open, func(src *derive.Source, recs *export.Records) error {
			return export.Check(ctx, src, recs, cfg)
		})
	}
	if err != nil {
		return err
	}
	a.summarizeExport(f, cfg, &sum)
	return sum.Damage
}

// summarizeExport says what has been exported.
func (a *app) summarizeExport(f *exportFlags, cfg *export.Config, sum *export.Summary) {
	text := fmt.Sprintf("%s: %d values of %d metrics", cfg.Name, sum.Values, sum.Metrics)
	if sum.Events > 0 {
		text += fmt.Sprintf(", %d rows of events", sum.Events)
	}
	text += fmt.Sprintf("; files: %d", len(sum.Files))
	if f.check {
		text += ", read back and equal"
	}
	fmt.Fprintln(a.Env.Out, text)
}

// showProgress makes an export rewrite a line on the terminal, and returns what removes the line.
// Without a terminal it does nothing.
func (a *app) showProgress(ctx context.Context, cfg *export.Config, recs *export.Records) func() {
	if !cli.IsTerminal(a.Env.Stderr) {
		return func() {}
	}
	var start, end pcp.Timestamp
	if recs != nil {
		if line, ok := pmapi.As[pmapi.Timeline](recs); ok {
			start, end, _ = line.Bounds(ctx)
		}
	}
	begun := time.Now()
	shown := begun
	cfg.Progress = func(at pcp.Timestamp, values int64) {
		now := time.Now()
		if now.Sub(shown) < 200*time.Millisecond {
			return
		}
		shown = now
		part := ""
		if all := end.Sub(start); all > 0 {
			part = fmt.Sprintf("%3.0f%%  ", 100*min(max(at.Sub(start)/all, 0), 1))
		}
		a.Env.Progress(fmt.Sprintf("%s: %s%d values, %.1f million/s", cfg.Name, part, values, float64(values)/1e6/now.Sub(begun).Seconds()))
	}
	return func() {
		if shown != begun {
			a.Env.Progress("")
		}
	}
}

// withRecords calls do with the records that open returns and the source over them, in which the
// derived metrics of arguments are defined. cfg gets the names of the metrics.
func (a *app) withRecords(ctx context.Context, cfg *export.Config, args []string, open func() (*export.Records, error), do func(*derive.Source, *export.Records) error) error {
	recs, err := open()
	if err != nil {
		return err
	}
	a.sources.LoadDefault()
	src := a.sources.DeriveRecords(recs)
	defer src.Close()
	if cfg.Metrics, err = defineExported(ctx, src, args); err != nil {
		return err
	}
	return do(src, recs)
}

// exportName returns the name of an archive without its directory and what marks its files.
func exportName(path string) string {
	name := filepath.Base(path)
	for _, end := range []string{".meta", ".index"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// defineExported defines the derived metrics of arguments and returns the names of all.
func defineExported(ctx context.Context, src *derive.Source, args []string) (names []string, err error) {
	for _, arg := range args {
		name, expr, ok := strings.Cut(arg, "=")
		if ok = ok && syntax.LegalName(strings.TrimSpace(name)); ok {
			name = strings.TrimSpace(name)
			if err := src.Add(ctx, name, expr); err != nil {
				if bad, ok := errors.AsType[*derive.Error](err); ok {
					return nil, bad.Diagnosis()
				}
				return nil, err
			}
		} else {
			name = arg
		}
		names = append(names, name)
	}
	return names, nil
}

// conflict names a metric that archives of a set describe differently, and two of them, if that is why
// the set cannot be opened; otherwise it returns the error.
func conflict(ctx context.Context, set string, why error) error {
	changes := []pmerr.Code{pmerr.LogChangeType, pmerr.LogChangeSem, pmerr.LogChangeInDom, pmerr.LogChangeUnits}
	if !slices.ContainsFunc(changes, func(c pmerr.Code) bool { return errors.Is(why, c) }) {
		return why
	}
	type described struct {
		desc    pcp.Desc
		archive string
	}
	first := make(map[pcp.ID]described)
	names, _ := archive.List(set)
	for _, name := range names {
		s, err := archive.Open(ctx, name, nil)
		if err != nil {
			return err
		}
		err = nil
		s.Walk("", func(metric string, id pcp.ID) bool {
			d, e := s.Desc(id)
			old, ok := first[id]
			if e == nil && !ok {
				first[id] = described{d, name}
			} else if e == nil && old.desc != d {
				err = fmt.Errorf("%w: %s (%v) is %s in %s, but %s in %s; export these to directories of their own",
					why, metric, id, descText(old.desc), old.archive, descText(d), name)
			}
			return err == nil
		})
		if s.Close(); err != nil {
			return err
		}
	}
	return why
}

// descText returns what archives may differ in.
func descText(d pcp.Desc) string {
	return strings.TrimSuffix(fmt.Sprintf("%s, %s, indom %v, %s", d.Type.Text(), d.Sem.Text(), d.InDom, d.Units), ", ")
}
