package debug

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// builtin is how many metrics every Registry starts with. Their names are not looked up.
const builtin = 2

// Bound implements derive.Observer.
func (p *Printer) Bound(b *derive.Binding) {
	m := b.Metric
	bad, _ := errors.AsType[*check.Error](m.Err)
	switch b.Stage {
	case derive.Begun:
		p.printf("__dmbind(derive_locked=%d, ctx=%d, metric[%d] %s, async= %d)\n",
			digit(!m.Local && b.Cause != derive.Described), b.Source.Number, m.Number, m.Name(), digit(!m.Local))
		if m.Local || m.Number >= builtin {
			p.LookedUp(b.Resolve(m.Name()))
		}
	case derive.Checked:
		p.checked(b, bad)
	case derive.Settled:
		if bad != nil {
			p.failed(b, bad)
		}
		if b.Cause == derive.Added {
			p.added(b, bad)
		}
	}
}

// checked prints the steps of the check. The names were looked up in the order of the expression.
func (p *Printer) checked(b *derive.Binding, bad *check.Error) {
	t := newTree(b.Metric)
	p.stage(t, "before bind_expr")
	p.operands(b, bad)
	if !p.on(Semantics) || bad != nil && bad.Names {
		return
	}
	t.bind(b.Source, b.Info)
	p.stage(t, "after bind_expr and before check_expr")
	t.check(bad)
	if p.on(stages) {
		p.print(t.guards.String())
	}
	if bad == nil {
		p.stage(t, "after check_expr")
		return
	}
	switch name, side := nameAt(t.metric.Expr(), bad.Pos); {
	case name != "" && side != "":
		p.printf("Semantic error: ternary op: metric \"%s\" not found for <%s-expr>\n", name, side)
	case name == "" && t.misfit != "":
		p.printf("Semantic error: ternary op %s\n", t.misfit)
	}
}

func (p *Printer) stage(t *tree, name string) {
	if p.on(stages) {
		p.printf("__dmbind: metric[%d] %s: %s ...\n", t.metric.Number, t.metric.Name(), name)
		p.dump(t)
	}
}

func (p *Printer) failed(b *derive.Binding, bad *check.Error) {
	stage := "check_expr"
	if bad.Names {
		stage = "bind_expr"
	}
	p.printf("__dmbind: %s failed for metric[%d] %s\n", stage, b.Metric.Number, b.Metric.Name())
	if p.on(Semantics) && !bad.Names {
		p.dump(boundTree(b.Source, b.Metric, b.Info, bad))
	}
}

func (p *Printer) added(b *derive.Binding, bad *check.Error) {
	m := b.Metric
	if bad != nil {
		p.printf("pmAddDerived(ctx->%d): %s: bind failed: %s\n", b.Source.Number, m.Name(), bad.Text)
		return
	}
	p.printf("pmAddDerived(ctx->%d): per-context metric[%d] %s = %s\n", b.Source.Number, m.Number, m.Name(), m)
	switch {
	case !p.on(Syntax):
	case m.Masked:
		p.dump(newTree(m))
	default:
		p.dump(boundTree(b.Source, m, b.Info, nil))
	}
}

// operands prints the names that are looked up, up to the one that fails.
func (p *Printer) operands(b *derive.Binding, bad *check.Error) {
	var specs []*syntax.Spec      // of the constant that was met last
	var constant, typ syntax.Expr // that constant, and the argument of anon, which is not a name
	for n := range syntax.Preorder(b.Metric.Expr()) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if n.Fun == "anon" {
				typ = n.X
			}
		case *syntax.ConstExpr:
			constant, specs = n, n.Specs
		case *syntax.NovalueExpr:
			constant, specs = n, n.Specs
		}
		name, pos := mention(n)
		if name == "" || n == typ {
			continue
		}
		r := b.Resolve(name)
		p.LookedUp(r)
		if r.Err != nil && r.Visible == nil && b.Source.NoValue {
			p.printf("Warning: derived metric %s: operand \"%s\" not found, mapped to novalue()\n", b.Metric.Name(), name)
		}
		if bad != nil && bad.Names && pos == bad.Pos {
			return
		}
		if s, ok := n.(*syntax.Spec); ok && r.Err == nil && p.on(stages) {
			if d, ok := b.Info.Mentions[s]; ok {
				p.printf("bind_desc: meta: %s\n", typeText(check.TypeOf(d)))
				p.params(b, constant, specs)
			}
		}
	}
}

func mention(n syntax.Node) (name string, pos syntax.Pos) {
	switch n := n.(type) {
	case *syntax.MetricRef:
		return n.Name, n.NamePos
	case *syntax.Spec:
		if n.Tag == syntax.META {
			return n.Value, n.ValuePos
		}
	}
	return "", 0
}

// nameAt returns the name that is mentioned at a position and which arm of the innermost choice
// around it the position is in, "" for none.
func nameAt(e syntax.Expr, pos syntax.Pos) (name, side string) {
	within := func(e syntax.Expr) bool {
		start, end := e.Span()
		return start <= pos && pos < end
	}
	for n := range syntax.Preorder(e) {
		if c, ok := n.(*syntax.TernaryExpr); ok && within(c.X) {
			side = "left"
		} else if ok && within(c.Y) {
			side = "right"
		}
		if mentioned, at := mention(n); mentioned != "" && at == pos {
			return mentioned, side
		}
	}
	return "", ""
}

func typeText(t check.Type) string {
	return fmt.Sprintf("type=%v,indom=%v,sem=%v,units=%v", t.Type, t.InDom, t.Sem, t.Units)
}

// params prints the metadata that a constant has beside its meta=, if there is any, and what comes
// of both.
func (p *Printer) params(b *derive.Binding, constant syntax.Expr, specs []*syntax.Spec) {
	text, flags := "", 0
	for i, tag := range [...]syntax.Token{syntax.TYPE, syntax.INDOM, syntax.SEMANTICS, syntax.UNITS} {
		for _, s := range slices.Backward(specs) {
			if s.Tag == tag {
				text += " " + strings.TrimSuffix(tag.Symbol(), "antics") + "=" + paramText(s)
				flags |= 2 << i
				break
			}
		}
	}
	if flags == 0 {
		return
	}
	p.printf("           params:%s flags=%x\n", text, flags)
	if t, ok := constantType(constant, b.Source, b.Info); ok {
		p.printf("           result: %s\n", typeText(t))
	}
}

func paramText(s *syntax.Spec) string {
	switch s.Tag {
	case syntax.TYPE:
		return strings.ToUpper(s.Value)
	case syntax.SEMANTICS:
		return strings.ToLower(s.Value)
	case syntax.UNITS:
		return unitsText(s.Value)
	}
	if domain, serial, ok := s.Indom(); ok {
		return pcp.NewInDom(domain, serial).String()
	}
	return pcp.NullInDom.String()
}
