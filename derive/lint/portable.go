package lint

import (
	"context"
	"fmt"
	"strings"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
)

// Portable is Format for PCP's tools: definitions stand in the place of their names. A form that only the
// extended language has is an error with the reason.
func Portable(name string, src []byte, inside *derive.Set) ([]byte, []*syntax.FileError) {
	return format(name, src, inside, portable)
}

// A misfit is a part of an expression that PCP cannot evaluate.
type misfit struct {
	part syntax.Expr
	why  string
	at   *syntax.MetricRef // in whose place an expression with the part stands; nil for none
}

// pos returns the place in the expression.
func (m *misfit) pos() int {
	var at syntax.Node = m.part
	if m.at != nil {
		at = m.at
	}
	start, _ := at.Span()
	return int(start)
}

// error returns the message about the definition.
func (m *misfit) error(d *syntax.Definition) *syntax.FileError {
	return &syntax.FileError{Place: d.Place, Msg: fmt.Sprintf("%s: PCP cannot evaluate %s: %s", d.Name, syntax.Print(m.part), m.why)}
}

// about returns the message about a definition of a name.
func (m *misfit) about(name string) string {
	return fmt.Sprintf("PCP cannot evaluate %s: %s", name, m.why)
}

// Foreign tells why PCP cannot evaluate an expression, the one of a name, with definitions that it mentions in it. It
// returns "" for one that PCP can evaluate.
func Foreign(name string, x syntax.Expr) string {
	if syntax.Extension(x) == nil {
		return ""
	}
	if _, bad := portable(x); bad != nil {
		return bad.about(name)
	}
	return ""
}

// Saved returns a file of definitions, with others that they mention in the place of their names. A
// definition that cannot be expanded stays as it is. A file that must not be in the extended language
// is for PCP's tools too: a definition that Portable refuses is an error, a *diagnose.Problem.
func Saved(ctx context.Context, b *query.Binder, defs []*derive.Definition, extended bool) (string, error) {
	found, err := b.Check(ctx, defs)
	if err != nil {
		return "", err
	}
	var list []string
	exprs := make([]syntax.Expr, len(defs))
	for i, d := range defs {
		if exprs[i] = found[i].Expr; exprs[i] == nil {
			exprs[i] = d.Expr()
		}
		if !extended && syntax.Extension(exprs[i]) != nil {
			x, bad := portable(exprs[i])
			if bad != nil {
				return "", &diagnose.Problem{Msg: bad.about(d.Name()), Src: d.String(), Pos: bad.pos()}
			}
			exprs[i] = x
		}
		list = append(list, Text(d, exprs[i]))
	}
	return marked(strings.Join(list, "\n"), exprs), nil
}

// portable returns an expression in PCP's language. There aggregates take a name without parentheses around it.
func portable(x syntax.Expr) (syntax.Expr, *misfit) {
	x, _ = syntax.Nest(x, func(*syntax.MetricRef) (syntax.Expr, syntax.Shape) { return nil, syntax.Shape{} })
	for n := range syntax.Preorder(x) {
		if call, ok := n.(*syntax.CallExpr); ok && call.Fun.IsGroupable() {
			if ref, name := syntax.Unparen(call.X).(*syntax.MetricRef); name {
				call.X = ref
			}
		}
	}
	part := syntax.Extension(x)
	if part == nil {
		return x, nil
	}
	bad := &misfit{part: part, why: whyNot(part)}
	for n := range syntax.Preorder(x) {
		if nest, ok := n.(*syntax.NestExpr); ok && bad.at == nil && syntax.Extension(nest.X) == part {
			bad.at = nest.Ref
		}
	}
	return nil, bad
}

// whyNot returns what PCP's language lacks for a part that only the extended language has.
func whyNot(part syntax.Expr) string {
	switch n := part.(type) {
	case *syntax.BinaryExpr:
		return "it has no " + n.Op.Symbol() + "() of several operands, and a choice has other values where types or instances differ"
	case *syntax.CallExpr:
		switch {
		case n.Fun.IsExtension():
			return "it has no function " + n.Fun.Symbol() + "()"
		case n.By != nil:
			return "it has no groups by labels, and " + n.Fun.Symbol() + "() makes one value of all instances"
		}
		return n.Fun.Symbol() + "() takes the name of a metric there"
	}
	return ""
}
