package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
func (q *query) choose(ctx context.Context, sel *Selection, res *pcp.Result, smp *Sample) (some bool, err error) {
	if len(sel.Instances) > 0 {
		err = q.keep(ctx, smp, func(_ pcp.InDom, v *Value) bool {
			return slices.ContainsFunc(sel.Instances, func(p string) bool { return matchInstance(p, v.Instance) })
		})
	}
	if q.where == nil || err != nil {
		return true, err
	}
	v := &res.Sets[q.where.column]
	var passed []int32
	for i, inst := range v.Insts {
		if f, err := v.Value(i).Float64(); v.Err == 0 && err == nil && f != 0 {
			passed = append(passed, inst)
		}
	}
	if d := q.where.info.Root.InDom; d != pcp.NullInDom {
		slices.Sort(passed)
		err = q.keep(ctx, smp, func(of pcp.InDom, v *Value) bool {
			_, found := slices.BinarySearch(passed, v.ID)
			return of != d || found
		})
	}
	return len(passed) > 0, err
}

// keep keeps some of the values of instances.
func (q *query) keep(ctx context.Context, smp *Sample, wanted func(pcp.InDom, *Value) bool) error {
	for i := range smp.Sets {
		if d := q.exprs[i].info.Root.InDom; d != pcp.NullInDom {
			if err := smp.Sets[i].filter(ctx, func(v *Value) bool { return wanted(d, v) }); err != nil {
				return err
			}
		}
	}
	return nil
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
func (s *Settings) arrange(ctx context.Context, smp *Sample, rate func(i int) bool) (err error) {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		switch s.Sort {
		case "name":
			err = set.byName(ctx, s.Top)
		case "value":
			err = set.byValue(ctx, -1, s.Top, rate(i))
		default:
			continue
		}
		if smp.Ordered = true; err != nil {
			return err
		}
	}
	for i := range smp.Sets {
		if s.Top > 0 {
			smp.Sets[i].keep(s.Top)
		}
	}
	return nil
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
