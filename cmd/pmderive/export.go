package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pmtools/derive"
	"pmtools/derive/syntax"
	"pmtools/lib/archive"
	"pmtools/lib/export"
	"pmtools/lib/option"
)

// exportFlags are the options of export.
type exportFlags struct {
	dir   string
	check bool
}

// newExport returns the command that writes archives as tables.
func (a *app) newExport() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [METRIC|PREFIX|NAME=EXPR ...]",
		Short: "Write archives as Parquet files",
		Long: "Write what archives (-a) have as tables in Parquet, a row for each value, for engines such as\n" +
			"DuckDB, ClickHouse and Spark. NAME=EXPR adds a derived metric. A name that has metrics below it\n" +
			"stands for them; without any, all that is recorded and all that -c defines is exported. Of a\n" +
			"directory, the archives of each host are exported as one.",
		ValidArgsFunction: a.completeExpr,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.export(cmd.Context(), f, args) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.dir, "output", "o", "export", "the `DIR` that holds the tables, made if it is not there")
	fs.BoolVar(&f.check, "check", false, "read the files back and compare them with the archives")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

// export writes archives as tables.
func (a *app) export(ctx context.Context, f *exportFlags, args []string) error {
	kind, list := a.Options.Source()
	if kind != option.Archive {
		return errors.New("export needs an archive: -a ARCHIVE, a list or a directory of them")
	}
	a.running = true
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	sets, err := recordings(ctx, list)
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
			a.complain(fmt.Errorf("%s: %w", set, err))
			failed = true
		}
	}
	return exitIf(failed)
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
	cfg := &export.Config{Dir: f.dir, Name: exportName(first)}
	var sum export.Summary
	err := a.withRecords(ctx, cfg, args, func(src *derive.Source, recs *export.Records) (err error) {
		sum, err = export.Write(ctx, src, recs, cfg)
		return err
	})
	if err == nil && f.check { // with a source of its own: this one knows the last sample
		err = a.withRecords(ctx, cfg, args, func(src *derive.Source, recs *export.Records) error {
			return export.Check(ctx, src, recs, cfg)
		})
	}
	if err != nil {
		return err
	}
	checked := ""
	if f.check {
		checked = ", read back and equal"
	}
	fmt.Fprintf(a.Env.Out, "%s: %d values of %d metrics; files: %d%s\n", cfg.Name, sum.Values, sum.Metrics, len(sum.Files), checked)
	return sum.Damage
}

// withRecords calls do with the source of the archives, in which the derived metrics of arguments
// are defined, and with the records below it. cfg gets the names of the metrics.
func (a *app) withRecords(ctx context.Context, cfg *export.Config, args []string, do func(*derive.Source, *export.Records) error) error {
	plain, err := a.sources.OpenPlain(ctx)
	if err != nil {
		return err
	}
	recs, err := export.NewRecords(plain)
	if err != nil {
		return errors.Join(err, plain.Close())
	}
	a.sources.LoadDefault()
	src := a.sources.Derive(recs)
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
