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

// Portable is Format for PCP's tools: definitions stand in the place of their names, and what only the
// extended language has is written in PCP's, where the values stay exactly the same. The other
// definitions are errors with the reason.
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

// Saved returns a file of definitions, with others that they mention in the place of their names. A
// definition that cannot be expanded stays as it is. A file that is not to be in the extended language
// is for PCP's tools too: what Portable refuses is an error, a *diagnose.Problem.
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
				return "", &diagnose.Problem{
					Msg: fmt.Sprintf("PCP cannot evaluate %s: %s", d.Name(), bad.why), Src: d.String(), Pos: bad.pos(),
				}
			}
			exprs[i] = x
		}
		list = append(list, query.Text(d, exprs[i]))
	}
	return query.Marked(strings.Join(list, "\n"), exprs), nil
}

// portable returns an expression in PCP's language.
func portable(x syntax.Expr) (syntax.Expr, *misfit) {
	x, _ = syntax.Nest(x, func(*syntax.MetricRef) (syntax.Expr, syntax.Shape) { return nil, syntax.Shape{} })
	if bad := rewrite(&x); bad != nil {
		return nil, bad
	}
	return x, nil
}

// rewrite changes a tree in its place, operands first.
func rewrite(x *syntax.Expr) *misfit {
	switch n := (*x).(type) {
	case *syntax.BinaryExpr:
		if n.Op.IsFunction() {
			return &misfit{part: n, why: "it has no " + n.Op.Symbol() + "() of several operands, and a choice has other values where types or instances differ"}
		}
	case *syntax.CallExpr:
		switch {
		case n.Fun.IsExtension():
			return &misfit{part: n, why: "it has no function " + n.Fun.Symbol() + "()"}
		case n.By != nil:
			return &misfit{part: n, why: "it has no groups by labels, and " + n.Fun.Symbol() + "() makes one value of all instances"}
		}
	}
	for _, operand := range syntax.Operands(*x) {
		if operand != nil {
			if bad := rewrite(operand); bad != nil {
				if n, ok := (*x).(*syntax.NestExpr); ok {
					bad.at = n.Ref
				}
				return bad
			}
		}
	}
	if n, ok := (*x).(*syntax.CallExpr); ok {
		return aggregate(n)
	}
	return nil
}

// aggregate makes the operand of an aggregate a name, if the result stays the same.
func aggregate(n *syntax.CallExpr) *misfit {
	whole := *n
	for takesName(n.Fun) {
		operand := syntax.Unparen(n.X)
		inner := operand
		switch x := operand.(type) {
		case *syntax.MetricRef:
			n.X = x
			return nil
		case *syntax.CallExpr:
			switch {
			case x.Fun == syntax.INSTANT && (n.Fun == syntax.COUNT || n.Fun == syntax.MAX || n.Fun == syntax.MIN):
				inner = x.X // the result is none of a counter anyway
			case x.Fun == syntax.RATE || x.Fun == syntax.DELTA:
				fun := x.Fun.Symbol()
				return &misfit{part: &whole, why: fmt.Sprintf("an instance may appear, or be reset, by itself, and then %s(%s(...)) has another value", fun, n.Fun.Symbol())}
			}
		case *syntax.UnaryExpr:
			if n.Fun == syntax.COUNT {
				inner = x.X
			}
		case *syntax.RescaleExpr:
			if n.Fun == syntax.COUNT {
				inner = x.X
			}
		case *syntax.BinaryExpr:
			if _, _, number := number(x.Y); number && n.Fun == syntax.COUNT {
				inner = x.X
			}
		}
		if inner == operand {
			return &misfit{part: &whole, why: n.Fun.Symbol() + "() takes the name of a metric there, and no other expression has these values in all samples"}
		}
		n.X = inner
	}
	return nil
}

// takesName reports whether the operand of a function is a name in PCP's language.
func takesName(fun syntax.Token) bool {
	switch fun {
	case syntax.AVG, syntax.COUNT, syntax.MAX, syntax.MIN, syntax.SUM:
		return true
	}
	return false
}
