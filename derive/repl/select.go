package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Selection says what of the samples of a Window is written. The zero Selection is all of it.
type Selection struct {
	Where     string   // an expression: samples, or instances of its domain, where it is 0 or has no value are left out
	Limit     int      // how many samples are written at most, 0 for no bound
	Instances []string // names of instances, or patterns of them; empty for all
	Units     string   // to which what has their dimension is converted, counters as rates
}

// expand puts the metrics below an inner node of the name space in its place.
func (s *Session) expand(ctx context.Context, exprs []string) ([]string, error) {
	var list []string
	for _, e := range exprs {
		if !nameLike(e) {
			list = append(list, e)
			continue
		}
		src := s.all(ctx)
		found, err := src.Lookup(ctx, []string{e})
		if err != nil {
			return nil, err
		}
		before := len(list)
		if errors.Is(found[0].Err, pmerr.NonLeaf) {
			err = src.WalkNames(ctx, e, func(name string) bool { list = append(list, name); return true })
			if err != nil {
				return nil, err
			}
		}
		if len(list) == before {
			list = append(list, e)
		}
	}
	return list, nil
}

// rescaled returns an expression converted to units, or itself if it has another dimension.
func (b *binder) rescaled(ctx context.Context, text, units string) string {
	for _, inner := range []string{text, "rate(" + text + ")"} {
		with := "rescale(" + inner + `, "` + units + `")`
		if _, err := b.compile(ctx, with); err == nil {
			return with
		}
	}
	return text
}

// where adds the expression that selects samples to a query.
func (b *binder) where(ctx context.Context, q *query, text string) error {
	if text == "" {
		return nil
	}
	c, err := b.compile(ctx, text)
	if err != nil {
		return err
	}
	if !c.info.Root.Type.Arithmetic() {
		return problemf("--where wants a number: %s", metadata(c.info.Root))
	}
	c.rate = false
	c.column = len(q.request.IDs)
	q.request.IDs = append(q.request.IDs, c.id)
	q.where = c
	return nil
}

// choose leaves out of a sample what is not selected, and reports whether anything is left.
func (q *query) choose(sel *Selection, res *pcp.Result, smp *Sample) bool {
	if len(sel.Instances) > 0 {
		q.keep(smp, func(_ pcp.InDom, v Value) bool {
			return slices.ContainsFunc(sel.Instances, func(p string) bool { return matchInstance(p, v.Instance) })
		})
	}
	if q.where == nil {
		return true
	}
	v := &res.Sets[q.where.column]
	var passed []int32
	for i, inst := range v.Insts {
		if f, err := v.Value(i).Float64(); v.Err == 0 && err == nil && f != 0 {
			passed = append(passed, inst)
		}
	}
	if d := q.where.info.Root.InDom; d != pcp.NullInDom {
		q.keep(smp, func(of pcp.InDom, v Value) bool { return of != d || slices.Contains(passed, v.ID) })
	}
	return len(passed) > 0
}

// keep keeps some of the values of instances.
func (q *query) keep(smp *Sample, wanted func(pcp.InDom, Value) bool) {
	for i := range smp.Sets {
		if d := q.exprs[i].info.Root.InDom; d != pcp.NullInDom {
			smp.Sets[i].Values = slices.DeleteFunc(smp.Sets[i].Values, func(v Value) bool { return !wanted(d, v) })
		}
	}
}

// matchInstance reports whether a pattern is the name of an instance, its first word, or matches it.
func matchInstance(pattern, name string) bool {
	first, _, _ := strings.Cut(name, " ")
	ok, err := path.Match(pattern, name)
	return pattern == name || pattern == first || ok && err == nil
}

// named reads an expression of Eval, which may be written NAME = EXPR, and adds such a definition.
func named(e string, defs *dictionary) (text, name string, _ *dictionary) {
	it := parseItem(e)
	if it.kind != definition || it.text == "" {
		return e, e, defs
	}
	if p, err := derive.Compile(it.name, it.text); err == nil && legalName(it.name) {
		defs = defs.with(&Definition{Name: it.name, Expr: it.text, program: p})
	}
	return it.text, it.name, defs
}

// sorts are the orders of values: by the identifiers of their instances, by the names, or the
// largest first.
var sorts = []string{"id", "name", "value"}

// Sorts returns the names of the orders of values, the usual one first.
func Sorts() []string { return slices.Clone(sorts) }

// arrange puts the values of a sample into the order that is set, and keeps the first of them if
// only so many are wanted. rate reports whether the rates of an expression are shown.
func (s *Settings) arrange(smp *Sample, rate func(i int) bool) {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		switch s.Sort {
		case "name":
			slices.SortStableFunc(set.Values, func(a, b Value) int { return strings.Compare(a.Instance, b.Instance) })
		case "value":
			byValue(set.Values, -1, rate(i))
		default:
			continue
		}
		smp.Ordered = true
	}
	for i := range smp.Sets {
		if s.Top > 0 {
			smp.Sets[i].keep(s.Top)
		}
	}
}

// keep keeps the first values of a set.
func (set *Set) keep(n int) {
	if len(set.Values) > n {
		set.More += len(set.Values) - n
		set.Values = set.Values[:n]
	}
}

// byValue sorts values by the numbers that are shown, ascending, or descending if sign is -1. What
// has none comes last.
func byValue(values []Value, sign int, rate bool) {
	key := func(v Value) float64 {
		if f := shown(v, rate); !math.IsNaN(f) {
			return f
		}
		return math.Inf(sign)
	}
	slices.SortStableFunc(values, func(a, b Value) int { return sign * cmp.Compare(key(a), key(b)) })
}

// defaultTop is how many values :top shows.
const defaultTop = 10

// runTop shows the largest values.
func runTop(ctx context.Context, s *Session, arg string, w io.Writer) error {
	n, text := cutCount(arg)
	before := s.set
	defer func() { s.set = before }()
	s.set.Sort, s.set.Top = "value", cmp.Or(n, defaultTop)
	return s.runExpr(ctx, text, w)
}

// showMore tells how many values are not shown.
func showMore(w io.Writer, set *Set) {
	if set.More > 0 {
		fmt.Fprintf(w, "+%d more\n", set.More)
	}
}
