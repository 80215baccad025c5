package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
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
	numberFlags
	numbers   repl.Numbers
	output    string
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
			if err := cmp.Or(f.read(&f.numbers), checkForm(f.output, summarizeOutputs)); err != nil {
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
	f.numberFlags.add(fs)
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
	if d == nil || failed != nil && len(d.Metrics) == 0 {
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
	case f.numbers.Precision != nil && *f.numbers.Precision >= 0:
		return strconv.FormatFloat(x, 'f', *f.numbers.Precision, 64)
	}
	return string(format.AppendShort(nil, x, 64))
}

// summaryTable returns the table of rows. The numbers of a metric and of its instances are in one unit.
func summaryTable(f *summarizeFlags, h *summary.Head, rows []summary.Row) *repl.Table {
	layout := timeLayout(h.Zone, rows)
	t := &repl.Table{Header: slices.Clone(summary.Columns)}
	units, instance := slices.Index(t.Header, "units"), slices.Index(t.Header, "instance")
	var numbers format.Numbers
	cell := func(x float64) string {
		if math.IsNaN(x) {
			return "-"
		}
		return string(numbers.AppendFloat(nil, x))
	}
	for i := range rows {
		r := &rows[i]
		if !r.One {
			var most format.Magnitude
			most.Note(pcp.DoubleValue(r.Min))
			most.Note(pcp.DoubleValue(r.Max))
			numbers = f.numbers.Form().Numbers(&r.Desc, r.Fixed, most)
		}
		cells := r.Cells(cell, func(at pcp.Timestamp) string { return at.Time().In(h.Zone).Format(layout) })
		if cells[units] = numbers.Unit; r.One {
			cells[0] = "" // it stands above its instances
		}
		t.Rows = append(t.Rows, cells)
	}
	for i, name := range t.Header {
		if t.Right = append(t.Right, i > units); t.Right[i] {
			alignPoints(t.Rows, i)
		}
		if slices.Contains([]string{"gaps", "marks", "min_time", "max_time", "last"}, name) {
			t.Drop = append(t.Drop, i)
		}
	}
	if !f.each {
		t.Cut(instance)
	}
	return t
}

// alignPoints adds blanks to the cells of a column, such that points stand below points.
func alignPoints(rows [][]string, column int) {
	after := func(cell string) int {
		if i := strings.LastIndexByte(cell, '.'); i >= 0 && !strings.ContainsAny(cell, "e:") {
			return len(cell) - i
		}
		return 0
	}
	most := 0
	for _, row := range rows {
		most = max(most, after(row[column]))
	}
	for _, row := range rows {
		if cell := row[column]; !strings.ContainsAny(cell, "e:") {
			row[column] += strings.Repeat(" ", most-after(cell))
		}
	}
}

// timeLayout returns the layout of the times of extremes, with no more than they need.
func timeLayout(zone *time.Location, rows []summary.Row) string {
	layout := time.DateTime
	if sameDay(zone, rows) {
		layout = time.TimeOnly
	}
	for i := range rows {
		if rows[i].Samples > 0 && (rows[i].MinTime.Nsec != 0 || rows[i].MaxTime.Nsec != 0) {
			return layout + ".000"
		}
	}
	return layout
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
