package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/files"
	"pmtools/cmd/internal/picture"
	"pmtools/cmd/internal/repl"
	"pmtools/cmd/internal/report"
	"pmtools/cmd/internal/samples"
	"pmtools/derive/query"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

func (a *app) newEval() *cobra.Command {
	f := &evalFlags{}
	cmd := &cobra.Command{
		Use:   "eval [EXPR|NAME|:REPORT ...]",
		Short: "Evaluate expressions, once or over time",
		Long: "Evaluate expressions once, or repeatedly if any option about time is given; these\n" +
			"options mean the same as for pmval. Several expressions are fetched together. A name\n" +
			"that has metrics below it stands for them. Without expressions, all definitions of\n" +
			"-c are evaluated.",
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = a.loaded()
			}
			return a.eval(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	f.Flags = repl.NewFlags(fs, repl.Shell, repl.Settings{})
	a.addShared(fs, "start", "finish", "align", "origin", "interval", "samples")
	set := &f.Settings
	fs.BoolVarP(&f.delay, "delay", "d", false, "delay, pause between samples of an archive")
	f.Output(repl.Outputs(), "json")
	f.Numbers()
	fs.BoolVar(&set.Verbose, "verbose", false, "show the type, the semantics and the instance domain of each expression before its values")
	fs.BoolVarP(&set.Raw, "raw", "r", false, "output raw counter values (no rate conversion)")
	fs.StringVar(&f.plot, "plot", "", "draw a chart of the values, or a picture if a `FILE` follows, .svg or .png")
	fs.Lookup("plot").NoOptDefVal = terminalChart
	fs.IntVar(&f.pick.Top, "top", 0, "show only the `N` largest values of each expression")
	fs.StringVar(&f.pick.Sort, "sort", "", "`ORDER` of values: "+strings.Join(query.Sorts(), ", ")+" (the largest first)")
	fs.BoolVar(&set.Wide, "wide", false, "show all columns of a table, whatever the width of the terminal; in csv a column for each instance")
	fs.BoolVar(&set.Vertical, "vertical", false, "show a table with a line for each value")
	fs.BoolVar(&set.Long, "long", false, "write csv with a line for each value")
	fs.StringVar(&f.units, "units", "", "convert values of this dimension to `UNITS`, as in --units=Mbyte/s; alone: put units after the names in csv, or in a column of their own")
	fs.Lookup("units").NoOptDefVal = unitsInNames
	fs.StringSliceVarP(&f.pick.Instances, "instances", "i", nil, "show only the instances of `NAMES`, or patterns of names")
	fs.StringVar(&f.pick.Where, "where", "", "show only samples, or instances, where `EXPR` is not 0")
	fs.BoolVar(&f.failEmpty, "fail-empty", false, "end with status 3 if no value was written, as when --where finds nothing")
	fs.IntVar(&f.pick.Limit, "limit", 0, "write at most `N` samples")
	fs.StringVar(&f.header, "header", "", "`WHEN` the header is written: none, once, or again after this number of rows")
	fs.StringVar(&set.Timestamp, "timestamp", "", "write times in tables and csv in the `FORMAT` of strftime(3)")
	fs.StringVar(&f.delimiter, "delimiter", "", "`CHARACTER` between the fields of csv")
	fs.StringVar(&f.file, "output-file", "", "write to `FILE`, and replace its content")
	fs.StringVar(&f.archive, "archive-out", "", "write the metrics into an archive, `BASE`.meta and so on, instead of showing them")
	fs.BoolVar(&set.Safe, "safe-csv", false, "write csv without fields that spreadsheets take for formulas")
	fs.StringVar(&f.hosts, "hosts", "", "read hosts from `FILE`, one per line or in Prometheus's JSON; - is standard input")
	fs.StringVar(&f.across, "across", "", "combine the values of hosts by `FUNC`: sum, avg, min, max, count, 'top N', 'bottom N'")
	fs.BoolVar(&f.all, "all-hosts", false, "fail unless all hosts answer")
	return cmd
}

// settings returns the settings that the options ask for.
func (a *app) settings(f *evalFlags) (repl.Settings, error) {
	set := f.Settings
	set.Interval, set.Color = a.Options.Interval, a.Env.ColorWanted(a.Env.Stdout)
	if f.pick.Top > 0 {
		f.pick.Sort = cmp.Or(f.pick.Sort, "value")
	}
	if err := f.forms(&set); err != nil {
		return set, err
	}
	if err := query.CheckAcross(f.across); err != nil {
		return set, err
	}
	switch {
	case f.plot != "" && f.plot != terminalChart && !picture.Is(f.plot):
		return set, fmt.Errorf("--plot=%s: a picture's name ends in .svg or .png", f.plot)
	case f.pick.Top < 0:
		return set, errors.New("--top requires a number of values")
	case f.pick.Sort != "" && !slices.Contains(query.Sorts(), f.pick.Sort):
		return set, fmt.Errorf("unknown order '%s'; there are %s", f.pick.Sort, strings.Join(query.Sorts(), ", "))
	}
	return set, nil
}

func (a *app) loaded() (names []string) {
	for _, name := range a.sources.Set().Names() {
		if !strings.HasPrefix(name, "event.") {
			names = append(names, name)
		}
	}
	return names
}

// forms reads the options about the form of output.
func (f *evalFlags) forms(set *repl.Settings) error {
	switch f.header {
	case "":
	case "none":
		set.Header = samples.NoHeader
	case "once":
		set.Header = samples.HeaderOnce
	default:
		n, err := strconv.Atoi(f.header)
		if err != nil || n < 1 {
			return fmt.Errorf("--header=%s: use none, once or a number of rows", f.header)
		}
		set.Header = n
	}
	switch d := strings.ReplaceAll(f.delimiter, `\t`, "\t"); {
	case d == "":
	case len(d) > 1 || strings.Contains("\"\r\n", d):
		return fmt.Errorf("--delimiter=%s is not one character between fields", f.delimiter)
	default:
		set.Delimiter = d[0]
	}
	if set.Units = f.units == unitsInNames; !set.Units {
		f.pick.Units = f.units
	}
	if f.units != "" && !set.Units {
		if _, _, err := pcp.ParseUnits(f.units); err != nil {
			return fmt.Errorf("--units=%s: %v", f.units, err)
		}
	}
	if f.pick.Limit < 0 {
		return errors.New("--limit requires a number of samples")
	}
	_, err := format.AppendStrftime(nil, set.Timestamp, time.Time{})
	return err
}

func (a *app) eval(ctx context.Context, f *evalFlags, args []string) (failed error) {
	set, err := a.settings(f)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return errors.New("no expression is given, and -c defines none")
	case f.failEmpty && f.archive != "":
		return errors.New("--fail-empty is about values that are written, and --archive-out shows none")
	}
	hosts, err := a.several(f)
	if err != nil {
		return err
	}
	a.running = true
	if f.archive != "" {
		return a.recordArchive(ctx, f, set, args)
	}
	if report.Named(args) {
		a.reports.Begin()
	}
	s, err := a.session(ctx, set, overHosts(hosts))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.recordings(ctx, s, f, args); err != nil {
		return err
	}
	x, err := a.expanded(ctx, s, args)
	if err != nil {
		return err
	}
	q, err := a.query(ctx, s, f, hosts)
	if err != nil {
		return err
	}
	q.Exprs, q.Raw = x.Exprs, set.Raw || set.Output == "openmetrics"
	if set.Output == "openmetrics" && !q.Once && q.Times.Samples != 1 {
		return errors.New("openmetrics is for one sample only")
	}
	ctx, stop := a.Env.Interruptible(ctx, os.Interrupt)
	defer stop()
	w, done, err := a.outputFile(f)
	if err != nil {
		return err
	}
	defer func() {
		err := done()
		failed = cmp.Or(failed, err)
	}()
	values := 0
	err = a.sample(ctx, s, q, func(st *query.Stream) error {
		x.Shape(ctx, st)
		st.Count(&values)
		shown := repl.Form{Output: set.Output, Rows: set.Vertical || q.Select.Top > 0, Delay: f.delay, Settings: &set}
		if f.plot != "" {
			shown.Output = repl.Chart
		}
		if f.plot != terminalChart {
			shown.Picture = f.plot
		}
		if shown.Output == "table" {
			for _, name := range st.Used() {
				a.note("expanded " + name)
			}
		}
		_, err := s.Write(ctx, w, st, shown)
		for _, name := range st.Scattered() {
			a.complain(query.Problemf("no record has all metrics of %s; with an interval, such as -t 10sec, values between records are interpolated", name))
		}
		return err
	})
	if err == nil && values == 0 && f.failEmpty {
		return nothingFound
	}
	return err
}

// nothingFound is the exit status of --fail-empty.
const nothingFound cli.Exit = 3

// outputFile returns where values are written, and what ends that.
func (a *app) outputFile(f *evalFlags) (w io.Writer, done func() error, err error) {
	if f.file == "" {
		return a.Env.Out, func() error { return nil }, nil
	}
	file, err := files.FS{}.Create(f.file)
	if err != nil {
		return nil, nil, err
	}
	return file, file.Close, nil
}
