package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"pmtools/cmd/internal/duckdb"
	"pmtools/cmd/internal/fleet"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/derive/sql"
	"pmtools/lib/export"
	"pmtools/lib/export/bucket"
)

type sqlFlags struct {
	*repl.Flags
	opt     sql.Options
	catalog *string
	hosts   string // a file of hosts to which the query is limited
	until   string // a time at which values do not count
	view    string // the name of a view that the query becomes
	run     bool
}

func (a *app) newSQL() *repl.Verb {
	return &repl.Verb{
		Name: "sql", Usage: "EXPR|NAME|:REPORT", Short: "Write an expression as SQL over exported tables",
		Long: "Write an expression as one query over the tables that export has written: its rows are the\n" +
			"values of the expression for each record of all hosts. The descriptions of the metrics come\n" +
			"from an archive (-a), a daemon (-h) or the table of metrics (-m). An expression that SQL cannot\n" +
			"express is refused, with the place and the reason. Of a report there is a query for each column.",
		Doors: repl.Both, Operands: repl.Expr, Least: 1, Most: 1, Complete: repl.OfExprs,
		New: func(fs *repl.Flags) repl.Run {
			f := &sqlFlags{Flags: fs, catalog: new(string)}
			if fs.Door == repl.Shell {
				f.catalog = &a.catalog // whose metrics are proposed
			}
			f.opt.Dialect = sql.Dialects()[0]
			fs.Choice(&f.opt.Dialect, "dialect", "dialect", "", "`NAME` of the dialect", sql.Dialects())
			fs.StringVarP(f.catalog, "metrics", "m", "", "take metadata from a table of metrics: a `FILE` of it, or the directory of the tables, or s3://BUCKET/PREFIX")
			fs.StringVar(&f.opt.Tables, "tables", "", "the `DIR` or the URL of a bucket that export has written (default: that of -m, or export)")
			fs.StringVar(&f.opt.Table, "table", "", "use tables that the engine has: `NAME` is their database, or has a * for that of each")
			fs.StringVar(&f.opt.Cluster, "cluster", "", "read a bucket by all servers of the cluster `NAME` (clickhouse)")
			fs.BoolVar(&f.opt.Micros, "us", false, "the tables are those of export --us, which tables on this machine and those of -m say themselves")
			fs.StringArrayVar(&f.opt.Hosts, "only", nil, "limit the query to `HOST`; may be repeated")
			fs.StringVar(&f.hosts, "hosts", "", "limit the query to the hosts of `FILE`, one per line; - is standard input")
			fs.BoolVar(&f.opt.Problems, "problems", false, "write the query for the hosts without values instead, and why they have none")
			fs.StringVar(&f.until, "until", "", "values before `TIME`, as -T says it, but not at it, so that a window ends where the next begins")
			fs.StringVar(&f.view, "view", "", "write the statement that makes the query a view called `NAME`")
			fs.BoolVar(&f.run, "run", false, "run the query with duckdb")
			fs.Output([]string{"table", "csv", "json"})
			fs.Shared("start", "finish")
			return func(ctx context.Context, s *repl.Session, args []string, w io.Writer) error {
				if err := f.fit(args[0]); err != nil {
					return repl.Misuse{Err: err}
				}
				if err := f.prepare(ctx, a); err != nil {
					return repl.Misuse{Err: err}
				}
				query, err := f.query(ctx, a, s, args[0])
				switch {
				case err != nil:
					return err
				case f.run:
					return duckdb.Run(ctx, a.Env, w, query, f.Settings.Output)
				case f.view != "":
					query = f.viewOf(query)
				}
				_, err = io.WriteString(w, query)
				return err
			}
		},
	}
}

var viewName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)
})

// fit returns an error if the options do not fit together, or do not fit an expression.
func (f *sqlFlags) fit(expr string) error {
	switch duckdb := f.opt.Dialect == sql.Dialects()[0]; {
	case f.run && !duckdb:
		return fmt.Errorf("--run runs duckdb only, not %s", f.opt.Dialect)
	case f.Changed("output") && !f.run:
		return errors.New("-o is the form of what --run prints")
	case f.view == "":
		return nil
	case f.run:
		return errors.New("--view writes a statement, for a database of yours: 'pmderive sql --view NAME ... | duckdb FILE.db'")
	case report.IsName(expr):
		return errors.New("a view has one expression; a report has a query for each column")
	case !viewName().MatchString(f.view):
		return fmt.Errorf("--view %s: a name of letters, digits and _ is wanted, such as reads or pcp.reads", f.view)
	}
	return nil
}

// viewOf returns the statement for a view. Few functions of DuckDB take its times in nanoseconds: the
// view has them in microseconds, and the nanoseconds since 1970 beside them.
func (f *sqlFlags) viewOf(query string) string {
	if f.opt.Dialect == sql.Dialects()[0] && !f.opt.Micros && !f.opt.Problems {
		query = "SELECT * REPLACE (CAST(time AS TIMESTAMPTZ) AS time), epoch_ns(time) AS time_ns FROM (\n" + query + ")"
	}
	return "CREATE OR REPLACE VIEW " + f.view + " AS\n" + strings.TrimSuffix(query, "\n") + ";\n"
}

// prepare reads what the options say of the tables.
func (f *sqlFlags) prepare(ctx context.Context, a *app) error {
	if f.until != "" {
		if f.Time.HasFinish {
			return errors.New("-T has the last time that counts, --until the first one that does not: give one of them")
		}
		f.Time.Finish, f.Time.HasFinish, f.opt.Open = f.until, true, true
	}
	if f.opt.Tables == "" {
		f.opt.Tables = export.TablesOf(*f.catalog)
	}
	if f.hosts != "" {
		list, err := a.readHosts(f.hosts)
		if err != nil {
			return err
		}
		for _, h := range list {
			f.opt.Hosts = append(f.opt.Hosts, h.Name)
		}
		if len(f.opt.Hosts) == 0 {
			return fmt.Errorf("--hosts %s names no host", f.hosts)
		}
	}
	place := f.opt.Tables
	if strings.Contains(place, "://") { // as those whose metadata are used
		place = export.TablesOf(*f.catalog)
	}
	tables, err := bucket.Tables(place)
	if err != nil {
		return err
	}
	by, micros, err := tables.Layout(ctx)
	f.opt.Flat, f.opt.Undated, f.opt.Micros = by.NoHost, by.NoDate, f.opt.Micros || micros
	if n := len(f.opt.Hosts); err != nil || by.NoHost || n == 0 || n > maxDirs {
		return err
	}
	f.opt.Dirs = make(map[string][]string)
	for _, table := range []string{"labels", "metrics", "missing", "values"} {
		if f.opt.Dirs[table], err = tables.HostDirs(ctx, table, f.opt.Hosts); err != nil {
			return err
		}
	}
	return nil
}

// maxDirs is how many hosts a query names the directories of. With more it takes little time to look into all.
const maxDirs = 20

// query returns the query for an expression, with the metadata of the source or of a table of metrics.
func (f *sqlFlags) query(ctx context.Context, a *app, s *repl.Session, expr string) (string, error) {
	if *f.catalog == "" {
		return s.SQL(ctx, expr, f.Time, &f.opt, nil)
	}
	if report.IsName(expr) {
		return "", fmt.Errorf("reports are fitted to metrics of a source: name one with -a or -h, not with -m, as in 'pmderive -a ARCHIVE sql %s'", expr)
	}
	tables, err := bucket.Tables(*f.catalog)
	if err != nil {
		return "", err
	}
	return s.SQL(ctx, expr, f.Time, &f.opt, func(defs *derive.Set) (string, error) {
		return fleet.Query(ctx, expr, tables, defs, a.sources.Equivalence(), &f.opt)
	})
}
