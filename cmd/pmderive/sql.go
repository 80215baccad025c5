package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/duckdb"
	"pmtools/cmd/internal/fleet"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/derive/sql"
	"pmtools/lib/export"
	"pmtools/lib/export/bucket"
)

type sqlFlags struct {
	opt   sql.Options
	hosts string // a file of hosts to which the query is limited
	run   bool
}

func (a *app) newSQL() *cobra.Command {
	f := &sqlFlags{}
	cmd := &cobra.Command{
		Use:   "sql EXPR|NAME|:REPORT",
		Short: "Write an expression as SQL over exported tables",
		Long: "Write an expression as one query over the tables that export has written: its rows are the\n" +
			"values of the expression for each record of all hosts. The descriptions of the metrics come\n" +
			"from an archive (-a), a daemon (-h) or the table of metrics (-m). An expression that SQL cannot\n" +
			"express is refused, with the place and the reason. Of a report there is a query for each column.",
		Args:              operands(1, 1),
		ValidArgsFunction: a.completeExpr,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.sql(cmd.Context(), f, args[0]) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.opt.Dialect, "dialect", sql.Dialects()[0], "`NAME` of the dialect: "+strings.Join(sql.Dialects(), ", "))
	fs.StringVarP(&a.catalog, "metrics", "m", "", "take metadata from a table of metrics: a `FILE` of it, or the directory of the tables, or s3://BUCKET/PREFIX")
	fs.StringVar(&f.opt.Tables, "tables", "", "the `DIR` or the URL of a bucket that export has written (default: that of -m, or export)")
	fs.StringVar(&f.opt.Table, "table", "", "use tables that the engine has: `NAME` is their database, or has a * for that of each")
	fs.StringVar(&f.opt.Cluster, "cluster", "", "read a bucket by all servers of the cluster `NAME` (clickhouse)")
	fs.BoolVar(&f.opt.Micros, "us", false, "the tables are those of export --us, which tables on this machine and those of -m say themselves")
	fs.StringArrayVar(&f.opt.Hosts, "only", nil, "limit the query to `HOST`; may be repeated")
	fs.StringVar(&f.hosts, "hosts", "", "limit the query to the hosts of `FILE`, one per line; - is standard input")
	fs.BoolVar(&f.opt.Problems, "problems", false, "write the query for the hosts without values instead, and why they have none")
	fs.BoolVar(&f.run, "run", false, "run the query with duckdb")
	a.addShared(fs, "start", "finish")
	_ = cmd.MarkFlagDirname("tables")
	return cmd
}

func (a *app) sql(ctx context.Context, f *sqlFlags, expr string) error {
	switch {
	case !slices.Contains(sql.Dialects(), f.opt.Dialect):
		return fmt.Errorf("unknown dialect '%s'; there are %s", f.opt.Dialect, strings.Join(sql.Dialects(), ", "))
	case f.run && f.opt.Dialect != sql.Dialects()[0]:
		return fmt.Errorf("--run runs duckdb only, not %s", f.opt.Dialect)
	}
	if f.opt.Tables == "" {
		f.opt.Tables = export.TablesOf(a.catalog)
	}
	if f.hosts != "" {
		n := len(a.hosts)
		if err := a.readHosts(f.hosts); err != nil {
			return err
		}
		if f.opt.Hosts = append(f.opt.Hosts, a.hosts[n:]...); len(f.opt.Hosts) == 0 {
			return fmt.Errorf("--hosts %s names no host", f.hosts)
		}
	}
	place := f.opt.Tables
	if strings.Contains(place, "://") { // as those whose metadata are used
		place = export.TablesOf(a.catalog)
	}
	tables, err := bucket.Tables(place)
	if err != nil {
		return err
	}
	by, micros, err := tables.Layout(ctx)
	if err != nil {
		return err
	}
	f.opt.Flat, f.opt.Undated, f.opt.Micros = by.NoHost, by.NoDate, f.opt.Micros || micros
	a.running = true
	query, err := a.sqlQuery(ctx, f, expr)
	switch {
	case err != nil:
		return err
	case f.run:
		return duckdb.Run(ctx, a.Env, query)
	}
	_, err = io.WriteString(a.Env.Out, query)
	return err
}

func (a *app) sqlQuery(ctx context.Context, f *sqlFlags, expr string) (query string, err error) {
	if a.catalog != "" {
		if report.IsName(expr) {
			return "", fmt.Errorf("reports are fitted to metrics of a source: name one with -a or -h, not with -m, as in 'pmderive -a ARCHIVE sql %s'", expr)
		}
		zone, err := a.zone()
		if err != nil {
			return "", err
		}
		if f.opt.From, f.opt.Until, err = a.window(zone).Bounds(ctx, nil); err != nil {
			return "", err
		}
		tables, err := bucket.Tables(a.catalog)
		if err != nil {
			return "", err
		}
		a.sources.LoadDefault()
		return fleet.Query(ctx, expr, tables, a.sources.Set(), a.sources.Equivalence(), &f.opt)
	}
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	src, err := s.Source(ctx)
	if err != nil {
		return "", err
	}
	if f.opt.From, f.opt.Until, err = a.window(s.Zone()).Bounds(ctx, src.Line); err != nil {
		return "", err
	}
	return s.SQL(ctx, expr, &f.opt)
}
