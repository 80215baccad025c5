package repl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pmtools/cmd/internal/explain"
	"pmtools/cmd/internal/item"
	"pmtools/cmd/internal/report"
	"pmtools/derive/diagnose"
)

func newExplain() *Verb {
	return &Verb{
		Name: "explain", Usage: "EXPR|NAME|:REPORT ...", Short: "Show every part of an expression with its type, units and conversions",
		Doors: Both, Operands: Exprs, Least: 1, Most: many, Asks: true, Complete: OfExprs,
		New: plain(runExplain),
	}
}

// runExplain explains expressions. A wrong expression is reported, and the others are explained.
func runExplain(ctx context.Context, s *Session, args []string, w io.Writer) error {
	var bad []error
	for i, arg := range args {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.explain(ctx, arg, w); err != nil {
			bad = append(bad, err)
		}
	}
	return errors.Join(bad...)
}

func (s *Session) explain(ctx context.Context, text string, w io.Writer) error {
	if report.IsName(text) {
		x, err := s.expand(ctx, s.src, report.Arguments(text), func(p *diagnose.Problem) { s.complain(w, p) })
		for i := 0; err == nil && i < len(x.Exprs); i++ {
			fmt.Fprintln(w, x.Exprs[i])
			err = s.explain(ctx, x.Exprs[i], w)
		}
		return err
	}
	text = item.Expr(text)
	c, err := s.binder().Compile(ctx, text)
	if err != nil {
		return err
	}
	s.noteExpanded(w, c.Used)
	return s.table(ctx, w, &Table{Header: explain.Columns[:], Rows: explain.Rows(c.Tree, c.Info), Drop: []int{4}})
}

// Explain writes the tree of an expression, or of a definition's, with the metadata of every node.
func (s *Session) Explain(ctx context.Context, text string, w io.Writer) error {
	return s.Hold(ctx, func() error {
		if err := s.connect(ctx); err != nil {
			return err
		}
		return s.explain(ctx, text, w)
	})
}
