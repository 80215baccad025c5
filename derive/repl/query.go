package repl

import (
	"context"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/expand"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A binder checks expressions against a source and the definitions of a session, all of them as
// metrics of one derive.Source.
type binder struct {
	src  *derive.Source
	defs *dictionary
	ids  map[*Definition]pcp.ID // of the session's own definitions
	more func() []string        // names of the source, to propose for an unknown one

	defining string // the name that is not proposed, because it is being defined
	unknown  int    // how many unknown names there were
}

// newBinder returns a binder with other definitions than the session's. Derived metrics may be
// operands if they may be nested.
func (s *Session) newBinder(ctx context.Context, defs *dictionary, nested bool) *binder {
	opt := &derive.Options{Warn: func(string) {}, Equivalent: s.opt.Equivalent, Nested: nested, Records: s.line != nil && s.step == 0}
	b := &binder{
		src: derive.NewSource(s.src, s.opt.Registry, opt), defs: defs, ids: make(map[*Definition]pcp.ID, len(defs.own)),
		more: func() []string { return s.catalogue(ctx) },
	}
	for _, d := range defs.own {
		b.ids[d] = b.src.Define(d.program)[0]
	}
	return b
}

// binder returns a binder with the session's definitions.
func (s *Session) binder(ctx context.Context) *binder { return s.newBinder(ctx, s.defs, true) }

// check checks definitions, with the requests for all of them at once.
func (b *binder) check(ctx context.Context, defs []*Definition) ([]derive.Report, error) {
	ids := make([]pcp.ID, len(defs))
	for i, d := range defs {
		ids[i] = b.ids[d]
	}
	return b.src.Check(ctx, ids...)
}

// checkOne checks one definition. The error is a *Problem, or that of a request to the source.
func (b *binder) checkOne(ctx context.Context, d *Definition) (*derive.Report, error) {
	b.defining = d.Name
	found, err := b.check(ctx, []*Definition{d})
	if err != nil {
		return nil, err
	}
	if found[0].Err != nil {
		return nil, b.problem(d.Expr, found[0].Err)
	}
	return &found[0], nil
}

// A compiled expression has been parsed and checked.
type compiled struct {
	id     pcp.ID
	tree   syntax.Expr
	info   *check.Info
	used   []string    // names in whose places definitions stand in the tree
	depth  int         // how many samples before the current one the values need
	rate   bool        // there is a rate beside the values, which are counters
	rateID pcp.ID      // of the rate
	rateOf *check.Info // of the rate
	change syntax.Expr // the tree of the rate

	column, rateColumn int // of a query's result
}

// compile checks an expression. The error is a *Problem, or that of a request to the source.
func (b *binder) compile(ctx context.Context, text string) (*compiled, error) {
	p, err := derive.Compile("", text)
	if err != nil {
		return nil, diagnose.Syntax(text, err)
	}
	id := b.src.Define(p)[0]
	found, err := b.src.Check(ctx, id)
	if err != nil {
		return nil, err
	}
	x := found[0]
	if x.Err != nil {
		return nil, b.problem(text, x.Err)
	}
	c := &compiled{id: id, tree: x.Expr, info: x.Info, used: expand.Names(x.Expr), depth: depth(x.Expr, x.Info)}
	if x.Info.Root.Sem == pcp.Counter && x.Info.Root.Type.Arithmetic() {
		c.rateID = b.src.Define(p.Rate())[0]
		if found, err = b.src.Check(ctx, c.rateID); err != nil {
			return nil, err
		}
		c.rate, c.rateOf, c.change = found[0].Err == nil, found[0].Info, found[0].Expr
	}
	return c, nil
}

// compileAs is compile for an expression that may be the definition of a name.
func (b *binder) compileAs(ctx context.Context, text, name string) (*compiled, error) {
	if d := b.defs.findOwn(name); name != text && d != nil {
		if _, err := b.checkOne(ctx, d); err != nil {
			return nil, err
		}
	}
	return b.compile(ctx, text)
}

// depth returns how many earlier samples an expression needs: rate() and delta() need one, and one
// more for each that is inside another. What instant() makes of a counter is shown over two samples
// too, since that is how it changes.
func depth(x syntax.Expr, info *check.Info) int {
	instant := 0
	nested := make(map[syntax.Expr]int)
	var calls func(syntax.Expr) int
	calls = func(x syntax.Expr) int {
		deepest := 0
		syntax.Walk(x, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.NestExpr:
				if _, known := nested[n.X]; !known {
					nested[n.X] = calls(n.X)
				}
				deepest = max(deepest, nested[n.X])
				return false
			case *syntax.CallExpr:
				switch n.Fun {
				case syntax.RATE, syntax.DELTA:
					deepest = max(deepest, calls(n.X)+1)
					return false
				case syntax.INSTANT:
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

// A query is expressions that are fetched together.
type query struct {
	exprs   []*compiled
	names   []string       // what they are called in output
	src     *derive.Source // over the session's source
	request pmapi.Request
	where   *compiled // see Selection; nil for none
}

// depth returns how many samples there must be before the first one that has all values; raw means
// that rates of counters are not wanted.
func (q *query) depth(raw bool) int {
	n := 0
	if q.where != nil {
		n = q.where.depth
	}
	for _, c := range q.exprs {
		d := c.depth
		if c.rate && !raw {
			d++
		}
		n = max(n, d)
	}
	return n
}

// newQuery makes expressions ready to be fetched.
func (b *binder) newQuery(exprs []*compiled, names []string) *query {
	q := &query{exprs: exprs, names: names, src: b.src}
	add := func(id pcp.ID) int {
		q.request.IDs = append(q.request.IDs, id)
		return len(q.request.IDs) - 1
	}
	for _, c := range exprs {
		c.column = add(c.id)
		if c.rate {
			c.rateColumn = add(c.rateID)
		}
	}
	return q
}
