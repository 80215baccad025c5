package derivetest

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Step is a part of an expression with its value at the time of the first wrong one.
type Step struct {
	Depth  int    `json:"depth"` // 0 is the whole expression
	Expr   string `json:"expr"`
	Value  string `json:"value"`
	Before string `json:"before,omitempty"` // of a metric: in the sample before
	Lost   bool   `json:"lost,omitempty"`   // its operands have a value, and it has none
}

type traced struct {
	expr   syntax.Expr
	depth  int
	parts  []int // its operands
	id     pcp.ID
	desc   pcp.Desc
	before sample
	now    sample
}

// trace evaluates an expression once more, part by part, up to the sample of a wrong value.
func (r *runner) trace(ctx context.Context, expr string, m *Mismatch) ([]Step, error) {
	src, err := r.source(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if def := r.set.Find(expr); def != nil {
		expr = def.String()
	}
	p, err := derive.CompileIn(check.Extended, "", expr)
	if err != nil {
		return nil, err
	}
	found, err := src.Check(ctx, src.Define(p)[0])
	if err != nil || found[0].Err != nil {
		return nil, err
	}
	b := breakdown{src: src}
	if _, err := b.parts(ctx, found[0].Expr, 0); err != nil {
		return nil, err
	}
	list := b.list
	var ids []pcp.ID
	for _, t := range list {
		ids = append(ids, t.id)
	}
	names := newInstances(src)
	err = r.fetch(ctx, src, ids, func(k int, res *pcp.Result) error {
		for i := range list {
			t := &list[i]
			t.before, t.now = t.now, names.sample(ctx, t.desc.InDom, &res.Sets[i])
		}
		if k >= m.sample {
			return io.EOF
		}
		return nil
	})
	return steps(list, m.Instance), err
}

// maxParts is how many parts of an expression are shown: each is printed, parsed and checked by itself.
const maxParts = 100

// A breakdown finds the parts of an expression that can be evaluated by themselves.
type breakdown struct {
	src  *derive.Source
	list []traced
}

// parts appends the parts of x, a part before those in it, and returns the numbers of the outermost ones.
func (b *breakdown) parts(ctx context.Context, x syntax.Expr, depth int) ([]int, error) {
	x = syntax.Unparen(x)
	if len(b.list) == maxParts {
		return nil, nil
	}
	switch x.(type) {
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr, *syntax.NovalueExpr:
		return nil, nil
	}
	self := -1
	if p, err := derive.CompileIn(check.Extended, "", syntax.Print(x)); err == nil {
		id := b.src.Define(p)[0]
		found, err := b.src.Check(ctx, id)
		if err != nil {
			return nil, err
		}
		if found[0].Err == nil {
			self = len(b.list)
			b.list = append(b.list, traced{expr: x, depth: depth, id: id, desc: found[0].Info.Root.Desc(id)})
			depth++
		}
	}
	var inner []int
	for _, operand := range syntax.Operands(x) {
		if operand == nil || *operand == nil {
			continue
		}
		numbers, err := b.parts(ctx, *operand, depth)
		if err != nil {
			return nil, err
		}
		inner = append(inner, numbers...)
	}
	if self < 0 {
		return inner, nil
	}
	b.list[self].parts = inner
	return []int{self}, nil
}

const maxInstances = 4

func steps(list []traced, instance string) (out []Step) {
	for _, t := range list {
		instance := instance
		if _, ok := t.now[instance]; !ok && t.desc.InDom != list[0].desc.InDom {
			instance = "" // one of other instances, below groups
		}
		s := Step{Depth: t.depth, Expr: syntax.Print(t.expr), Value: t.text(t.now, instance)}
		if _, ok := t.expr.(*syntax.MetricRef); ok {
			s.Before = t.text(t.before, instance)
		}
		s.Lost = s.Value == "_" && len(t.parts) > 0
		for _, i := range t.parts {
			s.Lost = s.Lost && list[i].text(list[i].now, instance) != "_"
		}
		out = append(out, s)
	}
	return out
}

// text returns the value of an instance; all of them, if the part has instances and the whole has
// none, as below sum().
func (t *traced) text(s sample, instance string) string {
	if t.desc.InDom == pcp.NullInDom {
		instance = ""
	} else if instance == "" {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if len(all) == maxInstances {
				all = append(all, "...")
				break
			}
			all = append(all, quoteWord(name)+" "+valueText(s[name]))
		}
		if len(all) > 0 {
			return strings.Join(all, ", ")
		}
	}
	return valueText(s[instance])
}
