package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/deps"
	"pmtools/cmd/internal/form"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/lib/when"
)

type depsFlags struct {
	output, interval string
}

// depsOutputs are the forms of output of deps.
var depsOutputs = []string{"list", "json", "dot", "pmlogger"}

func (a *app) newDeps() *cobra.Command {
	f := &depsFlags{}
	cmd := &cobra.Command{
		Use:   "deps FILE|DIR|EXPR|:REPORT ...",
		Short: "List the metrics that derived metrics are made of",
		Long: "List the metrics that the derived metrics of files, or expressions, are made of. A host must have\n" +
			"these metrics, or an archive contain them. The name of a file stands for the definitions in it.\n" +
			"The command asks no source. Besides the list there are an object with the operands and the metrics\n" +
			"of each definition (json), a graph for Graphviz (dot), and a configuration of pmlogger that records\n" +
			"the metrics (pmlogger).",
		Args:              operands(1, math.MaxInt),
		ValidArgsFunction: a.completeExpr,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.deps(f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	form.AddOutputs(fs, &f.output, depsOutputs, depsOutputs[1:]...)
	fs.StringVarP(&f.interval, "interval", "t", "10sec", "the `TIME` between two records of --pmlogger")
	cmd.MarkFlagsMutuallyExclusive(depsOutputs[1:]...)
	return cmd
}

func (a *app) deps(f *depsFlags, args []string) error {
	if err := form.CheckOutput(f.output, depsOutputs); err != nil {
		return err
	}
	interval, err := when.ParseInterval(f.interval)
	if err != nil || interval < time.Millisecond {
		return fmt.Errorf("--interval %s is not a time such as 10s", f.interval)
	}
	a.running = true
	a.sources.LoadDefault()
	var list []*derive.Definition
	failed := false
	for _, arg := range args {
		ps, err := a.programs(arg)
		for _, e := range err {
			a.complain(e)
		}
		failed = failed || err != nil
		list = append(list, ps...)
	}
	graph := deps.Outline
	if f.output == "json" {
		graph = deps.New
	}
	g := graph(list, a.sources.Set().Find)
	switch f.output {
	case "json":
		err = g.WriteJSON(a.Env.Out)
	case "dot":
		err = g.WriteDOT(a.Env.Out)
	case "pmlogger":
		err = g.WriteLogger(a.Env.Out, interval)
	default:
		err = g.WriteList(a.Env.Out)
	}
	if err != nil {
		return err
	}
	return exitIf(failed)
}

// programs returns the definitions in a file, a directory or a report, or the expression that an argument is.
func (a *app) programs(arg string) (list []*derive.Definition, errs []error) {
	if report.IsName(arg) {
		list, err := a.reports.Definitions(a.Env, arg)
		if err != nil {
			return nil, []error{err}
		}
		return list, nil
	}
	if _, err := os.Stat(arg); err != nil && arg != "-" {
		p, err := a.sources.Set().Compile("", arg)
		if err != nil {
			return nil, []error{err}
		}
		return []*derive.Definition{p}, nil
	}
	files, err := a.readFiles([]string{arg})
	if err != nil {
		errs = append(errs, err)
	}
	for _, file := range files {
		ps, bad := deps.Parse(file.Name, file.Text)
		list, errs = append(list, ps...), append(errs, bad...)
	}
	return list, errs
}
