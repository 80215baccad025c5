package lint

import (
	"slices"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// instances returns which instances an expression can have. What has no instances, or whose are not
// known, is not known.
func (p *Pass) instances(d *Definition, x syntax.Expr) (list []string, known bool) {
	typ, typed := d.Info.Types[x]
	if !typed || typ.Singular() {
		return nil, false
	}
	switch n := syntax.Unparen(x).(type) {
	case *syntax.MetricRef:
		list, known = p.Source.Instances(typ.InDom)
		return list, known && len(list) > 0
	case *syntax.InstExpr:
		list, known = p.instances(d, n.X)
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !named(name, n.Name) }), known
	case *syntax.MatchInstExpr:
		match := d.Info.Patterns[n]
		list, known = p.instances(d, n.X)
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return match(firstWord(name)) != (n.NotPos < 0) }), known && match != nil
	case *syntax.BinaryExpr:
		return p.common(d, n.X, n.Y)
	case *syntax.CallExpr:
		return p.instances(d, n.X)
	case *syntax.RescaleExpr:
		return p.instances(d, n.X)
	case *syntax.UnaryExpr:
		return p.instances(d, n.X)
	}
	return nil, false
}

// common returns the instances that both operands can have.
func (p *Pass) common(d *Definition, x, y syntax.Expr) ([]string, bool) {
	a, known := p.instances(d, x)
	b, both := p.instances(d, y)
	switch {
	case !known:
		return b, both
	case !both:
		return a, known
	}
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) }), true
}

// maxListed is how many instances are listed.
const maxListed = 8

// whyNone returns the instances that there are.
func (p *Pass) whyNone(d *Definition, x syntax.Expr) []string {
	list, ok := p.Source.Instances(d.Info.Types[x].InDom)
	if !ok || len(list) > maxListed {
		return nil
	}
	return []string{"the instances are " + strings.Join(list, ", ")}
}

// named reports whether an instance is selected by a name: its own, or that up to the first blank.
func named(instance, name string) bool { return instance == name || firstWord(instance) == name }

// firstWord returns what stands before the first blank.
func firstWord(name string) string {
	word, _, _ := strings.Cut(name, " ")
	return word
}

// valuesOf returns how many values a metric has.
func (p *Pass) valuesOf(d *Definition, id pcp.ID) int {
	for _, desc := range d.Info.Metrics {
		if desc.ID == id && desc.InDom != pcp.NullInDom {
			list, _ := p.Source.Instances(desc.InDom)
			return len(list)
		}
	}
	return 1
}
