package query

import (
	"cmp"
	"context"
	"errors"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Binder checks expressions against a source and the definitions of a derive.Set, all of them as
// metrics of one derive.Source. [Source.Bind] makes one.
type Binder struct {
	Derived *derive.Source // over the source

	src      *Source
	defs     *derive.Set
	defining string // the name that is not proposed, because it is being defined
	unknown  int    // how many unknown names there were
}

// Bind returns a Binder; nil defs are none. Derived metrics may be operands if they may be nested.
func (s *Source) Bind(defs *derive.Set, nested bool) *Binder {
	opt := &derive.Options{Warn: func(_, _ string) {}, Equivalent: s.Equivalent, Nested: nested, Records: s.Line != nil && s.Step == 0, Clock: true}
	defs = cmp.Or(defs, new(derive.Set))
	return &Binder{Derived: derive.NewSource(s.Source, defs, opt), src: s, defs: defs}
}

// Check checks definitions, with the requests for all of them at once.
func (b *Binder) Check(ctx context.Context, defs []*derive.Definition) ([]derive.Report, error) {
	return b.Derived.Check(ctx, b.Derived.Define(defs...)...)
}

// CheckOne checks one definition. The error is a *diagnose.Problem, or that of a request to the source.
func (b *Binder) CheckOne(ctx context.Context, d *derive.Definition) (*derive.Report, error) {
	b.defining = d.Name()
	found, err := b.Check(ctx, []*derive.Definition{d})
	if err != nil {
		return nil, err
	}
	if found[0].Err != nil {
		return nil, b.Problem(ctx, d.String(), found[0].Err)
	}
	return &found[0], nil
}

// An Expr is an expression that has been parsed and checked.
type Expr struct {
	Name   string // in output
	Tree   syntax.Expr
	Info   *check.Info
	Used   []string    // names in whose places definitions stand in the tree
	Depth  int         // how many samples before the current one the values need
	Rate   *check.Info // of the rate beside the values, if these are counters that have one
	Change syntax.Expr // the tree of the rate

	id, rateID         pcp.ID
	column, rateColumn int  // of a fetch
	converted          bool // to the units of the Selection
}

// Compile checks an expression. The error is a *diagnose.Problem, or that of a request to the source.
func (b *Binder) Compile(ctx context.Context, text string) (*Expr, error) {
	list := []Compiled{{Text: text, Name: text}}
	if err := b.compileAll(ctx, list); err != nil {
		return nil, err
	}
	return list[0].Expr, list[0].Err
}

// A Compiled is a checked expression, or its error.
type Compiled struct {
	Text, Name string // as it was written without its name, and the name
	Expr       *Expr
	Err        error // a *diagnose.Problem; Expr is nil then

	definition *derive.Definition // nil as long as the text has not been parsed
	converted  bool               // to the units of the Selection
}

// Compile checks expressions, which may be written NAME = EXPR, with the requests for all of them at once. A
// name that has metrics below it stands for them.
func (s *Source) Compile(ctx context.Context, defs *derive.Set, exprs []string) ([]Compiled, error) {
	b, list, err := s.expressions(ctx, defs, exprs, true)
	if err != nil {
		return nil, err
	}
	return list, b.compileAll(ctx, list)
}

// compileAll checks expressions, some of which may be definitions of their names, and the rates of counters. The
// error is that of a request to the source.
func (b *Binder) compileAll(ctx context.Context, list []Compiled) error {
	if err := b.checkAll(ctx, list); err != nil {
		return err
	}
	return b.rates(ctx, list)
}

// checkAll is compileAll without rates.
func (b *Binder) checkAll(ctx context.Context, list []Compiled) (err error) {
	ids := make([]pcp.ID, len(list))
	for i := range list {
		x := &list[i]
		if d := b.defs.FindOwn(x.Name); x.Name != x.Text && d != nil {
			if _, x.Err = b.CheckOne(ctx, d); x.Err != nil {
				if _, wrong := errors.AsType[*diagnose.Problem](x.Err); !wrong {
					return x.Err
				}
				continue
			}
		}
		if x.definition == nil {
			if x.definition, err = b.defs.Compile("", x.Text); err != nil {
				x.Err = b.SyntaxProblem(ctx, x.Text, err)
				continue
			}
		}
		ids[i] = b.Derived.Define(x.definition.Anonymous())[0]
	}
	found, err := b.Derived.Check(ctx, ids...)
	if err != nil {
		return err
	}
	for i, x := range found {
		switch c := &list[i]; {
		case c.Err != nil:
		case x.Err != nil:
			c.Err = b.Problem(ctx, c.Text, x.Err)
		default:
			c.Expr = &Expr{Name: c.Name, id: ids[i], Tree: x.Expr, Info: x.Info, Used: expand.Names(x.Expr), Depth: depth(x.Expr, x.Info)}
		}
	}
	return nil
}

// rates checks the rates of those expressions that are counters.
func (b *Binder) rates(ctx context.Context, list []Compiled) error {
	var counters []*Expr
	var ids []pcp.ID
	for _, c := range list {
		if c.Expr == nil || c.Expr.Info.Root.Sem != pcp.Counter || !c.Expr.Info.Root.Type.Arithmetic() {
			continue
		}
		c.Expr.rateID = b.Derived.Define(c.definition.Rate())[0]
		counters, ids = append(counters, c.Expr), append(ids, c.Expr.rateID)
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := b.Derived.Check(ctx, ids...)
	if err != nil {
		return err
	}
	for i, e := range counters {
		if found[i].Err == nil {
			e.Rate, e.Change = found[i].Info, found[i].Expr
		}
	}
	return nil
}

// depth returns how many earlier samples an expression needs: rate() and delta() need one, and one
// more for each that is inside another. The result of instant() over a counter is shown over two samples
// too, since that is how it changes.
func depth(x syntax.Expr, info *check.Info) int {
	instant := 0
	var nested map[syntax.Expr]int
	var calls func(syntax.Expr) int
	calls = func(x syntax.Expr) int {
		deepest := 0
		syntax.Walk(x, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.NestExpr:
				if _, known := nested[n.X]; !known {
					if nested == nil {
						nested = make(map[syntax.Expr]int)
					}
					nested[n.X] = calls(n.X)
				}
				deepest = max(deepest, nested[n.X])
				return false
			case *syntax.CallExpr:
				switch n.Fun {
				case "rate", "delta":
					deepest = max(deepest, calls(n.X)+1)
					return false
				case "instant":
					if info.Types[n.X].Sem == pcp.Counter {
						instant = 1
					}
				}
			}
			return true
		})
		return deepest
	}
	return max(calls(x), instant)
}
