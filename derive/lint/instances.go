package lint

import (
	"slices"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

type instances struct {
	list  []string
	known bool // otherwise it has no instances, or nobody knows them
}

func (p *Pass) instances(d *definition, x syntax.Expr) ([]string, bool) {
	found, ok := p.insts[x]
	if !ok {
		if typ, typed := d.info.Types[x]; typed && !typ.Singular() {
			found.list, found.known = p.instancesOf(d, syntax.Unparen(x), typ.InDom)
		}
		p.insts[x] = found
	}
	return found.list, found.known
}

func (p *Pass) instancesOf(d *definition, x syntax.Expr, indom pcp.InDom) (list []string, known bool) {
	switch n := x.(type) {
	case *syntax.MetricRef:
		list, known = p.source.instances(indom)
		return list, known && len(list) > 0
	case *syntax.InstExpr:
		list, known = p.instances(d, n.X)
		return without(list, func(name string) bool { return name != n.Name && firstWord(name) != n.Name }), known
	case *syntax.MatchInstExpr:
		match := d.info.Patterns[n]
		list, known = p.instances(d, n.X)
		return without(list, func(name string) bool { return match == nil || match(firstWord(name)) != (n.NotPos < 0) }), known && match != nil
	case *syntax.BinaryExpr:
		return p.common(d, n.X, n.Y)
	case *syntax.CallExpr:
		if n.By != nil {
			list, known = p.source.instances(indom)
			return list, known && len(list) > 0
		}
		return p.instances(d, n.X)
	case *syntax.RescaleExpr:
		return p.instances(d, n.X)
	case *syntax.UnaryExpr:
		return p.instances(d, n.X)
	}
	return nil, false
}

// without returns the names that f does not report. The list stays as it is.
func without(list []string, f func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), f)
}

func (p *Pass) common(d *definition, x, y syntax.Expr) ([]string, bool) {
	a, known := p.instances(d, x)
	b, both := p.instances(d, y)
	switch {
	case !known:
		return b, both
	case !both, slices.Equal(a, b):
		return a, known
	}
	in := make(map[string]bool, len(b))
	for _, name := range b {
		in[name] = true
	}
	return without(a, func(name string) bool { return !in[name] }), true
}

const maxListed = 8

func (p *Pass) whyNone(d *definition, x syntax.Expr) []string {
	list, ok := p.source.instances(d.info.Types[x].InDom)
	if !ok || len(list) > maxListed {
		return nil
	}
	return []string{"the instances are " + strings.Join(list, ", ")}
}

func firstWord(name string) string {
	word, _, _ := strings.Cut(name, " ")
	return word
}
