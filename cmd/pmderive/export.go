package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/repl"
	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/archive"
	"pmtools/lib/export"
	"pmtools/lib/export/bucket"
	"pmtools/lib/option"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
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
	to        export.Config // the partition, the store and the resolution
	idle      time.Duration
	defining  sync.Mutex // reports, definitions that do not apply, and what is noted
	noted     bool       // that -T is after the end of an archive
}

func (a *app) newExport() *repl.Verb {
	return &repl.Verb{
		Name: "export", Usage: "[METRIC|PREFIX|NAME=EXPR|:REPORT ...]", Short: "Write archives or live values as Parquet files",
		Long: "Write the values of archives (-a) as tables in Parquet, one row per value, for engines such as\n" +
			"DuckDB, ClickHouse and Spark. NAME=EXPR adds a derived metric. A name that has metrics below it\n" +
			"stands for them. Without arguments, all recorded metrics and all definitions of -c are exported.\n" +
			"The archives of each host in a directory are exported as one. Run again, it adds the records\n" +
			"that the tables do not have yet, whatever became of the archives; with other arguments it replaces\n" +
			"what it wrote. A live source (-h, -L) is sampled at every interval (-t), into one file per day,\n" +
			"until Ctrl-C or for the number of samples of -s.",
		Doors: repl.Shell, Most: math.MaxInt, Complete: repl.OfExprs,
		New: func(fs *repl.Flags) repl.Run {
			f := &exportFlags{}
			f.add(fs)
			return func(ctx context.Context, _ *repl.Session, args []string, _ io.Writer) error {
				if err := f.fit(fs.Time, fs.Changed("partition")); err != nil {
					return repl.Misuse{Err: err}
				}
				return a.export(ctx, f, args)
			}
		},
	}
}

// add adds the options.
func (f *exportFlags) add(fs *repl.Flags) {
	fs.StringVarP(&f.dir, "output", "o", "export", "the `DIR` that holds the tables, made if it does not exist; or s3://BUCKET/PREFIX")
	fs.StringVar(&f.partition, "partition", "host,date", "make directories of `PROPERTIES` of rows: host, date, both or none")
	fs.Propose("partition", []string{"host,date", "host", "date", "none"})
	fs.StringArrayVar(&f.labels, "label", nil, "call the machine otherwise than the archive does: `NAME=VALUE`, NAME is host or machineid")
	fs.BoolVar(&f.check, "check", false, "read the files back and compare them with the archives")
	fs.BoolVar(&f.follow, "follow", false, "keep up with an archive that is being written, or all below a directory, a file every -t (1min), until Ctrl-C")
	fs.DurationVar(&f.idle, "idle", 0, "end --follow when nothing was recorded for so long, such as 10m")
	fs.BoolVar(&f.wide, "wide", false, "write one table with a row for each record and a column for each instance")
	fs.BoolVar(&f.to.Micros, "us", false, "write times in microseconds, and unsigned 64-bit integers as decimals, for Iceberg and Delta")
	fs.BoolVar(&f.stock, "stock", false, "export the definitions that PCP installs too")
	fs.BoolVar(&f.verbose, "verbose", false, "name the stock definitions that do not apply to the metrics")
	fs.Shared("start", "finish", "interval", "samples")
}

// fit reads the options, and returns an error if they do not fit together.
func (f *exportFlags) fit(o *option.Options, partitioned bool) (err error) {
	if f.wide && !partitioned {
		f.partition = "host" // one file
	}
	if f.to.Partition, err = export.ParsePartition(f.partition); err != nil {
		return fmt.Errorf("--partition: %w", err)
	}
	if err := new(export.Config).SetLabels(f.labels); err != nil {
		return err
	}
	if f.to.Store, err = bucket.Store(f.dir); err != nil {
		return err
	}
	switch {
	case !o.HasArchive && !o.HasHost && !o.Local:
		return errors.New("export needs a source: -a ARCHIVE, a list or a directory of them, -h HOST or -L")
	case o.HasArchive && (o.HasInterval && !f.follow || o.HasSamples):
		return errors.New("archives are exported record by record: -t and -s are for live sources, -S and -T for archives")
	case f.idle < 0 || f.idle > 0 && !f.follow:
		return errors.New("--idle is for --follow, and longer than 0")
	case o.HasFinish && !o.HasArchive || f.follow && (o.HasStart || o.HasFinish):
		return errors.New("-S and -T are for archives that are not followed")
	case !o.HasArchive && (f.check || f.follow || f.wide):
		return errors.New("--check, --follow and --wide are for archives")
	case f.check && f.follow || f.wide && (f.check || f.follow):
		return errors.New("--check, --follow and --wide exclude each other")
	}
	return nil
}

func (a *app) export(ctx context.Context, f *exportFlags, args []string) error {
	if f.stock {
		a.sources.LoadDefault()
	}
	if !f.verbose {
		defer a.sources.CountMisfits().Tell()
	}
	debug.SetGCPercent(50) // little is allocated for each value, so it costs nothing
	ctx, stop := a.Env.Interruptible(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case !a.Options.HasArchive:
		return a.exportLive(ctx, f, args)
	case f.follow:
		return a.exportFollowing(ctx, f, a.Options.Archive, args)
	}
	return a.exportArchives(ctx, f, args)
}

// exportArchives exports the archives of hosts side by side, and reports them in their order.
func (a *app) exportArchives(ctx context.Context, f *exportFlags, args []string) error {
	zone, err := a.zone()
	if err != nil {
		return err
	}
	sets, err := export.Recordings(ctx, a.Options.Archive)
	if err != nil {
		return err
	}
	failed, all, written, open := false, 0, 0, 0
	jobs := &export.Batch{Sets: sets, Workers: a.exportWorkers(), Job: func(set string) *export.Job {
		first, _, _ := strings.Cut(set, ",")
		return a.exportJob(f, f.config(args, export.NameOf(first)), args, func(ctx context.Context) (*export.Records, error) {
			return a.recordsWithin(ctx, f, set, zone)
		})
	}}
	if cli.IsTerminal(a.Env.Stderr) {
		jobs.Show = a.Env.Progress
	}
	jobs.Run(ctx, func(set string, job *export.Job, sum *export.Summary, err error) {
		if sum != nil && err == nil {
			fmt.Fprintln(a.Env.Out, job.Report(sum))
			err = sum.Damage
		}
		all++
		if sum != nil && sum.Written {
			written++
		}
		switch {
		case errors.Is(err, context.Canceled):
			open++
		case err != nil:
			failed = true
			if len(sets) == 1 { // the hint loads definitions, which the others shall not have
				err = a.sources.StockHint(err, args)
			}
			f.defining.Lock()
			defer f.defining.Unlock()
			a.complainAbout(ctx, set, err)
		}
	})
	switch { // a signal that comes after the last export changes nothing
	case open == 0:
		return exitIf(failed)
	case written == all:
		return errors.New("interrupted: all is exported, but not all of it was read back")
	case all == 1:
		return errors.New("interrupted: the archive is not exported; the same command again does so")
	}
	return fmt.Errorf("interrupted: %d of %d archives are exported; the same command again exports the others", written, all)
}

// exportWorkers returns how many archives are exported at the same time.
func (a *app) exportWorkers() int {
	if a.sources.Names() != nil {
		return 1 // each archive removes what it does not have
	}
	return runtime.GOMAXPROCS(0)
}

func (a *app) complainAbout(ctx context.Context, set string, err error) {
	shown := pmcd.Redact(set) // a host may be taken for an archive
	if p, ok := errors.AsType[*diagnose.Problem](err); ok {
		p.Msg = shown + ": " + p.Msg
		a.complain(p)
		return
	}
	a.complain(fmt.Errorf("%s: %w", shown, err))
}

func (a *app) recordsWithin(ctx context.Context, f *exportFlags, set string, zone *time.Location) (*export.Records, error) {
	plain, err := a.sources.OpenArchive(ctx, set)
	if err != nil {
		return nil, err
	}
	recs, err := export.NewRecords(plain)
	line, ok := pmapi.As[pmapi.Timeline](plain)
	if err == nil && ok {
		f.defining.Lock()
		defer f.defining.Unlock()
		window := repl.Window{Options: &a.Options, Now: a.Env.Now(), Zone: zone, Note: func(p *diagnose.Problem) {
			if !f.noted {
				f.noted = true
				a.complain(p)
			}
		}}
		from, until, bad := window.Bounds(ctx, line)
		recs.Within(from, until)
		err = bad
	}
	if err != nil {
		plain.Close()
		return nil, err
	}
	return recs, nil
}

// machines returns a source of samples from the recordings of each machine in a list of archives. A machine that cannot
// be read has no samples.
func (a *app) machines(ctx context.Context, archives string) *query.Recordings {
	sets, _ := export.Recordings(ctx, archives)
	names := slices.Concat(sets...)
	if !strings.Contains(archives, ",") { // a directory has no order
		slices.Sort(names)
	}
	return &query.Recordings{
		Names:   names,
		Workers: a.exportWorkers(),
		Report:  func(name string, err error) { a.complainAbout(ctx, name, err) },
		Open: func(ctx context.Context, name string) (*query.Source, error) {
			src, err := a.sources.OpenArchive(ctx, name)
			if err != nil {
				return nil, err
			}
			x := query.NewSource(src)
			x.Equivalent = a.sources.Equivalence()
			return x, nil
		},
	}
}

// exportLive exports what a live source has.
func (a *app) exportLive(ctx context.Context, f *exportFlags, args []string) error {
	interval := cmp.Or(a.Options.Interval, query.DefaultInterval)
	cfg := f.config(args, "live-"+time.Now().UTC().Format("20060102T150405.000000"))
	job := a.exportJob(f, cfg, args, func(ctx context.Context) (*export.Records, error) {
		plain, err := a.sources.OpenPlain(ctx)
		if err != nil {
			return nil, err
		}
		return export.Sample(plain, interval, a.Options.Samples), nil
	})
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

func (a *app) exportFollowing(ctx context.Context, f *exportFlags, list string, args []string) error {
	if info, err := os.Stat(list); err == nil && info.IsDir() {
		return a.follow(ctx, f, &export.Following{Dir: list, Every: a.every()}, args)
	}
	names, err := archive.List(list)
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("--follow keeps up with one archive, or with all below a directory, not with a list of %d: %s", len(names), list)
	}
	src, err := a.sources.OpenArchive(ctx, names[0])
	if err != nil {
		return err
	}
	src.Close()
	base := filepath.Base(names[0])
	if _, err := os.Stat(names[0]); err == nil { // it names one of the files
		base, _, _ = archive.ParseFile(base)
	}
	x := &export.Following{Dir: filepath.Dir(names[0]), Archive: base, Every: a.every()}
	return a.follow(ctx, f, x, args)
}

// every returns the time between exports of an archive that is followed.
func (a *app) every() time.Duration { return cmp.Or(a.Options.Interval, time.Minute) }

// follow exports what archives get. That of a single one ends with an error that comes before anything is exported.
func (a *app) follow(ctx context.Context, f *exportFlags, x *export.Following, args []string) error {
	values, files, show := int64(0), int64(0), cli.IsTerminal(a.Env.Stderr)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x.Output, x.Idle, x.Workers = f.dir, f.idle, a.exportWorkers()
	x.Tell = func(err error) {
		if x.Archive != "" && files == 0 {
			cancel()
			return
		}
		a.complain(err)
	}
	x.Job = func(name string, open func(context.Context, export.Opener) (*export.Records, error)) *export.Job {
		return a.exportJob(f, f.config(args, export.NameOf(name)), args, func(ctx context.Context) (*export.Records, error) {
			return open(ctx, func(ctx context.Context) (pmapi.Source, error) { return a.sources.OpenArchive(ctx, name) })
		})
	}
	x.Sum = func(sum *export.Summary) {
		values, files = values+sum.Values, files+int64(len(sum.Files))
		if show {
			a.Env.Progress(x.Describe(values, files))
		}
	}
	left := x.Run(ctx)
	if show {
		a.Env.Progress("")
	}
	if x.Archive != "" && files == 0 && len(left) > 0 {
		return a.sources.StockHint(errors.Unwrap(left[0]), args)
	}
	fmt.Fprintln(a.Env.Out, x.Describe(values, files))
	for i, err := range left {
		if i == maxListed {
			a.complain(fmt.Errorf("and %d more", len(left)-i))
			break
		}
		a.complain(fmt.Errorf("not exported: %w", err))
	}
	return exitIf(len(left) > 0)
}

// maxListed is how many archives are listed at the end that could not be exported.
const maxListed = 20

// exportJob writes the records that open returns, with the derived metrics that arguments define.
func (a *app) exportJob(f *exportFlags, cfg *export.Config, args []string, open func(context.Context) (*export.Records, error)) *export.Job {
	return &export.Job{Config: cfg, Wide: f.wide, Check: f.check, Open: func(ctx context.Context) (pmapi.Source, *export.Records, error) {
		recs, err := open(ctx)
		if err != nil {
			return nil, nil, err
		}
		f.defining.Lock()
		defer f.defining.Unlock()
		src := a.sources.DeriveRecords(recs)
		x, err := a.reports.Expand(ctx, query.NewSource(src), a.sources.Set(), args)
		for _, p := range append(x.Left, x.Unselected()...) {
			a.complain(p)
		}
		if err == nil {
			cfg.Metrics, err = define(ctx, src, x.Plain)
		}
		if err != nil {
			src.Close()
			return nil, nil, err
		}
		return src, recs, nil
	}}
}

// config returns the configuration of an export under a name.
func (f *exportFlags) config(args []string, name string) *export.Config {
	cfg := f.to
	cfg.Name, cfg.Selection = name, args
	_ = cfg.SetLabels(f.labels) // which has been tried
	return &cfg
}

// define defines the derived metrics among arguments, NAME=EXPR, over a source, and returns the names of all. An
// expression without a name is a *diagnose.Problem.
func define(ctx context.Context, src *derive.Source, args []string) (names []string, err error) {
	for _, arg := range args {
		name, expr, ok := strings.Cut(arg, "=")
		if ok = ok && syntax.LegalName(strings.TrimSpace(name)); ok {
			name = strings.TrimSpace(name)
			if err := src.Add(ctx, name, expr); err != nil {
				return nil, err
			}
		} else if name = arg; strings.ContainsAny(name, " ()*/+<>?!") {
			return nil, &diagnose.Problem{Msg: "an expression needs a name for its values", Src: name, Notes: []string{"write my.metric=" + name}}
		}
		names = append(names, name)
	}
	return names, nil
}
