package cases

import (
	"context"
	"maps"
	"slices"
	"strings"

	"pmtools/derive"
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

// traced is what is known of a part of an expression.
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
	if text, ok := r.text[expr]; ok {
		expr = text
	}
	p, err := derive.Compile("", expr)
	if err != nil {
		return nil, err
	}
	found, err := src.Check(ctx, src.Define(p)[0])
	if err != nil || found[0].Err != nil {
		return nil, err
	}
	var list []traced
	if list, _, err = parts(ctx, src, list, found[0].Expr, 0); err != nil {
		return nil, err
	}
	var ids []pcp.ID
	for _, t := range list {
		ids = append(ids, t.id)
	}
	names := newInstances(src)
	err = r.fetch(ctx, src, ids, func(k int, res *pcp.Result) bool {
		for i := range list {
			t := &list[i]
			t.before, t.now = t.now, names.sample(ctx, t.desc.InDom, &res.Sets[i])
		}
		return k < m.sample
	})
	return steps(list, m.Instance), err
}

// maxParts is how many parts of an expression are shown.
const maxParts = 100

// parts appends the parts of an expression that can be evaluated by themselves, those in it behind
// it, and returns the numbers of the outermost ones.
func parts(ctx context.Context, src *derive.Source, list []traced, x syntax.Expr, depth int) ([]traced, []int, error) {
	self := -1
	x = syntax.Unparen(x)
	if len(list) == maxParts {
		return list, nil, nil
	}
	switch x.(type) {
	case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr, *syntax.NovalueExpr:
		return list, nil, nil
	}
	if p, err := derive.Compile("", syntax.Print(x)); err == nil {
		id := src.Define(p)[0]
		found, err := src.Check(ctx, id)
		if err != nil {
			return list, nil, err
		}
		if found[0].Err == nil {
			self = len(list)
			list = append(list, traced{expr: x, depth: depth, id: id, desc: found[0].Info.Root.Desc(id)})
			depth++
		}
	}
	var inner []int
	for _, operand := range syntax.Operands(x) {
		if operand == nil || *operand == nil {
			continue
		}
		var nums []int
		var err error
		if list, nums, err = parts(ctx, src, list, *operand, depth); err != nil {
			return list, nil, err
		}
		inner = append(inner, nums...)
	}
	if self < 0 {
		return list, inner, nil
	}
	list[self].parts = inner
	return list, []int{self}, nil
}

// maxInstances is how many instances of a part are shown where all of them count.
const maxInstances = 4

// steps describes the parts for one instance.
func steps(list []traced, instance string) (out []Step) {
	for _, t := range list {
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
