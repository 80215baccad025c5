package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A compiled expression has been parsed, expanded and checked.
type compiled struct {
	*expansion
	info   *check.Info
	depth  int         // how many samples before the current one the values need
	rate   bool        // there is a rate beside the values, which are counters
	rateOf *check.Info // of the rate
}

// options returns how an expression, which defines a metric of that name, is checked.
func (sc *scope) options(name string) *check.Options {
	opt := &check.Options{Name: name, Equivalent: sc.equivalent}
	if sc.reg != nil {
		novalue, err := sc.reg.Control(derive.NoValueOption)
		opt.NoValue = err == nil && novalue != 0
	}
	return opt
}

// compile checks expressions against the source. self is the name that the only one of them defines, or empty.
func (sc *scope) compile(text, self string) (*compiled, error) {
	x, err := sc.expand(text, self)
	if err != nil {
		return nil, err
	}
	info, err := check.Check(x.tree, sc, sc.options(""))
	if sc.err != nil {
		return nil, sc.err
	}
	if err != nil {
		return nil, sc.checkProblem(x, err)
	}
	c := &compiled{expansion: x, info: info, depth: depth(x.tree, info)}
	if info.Root.Sem == pcp.Counter && info.Root.Type.Arithmetic() {
		tree, err := parse("rate(" + x.text + ")")
		if err == nil {
			c.rateOf, err = check.Check(tree, sc, sc.options(""))
		}
		c.rate = err == nil
	}
	return c, nil
}

// checkProblem tells a mistake of meaning: the operands with their metadata, or names like the unknown one.
func (sc *scope) checkProblem(x *expansion, err error) *Problem {
	bad, ok := errors.AsType[*check.Error](err)
	if !ok {
		return &Problem{Msg: err.Error(), Src: x.orig, Err: err}
	}
	pos, inside := x.place(int(bad.Pos))
	p := &Problem{Msg: lowerFirst(bad.Text), Src: x.orig, Pos: pos, Err: err}
	if name, ok := strings.CutPrefix(bad.What, "operand "); ok {
		p.Msg = operandText(bad.Text, name)
		if errors.Is(sc.names[name].Err, pmerr.NonLeaf) && sc.defs.find(name) == nil {
			p.Msg = name + " is no metric, but has metrics below it"
			return p
		}
		if sc.names[name].Err != nil && sc.defs.find(name) == nil {
			p.Notes = append(p.Notes, didYouMean(name, sc.known())...)
		}
	}
	p.Notes = append(p.Notes, sc.operands(x, bad.Pos)...)
	if inside != "" {
		p.Notes = append(p.Notes, "in the definition of "+inside)
	}
	return p
}

// operandText tells what is wrong with a metric.
func operandText(text, name string) string {
	switch text {
	case "Unknown operand metric", "Unknown metric for ternary expression":
		return "unknown metric " + name
	case "Metadata for operand metric not available":
		return "the metadata of " + name + " cannot be had"
	case "Illegal nested derived metric":
		return name + " is a derived metric, which the language does not allow inside another"
	}
	return lowerFirst(text) + " " + name
}

// known returns the names that an unknown one may have been meant to be.
func (sc *scope) known() []string {
	names := sc.defs.names()
	if sc.catalogue == nil {
		return names
	}
	return append(names, sc.catalogue(sc.ctx)...)
}

// operands describes the operands of the node that a mistake is at.
func (sc *scope) operands(x *expansion, pos syntax.Pos) []string {
	var notes []string
	add := func(role string, e syntax.Expr) {
		info, err := check.Check(e, sc, sc.options(""))
		if err == nil {
			notes = append(notes, fmt.Sprintf("%s %s: %s", role, shorten(syntax.Print(e), 60), metadata(info.Root)))
		}
	}
	for n := range syntax.Preorder(x.tree) {
		switch n := n.(type) {
		case *syntax.BinaryExpr:
			if n.OpPos == pos {
				add("left", n.X)
				add("right", n.Y)
			}
		case *syntax.UnaryExpr:
			if n.OpPos == pos {
				add("operand", n.X)
			}
		case *syntax.CallExpr:
			if n.FunPos == pos {
				add("operand", n.X)
			}
		case *syntax.RescaleExpr:
			if n.FunPos == pos {
				add("operand", n.X)
			}
		case *syntax.TernaryExpr:
			if n.Colon == pos {
				add("left", n.X)
				add("right", n.Y)
			} else if n.Quest == pos {
				add("guard", n.Cond)
			}
		}
	}
	return notes
}

// depth returns how many earlier samples an expression needs: rate() and delta() need one, and one more for each that is
// inside another. What instant() makes of a counter is shown over two samples too, since that is how it changes.
func depth(e syntax.Expr, info *check.Info) int {
	// Trees may be high, so there is no recursion: the spans of the calls tell which are inside which.
	type span struct{ end, level int }
	var open []span
	deepest := 0
	for n := range syntax.Preorder(e) {
		c, ok := n.(*syntax.CallExpr)
		if !ok {
			continue
		}
		start, end := c.Span()
		open = slices.DeleteFunc(open, func(s span) bool { return s.end <= int(start) })
		switch c.Fun {
		case syntax.RATE, syntax.DELTA:
			level := len(open) + 1
			open = append(open, span{int(end), level})
			deepest = max(deepest, level)
		case syntax.INSTANT:
			if info.Types[c.X].Sem == pcp.Counter {
				deepest = max(deepest, 1)
			}
		}
	}
	return deepest
}

// A query is expressions that are fetched together.
type query struct {
	exprs   []*compiled
	names   []string       // what they are called in output
	src     *derive.Source // over the session's source
	request pmapi.Request
	columns []columns
}

// depth returns how many samples there must be before the first one that has all values; raw means that rates of counters
// are not wanted.
func (q *query) depth(raw bool) int {
	n := 0
	for _, c := range q.exprs {
		d := c.depth
		if c.rate && !raw {
			d++
		}
		n = max(n, d)
	}
	return n
}

// columns says where in a result the values of an expression are.
type columns struct {
	values, rate int // rate is -1 if there is none
}

// itemName is what an expression is called inside a derive.Source. It is no name of a metric.
func itemName(i int) string { return "#" + strconv.Itoa(i) }

// isItem reports whether a name is one of itemName.
func isItem(name string) bool { return strings.HasPrefix(name, "#") }

// newQuery makes expressions ready to be fetched.
func (sc *scope) newQuery(ctx context.Context, exprs []*compiled, names []string) (*query, error) {
	q := &query{exprs: exprs, names: names}
	q.src = derive.NewSource(remembering{sc.src, sc}, sc.reg, &derive.Options{Equivalent: sc.equivalent})
	var items []string
	add := func(text string) (int, error) {
		name := itemName(len(items))
		items = append(items, name)
		return len(items) - 1, q.src.Add(ctx, name, text)
	}
	for _, c := range exprs {
		if err := sc.addMeta(ctx, q.src, c.meta, nil); err != nil {
			return nil, err
		}
		col := columns{rate: -1}
		var err error
		if col.values, err = add(c.text); err != nil {
			return nil, err
		}
		if c.rate {
			if col.rate, err = add("rate(" + c.text + ")"); err != nil {
				return nil, err
			}
		}
		q.columns = append(q.columns, col)
	}
	found, err := q.src.Lookup(ctx, items)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		if r.Err != nil {
			return nil, r.Err
		}
		q.request.IDs = append(q.request.IDs, r.Value)
	}
	return q, nil
}

// addMeta defines the derived metrics that meta= refers to, those first that their own definitions refer to.
func (sc *scope) addMeta(ctx context.Context, src *derive.Source, names, path []string) error {
	for _, name := range names {
		d := sc.derived(name)
		if d == nil || slices.Contains(path, name) {
			continue
		}
		x, err := sc.expand(d.Expr, name)
		if err != nil {
			return err
		}
		if err := sc.addMeta(ctx, src, x.meta, append(path, name)); err != nil {
			return err
		}
		var dup *derive.Error
		if err := src.Add(ctx, name, x.text); errors.As(err, &dup) && dup.Early {
			continue // another expression wanted it too
		} else if err != nil {
			return err
		}
	}
	return nil
}
