// Package lint looks for mistakes in files of derived metrics: what PCP refuses, and expressions that it
// accepts although hardly anybody means them, such as the rate of a metric that is not a counter,
// operands without a common instance, a choice whose condition never changes.
//
// A [Linter] reads files, checks their definitions with the metrics of a source, and answers with
// Diagnostics; [Format] writes a file in canonical form. Neither needs a prompt.
//
// Each Rule is in a file of its own, with an example that the tests run. A comment in a file of
// definitions switches rules off, for the definition after it or for the whole file:
//
//	# pmderive: ignore non-counter, no-help
//	# pmderive: ignore-file no-help
package lint

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Rule looks for one kind of mistake.
type Rule struct {
	Name string
	Doc  string // what is reported and why, one paragraph
	Bad  string // an example that is reported, a file; the metrics are in docs/examples/metrics.cases
	Good string // what to write instead
	Run  func(*Pass)
}

// Rules returns all rules by their names. The slice belongs to the caller.
func Rules() []*Rule {
	list := []*Rule{
		&arms, &comparedCounter, &constantUnits, &deadChoice, &duplicate, &ignored, &neverValues, &noHelp, &nonCounter,
		&oddUnits, &rounded, &shadowed, &unknownLabel, &unscaled, &wraps,
	}
	slices.SortFunc(list, func(a, b *Rule) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// RulesBut returns the rules but for those of some names, or none if one of these is "all". The error names one that does not exist.
func RulesBut(names []string) ([]*Rule, error) {
	known := RuleNames()
	for _, name := range names {
		if name != "all" && !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no rule %s", name)
		}
	}
	return slices.DeleteFunc(Rules(), func(r *Rule) bool { return slices.Contains(names, r.Name) || slices.Contains(names, "all") }), nil
}

// A Pass is one rule at work on the definitions that PCP takes.
type Pass struct {
	*work
	defs   []*definition
	source *source // nil without one
	rule   *Rule
	insts  map[syntax.Expr]instances
	all    []place // what nodes yields; nil before it is needed
}

type place struct {
	def  *definition
	node syntax.Node
}

// rules applies the rules.
func (w *work) rules(ctx context.Context) error {
	p := &Pass{work: w, insts: make(map[syntax.Expr]instances)}
	for _, d := range w.entries {
		if !d.wrong {
			p.defs = append(p.defs, d)
		}
	}
	if !w.opt.Syntax {
		p.source = &source{Source: w.Source, ctx: ctx, names: make(map[pcp.InDom][]string)}
	}
	for _, p.rule = range w.opt.Rules {
		p.rule.Run(p)
		if err := w.opt.Text.Err(); err != nil {
			return err
		}
	}
	return nil
}

// definitions yields the definitions until the context ends.
func (p *Pass) definitions() iter.Seq[*definition] {
	return func(yield func(*definition) bool) {
		for _, d := range p.defs {
			if p.opt.Text.Err() != nil || !yield(d) {
				return
			}
		}
	}
}

// report notes a finding, unless the rule does not apply to the definition.
func (p *Pass) report(d *definition, pos syntax.Pos, msg string, notes ...string) {
	p.fixable(d, pos, nil, msg, notes...)
}

func (p *Pass) fixable(d *definition, pos syntax.Pos, fixes []syntax.Fix, msg string, notes ...string) {
	if slices.Contains(d.directive.off, p.rule.Name) {
		return
	}
	line, column, source := d.place(int(pos))
	found := p.add(d.line.File, line, column, SeverityWarning, d.Name(), source, msg, notes...)
	found.Rule, found.Fixes = p.rule.Name, d.fixes(fixes)
}

// nodes yields the nodes of one kind that are written in definitions, not those of definitions inside
// them; if typed is set, only where their types are known.
func nodes[N syntax.Node](p *Pass, typed bool) iter.Seq2[*definition, N] {
	if p.all == nil {
		for d := range p.definitions() {
			tree := d.tree
			if tree == nil {
				tree = d.Expr()
			}
			syntax.Walk(tree, func(n syntax.Node) bool {
				_, inner := n.(*syntax.NestExpr)
				if !inner {
					p.all = append(p.all, place{d, n})
				}
				return !inner
			})
		}
	}
	return func(yield func(*definition, N) bool) {
		for i, at := range p.all {
			if i%1000 == 0 && p.opt.Text.Err() != nil { // asking costs more than looking at a node
				return
			}
			if n, ok := at.node.(N); ok && (!typed || at.def.info != nil) && !yield(at.def, n) {
				return
			}
		}
	}
}

func start(n syntax.Node) syntax.Pos {
	pos, _ := n.Span()
	return pos
}
