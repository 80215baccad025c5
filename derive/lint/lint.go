// Package lint looks for mistakes in files of derived metrics: what PCP refuses, and expressions that it
// accepts although hardly anybody means them, such as the rate of a metric that is not a counter,
// or a size in bytes that is compared with one in Kbyte.
//
// A [Linter] reads files, checks their definitions with the metrics of a source, and answers with
// Diagnostics; [Format] writes a file in canonical form. Neither needs a prompt.
//
// Each Rule has an example that the tests run. A comment in a file of
// definitions switches rules off, for the definition after it or for the whole file:
//
//	# pmderive: ignore non-counter, no-help
//	# pmderive: ignore-file no-help
package lint

import (
	"context"
	"slices"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A pass is rules at work on the definitions that PCP takes.
type pass struct {
	*work
	ctx     context.Context
	rule    *Rule
	metrics []string               // of the source, ascending; nil before they are needed
	insts   map[pcp.InDom][]string // names of instances
}

// rules applies the rules.
func (w *work) rules(ctx context.Context) error {
	p, n, read := &pass{work: w, ctx: ctx, insts: make(map[pcp.InDom][]string)}, 0, len(w.found)
	for _, d := range w.entries {
		if d.wrong {
			continue
		}
		for _, p.rule = range w.opt.Rules {
			if p.rule.whole != nil {
				p.rule.whole(p, d)
			}
		}
		tree := d.tree
		if tree == nil {
			tree = d.Expr()
		}
		syntax.Walk(tree, func(node syntax.Node) bool {
			if n++; n%1000 == 0 && w.opt.Text.Err() != nil { // asking costs more than looking at a node
				return false
			}
			if _, inner := node.(*syntax.NestExpr); inner {
				return false
			}
			for _, p.rule = range w.opt.Rules {
				if p.rule.syntax != nil {
					p.rule.syntax(p, d, node)
				}
				if p.rule.node != nil && d.info != nil {
					p.rule.node(p, d, node)
				}
			}
			return true
		})
		if err := w.opt.Text.Err(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(w.found[read:], func(a, b Diagnostic) int { return strings.Compare(a.Rule, b.Rule) })
	return nil
}

// below reports whether a name has metrics of the source below it.
func (p *pass) below(name string) bool {
	if p.metrics == nil {
		p.metrics = append([]string{}, p.Source.Catalogue(p.ctx)...) // one request for all definitions
		slices.Sort(p.metrics)
	}
	i, _ := slices.BinarySearch(p.metrics, name+".")
	return i < len(p.metrics) && strings.HasPrefix(p.metrics[i], name+".")
}

// report notes a finding, unless the rule does not apply to the definition.
func (p *pass) report(d *definition, pos syntax.Pos, msg string, notes ...string) {
	p.fixable(d, pos, nil, msg, notes...)
}

func (p *pass) fixable(d *definition, pos syntax.Pos, fixes []syntax.Fix, msg string, notes ...string) {
	if slices.Contains(d.directive.off, p.rule.Name) {
		return
	}
	line, column, source := d.place(int(pos))
	found := p.add(d.line.File, line, column, SeverityWarning, d.Name(), source, msg, notes...)
	found.Rule, found.Fixes = p.rule.Name, d.fixes(fixes)
}

const maxText = 70

// text returns a part of the expression as it is written, on one line; of a long one the beginning.
func (d *definition) text(n syntax.Node) string {
	from, to := n.Span()
	text := strings.Join(strings.Fields(d.String()[from:min(int(to), int(from)+4*maxText)]), " ")
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}
