package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/grid"
	"pmtools/derive/repl"
	"pmtools/derive/summary"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

type summarizeFlags struct {
	output    string
	precision int
	raw, each bool
}

// summarizeOutputs are the forms of output.
var summarizeOutputs = []string{"table", "csv", "json"}

func (a *app) newSummarize() *cobra.Command {
	f := &summarizeFlags{}
	cmd := &cobra.Command{
		Use:   "summarize [METRIC|EXPR ...]",
		Short: "Summarize an archive: extremes, means and quantiles of each metric",
		Long: "Summarize the records of an archive: for each metric the number of samples, the extremes, the mean\n" +
			"over time, quantiles. A name that has metrics below it stands for them. Without arguments, all\n" +
			"metrics with numeric values are summarized. Counters are converted to rates.",
		ValidArgsFunction: a.completeExpr,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("precision") {
				f.precision = -1
			} else if f.precision < 0 || f.precision > 40 {
				return errors.New("-f requires a number of digits from 0 to 40")
			}
			if err := checkForm(f.output, summarizeOutputs); err != nil {
				return err
			}
			return a.summarize(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish", "align", "origin")
	addForms(fs, &f.output, summarizeOutputs, "json")
	fs.BoolVar(&f.each, "instances", false, "summarize each instance too")
	fs.BoolVarP(&f.raw, "raw", "r", false, "show counters as they are (no rate conversion)")
	fs.IntVarP(&f.precision, "precision", "f", 0, "print `N` digits after the decimal point")
	return cmd
}

func (a *app) summarize(ctx context.Context, f *summarizeFlags, args []string) error {
	a.running = true
	if !a.Options.HasArchive {
		return errors.New("only archives can be summarized: name one with -a ARCHIVE; 'eval --archive-out BASE' records one")
	}
	s, err := a.session(ctx, repl.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	q, err := a.query(ctx, s, &evalFlags{several: true}, nil)
	if err != nil {
		return err
	}
	q.Exprs, q.Raw = args, f.raw
	if !a.Options.HasFinish {
		q.Times.End = pcp.Timestamp{} // the end is where records end
	}
	d, from, failed := s.Summarize(ctx, q, f.each)
	if d == nil {
		return failed
	}
	h := &summary.Head{Source: summary.Source(from), Zone: s.Zone(), Err: failed}
	rows := d.Rows(d.InstanceName)
	switch f.output {
	case "csv":
		err = summary.WriteCSV(a.Env.Out, h, rows, f.number)
	case "json":
		err = summary.WriteJSON(a.Env.Out, h, d.Summary, rows)
	default:
		width, _ := cli.TerminalSize(a.Env.Stdout)
		err = grid.Draw(ctx, a.Env.Out, summaryTable(f, h, rows), width)
	}
	if err != nil {
		return err
	}
	return failed
}

// number returns a number in full, or with as many digits as are asked for.
func (f *summarizeFlags) number(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case f.precision >= 0:
		return strconv.FormatFloat(x, 'f', f.precision, 64)
	}
	return string(format.AppendShort(nil, x, 64))
}

// tableDigits is how many digits of a number a table has, unless it is whole.
const tableDigits = 6

// cell is number for a table.
func (f *summarizeFlags) cell(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case f.precision < 0 && x != math.Trunc(x):
		if math.Abs(x) >= 1e5 {
			x = math.Round(x)
		} else {
			x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', tableDigits, 64), 64)
		}
	}
	return f.number(x)
}

func summaryTable(f *summarizeFlags, h *summary.Head, rows []summary.Row) *repl.Table {
	layout := "2006-01-02 15:04:05.000"
	if sameDay(h.Zone, rows) {
		layout = "15:04:05.000"
	}
	t := &repl.Table{Header: slices.Clone(summary.Columns)}
	for i := range rows {
		t.Rows = append(t.Rows, rows[i].Cells(f.cell, func(at pcp.Timestamp) string { return at.Time().In(h.Zone).Format(layout) }))
	}
	if !f.each {
		instance := slices.Index(t.Header, "instance")
		t.Header = slices.Delete(t.Header, instance, instance+1)
		for i, row := range t.Rows {
			t.Rows[i] = slices.Delete(row, instance, instance+1)
		}
	}
	for i, name := range t.Header {
		t.Right = append(t.Right, i > slices.Index(t.Header, "units"))
		if slices.Contains([]string{"gaps", "marks", "min_time", "max_time", "last"}, name) {
			t.Drop = append(t.Drop, i)
		}
	}
	return t
}

// sameDay reports whether all times of extremes are on one day.
func sameDay(zone *time.Location, rows []summary.Row) bool {
	day := ""
	for i := range rows {
		for _, at := range []pcp.Timestamp{rows[i].MinTime, rows[i].MaxTime} {
			if rows[i].Samples == 0 {
				continue
			}
			d := at.Time().In(zone).Format(time.DateOnly)
			if day != "" && d != day {
				return false
			}
			day = d
		}
	}
	return true
}
