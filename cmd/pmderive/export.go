package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/archive"
	"pmtools/lib/export"
	"pmtools/lib/export/bucket"
	"pmtools/lib/pmapi"
)

type exportFlags struct {
	dir       string
	check     bool
	verbose   bool
	stock     bool
	follow    bool
	wide      bool
	partition string
	labels    []string
	timed     bool // there is -t or -s
	by        export.Partition
	store     export.Store
}

func (a *app) newExport() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [METRIC|PREFIX|NAME=EXPR|:REPORT ...]",
		Short: "Write archives or live values as Parquet files",
		Long: "Write the values of archives (-a) as tables in Parquet, one row per value, for engines such as\n" +
			"DuckDB, ClickHouse and Spark. NAME=EXPR adds a derived metric. A name that has metrics below it\n" +
			"stands for them. Without arguments, all recorded metrics and all definitions of -c are exported.\n" +
			"The archives of each host in a directory are exported as one. Run again, it adds the records\n" +
			"that the tables do not have yet, whatever became of the archives. A live source (-h, -L) is sampled\n" +
			"at every interval (-t), into one file per day, until Ctrl-C or for the number of samples of -s.",
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if f.wide && !cmd.Flags().Changed("partition") {
				f.partition = "host" // one file
			}
			if f.by, err = export.ParsePartition(f.partition); err != nil {
				return fmt.Errorf("--partition: %w", err)
			}
			if err := new(export.Config).SetLabels(f.labels); err != nil {
				return err
			}
			if f.store, err = bucket.Store(f.dir); err != nil {
				return err
			}
			f.timed = cmd.Flags().Changed("interval") || cmd.Flags().Changed("samples")
			return a.export(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.dir, "output", "o", "export", "the `DIR` that holds the tables, made if it does not exist; or s3://BUCKET/PREFIX")
	fs.StringVar(&f.partition, "partition", "host,date", "make directories of `PROPERTIES` of rows: host, date, both or none")
	fs.StringArrayVar(&f.labels, "label", nil, "call the machine otherwise than the archive does: `NAME=VALUE`, NAME is host or machineid")
	fs.BoolVar(&f.check, "check", false, "read the files back and compare them with the archives")
	fs.BoolVar(&f.follow, "follow", false, "keep up with an archive that is being written, a file a minute, until Ctrl-C")
	fs.BoolVar(&f.wide, "wide", false, "write one table with a row for each record and a column for each instance")
	fs.BoolVar(&f.stock, "stock", false, "export the definitions that PCP installs too")
	fs.BoolVar(&f.verbose, "verbose", false, "name the stock definitions that do not apply to the metrics")
	a.addShared(fs, "start", "finish", "interval", "samples")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

func (a *app) export(ctx context.Context, f *exportFlags, args []string) error {
	o := &a.Options
	switch {
	case !o.HasArchive && !o.HasHost && !o.Local:
		return errors.New("export needs a source: -a ARCHIVE, a list or a directory of them, -h HOST or -L")
	case o.HasArchive && f.timed:
		return errors.New("archives are exported record by record: -t and -s are for live sources, -S and -T for archives")
	case o.HasFinish && !o.HasArchive || f.follow && (o.HasStart || o.HasFinish):
		return errors.New("-S and -T are for archives that are not followed")
	case !o.HasArchive && (f.check || f.follow || f.wide):
		return errors.New("--check, --follow and --wide are for archives")
	case f.check && f.follow || f.wide && (f.check || f.follow):
		return errors.New("--check, --follow and --wide exclude each other")
	}
	a.running = true
	if !f.verbose {
		defer a.sources.CountMisfits().Tell()
	}
	debug.SetGCPercent(50) // little is allocated for each value, so it costs nothing
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case !o.HasArchive:
		return a.exportLive(ctx, f, args)
	case f.follow:
		return a.exportFollowing(ctx, f, o.Archive, args)
	}
	sets, err := export.Recordings(ctx, o.Archive)
	if err != nil {
		return err
	}
	failed := false
	for _, set := range sets {
		err := a.exportSet(ctx, f, set, args)
		if ctx.Err() != nil {
			return errors.New("interrupted: nothing of the archive was kept")
		}
		if p, ok := errors.AsType[*query.Problem](err); ok {
			p.Msg = set + ": " + p.Msg
			a.complain(p)
			failed = true
		} else if err != nil {
			a.complain(fmt.Errorf("%s: %w", set, export.Conflict(ctx, set, err)))
			failed = true
		}
	}
	return exitIf(failed)
}

func (a *app) exportLive(ctx context.Context, f *exportFlags, args []string) error {
	interval := cmp.Or(a.Options.Interval, query.DefaultInterval)
	cfg := f.config(args, "live-"+time.Now().UTC().Format("20060102T150405.000000"))
	return a.runExport(ctx, f, cfg, args, func() (*export.Records, error) {
		plain, err := a.sources.OpenPlain(ctx)
		if err != nil {
			return nil, err
		}
		return export.Sample(plain, interval, a.Options.Samples), nil
	})
}

func (a *app) exportFollowing(ctx context.Context, f *exportFlags, list string, args []string) error {
	names, err := archive.List(list)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("--follow keeps up with one archive, not with %d: %s", len(names), list)
	}
	cfg := f.config(args, export.NameOf(names[0]))
	cfg.Period = time.Minute
	return a.runExport(ctx, f, cfg, args, func() (*export.Records, error) {
		return export.Follow(ctx, names[0], a.sources.OpenPlain)
	})
}

func (a *app) exportSet(ctx context.Context, f *exportFlags, set string, args []string) error {
	a.Options.Archive = set
	zone, err := a.zone()
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(set, ",")
	return a.runExport(ctx, f, f.config(args, export.NameOf(first)), args, func() (*export.Records, error) {
		plain, err := a.sources.OpenPlain(ctx)
		if err != nil {
			return nil, err
		}
		recs, err := export.NewRecords(plain)
		line, ok := pmapi.As[pmapi.Timeline](plain)
		if err == nil && ok {
			from, until, bad := a.window(zone).Bounds(ctx, line)
			recs.Within(from, until)
			err = bad
		}
		if err != nil {
			plain.Close()
			return nil, err
		}
		return recs, nil
	})
}

// runExport writes the records that open returns, with the derived metrics that arguments define,
// and prints a summary.
func (a *app) runExport(ctx context.Context, f *exportFlags, cfg *export.Config, args []string, open func() (*export.Records, error)) error {
	if f.stock {
		a.sources.LoadDefault()
	}
	job := &export.Job{Config: cfg, Wide: f.wide, Check: f.check, Open: func(ctx context.Context) (pmapi.Source, *export.Records, error) {
		recs, err := open()
		if err != nil {
			return nil, nil, err
		}
		src := a.sources.DeriveRecords(recs)
		if args, err = a.reports.Plain(ctx, a.Env, query.NewSource(src), query.NewDictionary(a.sources.Registry()), args, a.complain); err == nil {
			cfg.Metrics, err = defineExported(ctx, src, args)
		}
		if err != nil {
			src.Close()
			return nil, nil, err
		}
		return src, recs, nil
	}}
	if cli.IsTerminal(a.Env.Stderr) {
		job.Show = a.Env.Progress
	}
	sum, err := job.Run(ctx)
	if err != nil {
		return a.sources.StockHint(err, args)
	}
	fmt.Fprintln(a.Env.Out, job.Report(sum))
	return sum.Damage
}

// config returns what is to be exported under a name.
func (f *exportFlags) config(args []string, name string) *export.Config {
	cfg := &export.Config{Store: f.store, Name: name, Selection: args, Partition: f.by}
	_ = cfg.SetLabels(f.labels) // which has been tried
	return cfg
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
