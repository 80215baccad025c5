// Package lint looks for mistakes in files of derived metrics: what PCP refuses, and expressions that it
// accepts although hardly anybody means them, such as the rate of a metric that is not a counter,
// operands without a common instance, a choice whose condition never changes.
//
// A [Linter] reads files, checks their definitions with the metrics of a source, and answers with
// Diagnostics; [Format] writes a file in canonical form. Neither needs a prompt.
//
// Each Rule is in a file of its own, with an example that the tests run. Run applies rules to Facts,
// the results of package check for the definitions, and answers with Findings. A comment in a file of
// definitions switches rules off, for the definition after it or for the whole file:
//
//	# pmderive: ignore non-counter, no-help
//	# pmderive: ignore-file no-help
package lint

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"pmtools/derive/check"
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
		&arms, &comparedCounter, &constantUnits, &cost, &deadChoice, &duplicate, &ignored, &missing, &neverValues, &noHelp, &nonCounter,
		&oddUnits, &rounded, &shadowed, &unknownLabel, &unscaled, &unused, &wraps,
	}
	slices.SortFunc(list, func(a, b *Rule) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// A Definition is one that can be parsed.
type Definition struct {
	Name    string
	Text    string      // the expression as it is written
	Expr    syntax.Expr // the same
	OneLine bool        // it has a one-line help text
	Off     []string    // rules that do not apply to it
	File    int         // the number of its file

	// Tree is Expr with other definitions in it as NestExprs, and Info what is known of it; nil without
	// a source and if the definition does not fit it.
	Tree syntax.Expr
	Info *check.Info
}

// Facts are what the rules know.
type Facts struct {
	Definitions []*Definition // in their order
	Names       []string      // those of names that are wanted for their own sake; nil if nobody has said so
	Interval    time.Duration // between two samples, 0 for a minute
	MaxCost     int           // values for each evaluation that are too many, 0 for 10,000

	// Source answers for the metrics; nil without one.
	Source Source
}

// A Source answers questions about metrics. The result ok is false if it does not know.
type Source interface {
	Instances(d pcp.InDom) (names []string, ok bool)
	Below(name string) bool                      // the name has metrics below it
	Lacking(id pcp.ID) []string                  // archives of a set that do not have a metric
	Growth(id pcp.ID) (fastest float64, ok bool) // of a counter, for each second
	Masked(d *Definition) bool                   // a metric of the source hides a definition
}

// A Finding is something doubtful.
type Finding struct {
	Definition *Definition
	Pos        syntax.Pos // in its expression; -1 for the definition as a whole
	Rule       string
	Message    string
	Notes      []string
	Fixes      []syntax.Fix // changes of the expression
}

// A Pass is one rule at work.
type Pass struct {
	*Facts
	ctx    context.Context
	rule   *Rule
	found  []Finding
	insts  map[syntax.Expr]instances
	indoms map[pcp.ID]pcp.InDom // of metrics
	all    []place              // what nodes yields; nil before it is needed
}

type place struct {
	def  *Definition
	node syntax.Node
}

// Run applies rules and returns what they find, in the order of the definitions and the places. The
// error is that of the context.
func Run(ctx context.Context, f *Facts, rules []*Rule) ([]Finding, error) {
	p := &Pass{Facts: f, ctx: ctx, insts: make(map[syntax.Expr]instances), indoms: make(map[pcp.ID]pcp.InDom)}
	for _, r := range rules {
		if p.rule = r; r.Run != nil {
			r.Run(p)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	order := make(map[*Definition]int, len(f.Definitions))
	for i, d := range f.Definitions {
		order[d] = i
	}
	slices.SortStableFunc(p.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(order[a.Definition], order[b.Definition]), cmp.Compare(a.Pos, b.Pos))
	})
	return p.found, nil
}

// definitions yields the definitions until the context ends.
func (p *Pass) definitions() iter.Seq[*Definition] {
	return func(yield func(*Definition) bool) {
		for _, d := range p.Definitions {
			if p.ctx.Err() != nil || !yield(d) {
				return
			}
		}
	}
}

// report notes a finding, unless the rule does not apply to the definition.
func (p *Pass) report(d *Definition, pos syntax.Pos, msg string, notes ...string) {
	p.fixable(d, pos, nil, msg, notes...)
}

func (p *Pass) fixable(d *Definition, pos syntax.Pos, fixes []syntax.Fix, msg string, notes ...string) {
	if !slices.Contains(d.Off, p.rule.Name) {
		p.found = append(p.found, Finding{d, pos, p.rule.Name, msg, notes, fixes})
	}
}

// nodes yields the nodes of one kind that are written in definitions, not those of definitions inside
// them; if typed is set, only where their types are known.
func nodes[N syntax.Node](p *Pass, typed bool) iter.Seq2[*Definition, N] {
	if p.all == nil {
		for d := range p.definitions() {
			tree := d.Tree
			if tree == nil {
				tree = d.Expr
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
	return func(yield func(*Definition, N) bool) {
		for i, at := range p.all {
			if i%1000 == 0 && p.ctx.Err() != nil { // asking costs more than looking at a node
				return
			}
			if n, ok := at.node.(N); ok && (!typed || at.def.Info != nil) && !yield(at.def, n) {
				return
			}
		}
	}
}

func start(n syntax.Node) syntax.Pos {
	pos, _ := n.Span()
	return pos
}
