package repl

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"pmtools/cmd/internal/answer"
	"pmtools/cmd/internal/deps"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/derive/query"
)

// graphs are the forms of what definitions are made of.
var graphs = []string{"list", "json", "dot", "pmlogger"}

func newDeps() *Verb {
	return &Verb{
		Name: "deps", Usage: "FILE|DIR|EXPR|:REPORT ...", Short: "List the metrics that derived metrics are made of",
		Long: "List the metrics that the derived metrics of files, or expressions, are made of. A host must have\n" +
			"these metrics, or an archive contain them. The name of a file stands for the definitions in it.\n" +
			"The command asks no source. Besides the list there are an object with the operands and the metrics\n" +
			"of each definition (json), a graph for Graphviz (dot), and a configuration of pmlogger that records\n" +
			"the metrics (pmlogger).",
		Doors: Both, Operands: Exprs, Least: 1, Most: many, Complete: OfExprs,
		New: func(f *Flags) Run {
			interval := 10 * time.Second
			f.Output(graphs, graphs[1:]...)
			f.Span(&interval, "interval", "t", "the `TIME` between two records of --pmlogger, 10sec by default")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				return s.deps(ctx, args, f.Settings.Output, interval, w)
			}
		},
	}
}

// deps writes the operands of definitions. A wrong definition is reported, and the others are
// written.
func (s *Session) deps(ctx context.Context, args []string, form string, interval time.Duration, w io.Writer) error {
	var list []*derive.Definition
	var bad []error
	for _, arg := range args {
		found, errs := s.named(ctx, arg)
		list, bad = append(list, found...), append(bad, errs...)
	}
	g := deps.New(list, s.defs.Find, form == "json")
	if form == "json" {
		return errors.Join(append(bad, answer.WriteLines(w, g))...)
	}
	text := g.List()
	switch form {
	case "dot":
		text = g.DOT()
	case "pmlogger":
		text = g.Logger(interval)
	}
	_, err := io.WriteString(w, text)
	return errors.Join(append(bad, err)...)
}

// named returns the definitions in a file, a directory or a report, or the expression that an argument is.
func (s *Session) named(ctx context.Context, arg string) (list []*derive.Definition, errs []error) {
	if report.IsName(arg) {
		lib, err := s.opt.Reports.Open(ctx)
		if err != nil {
			return nil, []error{err}
		}
		r, err := lib.Find(arg)
		if err == nil {
			list, err = r.Definitions()
		}
		if err != nil {
			return nil, []error{err}
		}
		return list, nil
	}
	_, missing := os.Stat(arg)
	switch {
	case missing == nil || arg == "-":
		return s.read(arg)
	case strings.HasSuffix(arg, ".conf") && s.defs.Find(arg) == nil && errors.Is(missing, fs.ErrNotExist):
		return nil, []error{query.Problemf("there is no file %s", arg)}
	}
	if d := s.defs.Find(arg); d != nil {
		return []*derive.Definition{d}, nil
	}
	d, err := s.defs.Compile("", arg)
	if err != nil {
		return nil, []error{err}
	}
	return []*derive.Definition{d}, nil
}

// read returns the definitions in a file, or in those below a directory.
func (s *Session) read(name string) (list []*derive.Definition, errs []error) {
	files, err := s.opt.Read([]string{name})
	if err != nil {
		errs = append(errs, err)
	}
	for _, file := range files {
		found, bad := deps.Parse(file.Name, file.Text)
		list, errs = append(list, found...), append(errs, bad...)
	}
	return list, errs
}
