package repl

import (
	"context"
	"io"
	"slices"

	"pmtools/cmd/internal/report"
)

func newEval() *Verb {
	return &Verb{
		Name: "eval", Usage: "[EXPR|NAME|:REPORT ...]", Short: "Evaluate expressions, once or over time",
		Long: "Evaluate expressions once, or repeatedly if any option about time is given; these\n" +
			"options mean the same as for pmval. Several expressions are fetched together. A name\n" +
			"that has metrics below it stands for them. An expression may be NAME = EXPR; others may\n" +
			"use that name. Without expressions, all definitions of -c are evaluated.",
		Doors: Both, Operands: Exprs, Most: many, Partial: true, Complete: OfExprs,
		New: func(f *Flags) Run {
			e := f.evaluation("")
			return func(ctx context.Context, s *Session, args []string, w io.Writer) error {
				if len(args) == 0 {
					args = s.given()
				}
				if len(args) == 0 {
					return misuse("no expression is given, and -c defines none")
				}
				if report.IsName(args[0]) {
					args = e.counted(args)
				}
				return e.run(ctx, s, args, w)
			}
		},
	}
}

// given returns the names of the definitions that options have loaded, and of the session's own.
func (s *Session) given() []string {
	names := slices.Clone(s.opt.Loaded)
	for _, d := range s.defs.Own() {
		names = append(names, d.Name())
	}
	return names
}
