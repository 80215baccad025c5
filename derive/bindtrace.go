package derive

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A bindTrace tells of the binding of one metric. The checker keeps no record of the way to its verdict, so the steps are
// worked out again from it: names are asked for in the order of the tree up to the one that is not there, and the parts
// of a tree that does not fit are checked one by one. A nil bindTrace is off.
type bindTrace struct {
	*tracer
	env     *env
	metric  *metric
	tree    *node
	culprit *node // what does not fit
	once    bool  // the steps of the check are told of
}

// trace returns what tells of the binding of m, and begins.
func (e *env) trace(m *metric) *bindTrace {
	t := e.s.reg.tracer()
	if !t.on() {
		return nil
	}
	b := &bindTrace{tracer: t, env: e, metric: m, tree: newNode(m.expr, m.number), once: t.stages()}
	async := 1
	if m.local {
		async = 0
	}
	lock := async
	if e.alone {
		lock = 0
	}
	b.printf("__dmbind(derive_locked=%d, ctx=%d, metric[%d] %s, async= %d)\n", lock, e.s.handle, m.number, m.name, async)
	if m.local || m.number >= builtin {
		e.s.lookedUp(t, m.name, e.names[m.name])
	}
	return b
}

// done tells of a metric that fits.
func (b *bindTrace) done(info *check.Info) {
	if b == nil {
		return
	}
	b.operands(nil)
	b.stage("after bind_expr and before check_expr", b.bound)
	if b.stages() {
		s := b.checked(info)
		b.stage("after check_expr", func() *shown { return s })
	}
}

// failed tells of a metric that does not fit. What warn prints comes in between.
func (b *bindTrace) failed(err error, warn func()) {
	if b == nil {
		warn()
		return
	}
	bad, _ := errors.AsType[*check.Error](err)
	if inNames(bad) {
		b.operands(bad)
		warn()
		b.printf("__dmbind: bind_expr failed for metric[%d] %s\n", b.metric.number, b.metric.name)
		return
	}
	b.operands(nil)
	b.stage("after bind_expr and before check_expr", b.bound)
	var s *shown
	if b.semantics() {
		s = b.checked(nil)
		b.choiceDetail(bad, s)
	}
	warn()
	b.printf("__dmbind: check_expr failed for metric[%d] %s\n", b.metric.number, b.metric.name)
	if s != nil {
		b.tracer.tree(b.tree, s)
	}
}

// inNames reports whether an error was found when names were looked up, before types were checked.
func inNames(err *check.Error) bool {
	if err == nil || !strings.HasPrefix(err.What, "operand ") {
		return false
	}
	return !strings.HasSuffix(err.Text, "for ternary expression")
}

// stage prints the tree as it is at a stage of binding.
func (b *bindTrace) stage(name string, s func() *shown) {
	if b.stages() {
		b.printf("__dmbind: metric[%d] %s: %s ...\n", b.metric.number, b.metric.name, name)
		b.tracer.tree(b.tree, s())
	}
}

// operands tells of the names that are looked up, up to the one that fails.
func (b *bindTrace) operands(bad *check.Error) {
	b.stage("before bind_expr", func() *shown { return nil })
	novalue, _ := b.env.s.reg.Control(NoValueOption)
	var argument syntax.Expr // of anon, which is no name of a metric
	for n := range syntax.Preorder(b.metric.expr) {
		if c, ok := n.(*syntax.CallExpr); ok && c.Fun == syntax.ANON {
			argument = c.X
		}
		name, pos, ok := mention(n)
		r, known := b.env.names[name]
		if !ok || !known || n == argument {
			continue
		}
		b.env.s.lookedUp(b.tracer, name, r)
		if novalue != 0 && r.Err != nil && b.env.s.byName[name] == nil {
			b.printf("Warning: derived metric %s: operand \"%s\" not found, mapped to novalue()\n", b.metric.name, name)
		}
		if bad != nil && pos == bad.Pos {
			return
		}
		if s, ok := n.(*syntax.Spec); ok && r.Err == nil && b.once {
			d := b.env.descs[r.Value].Value
			b.printf("bind_desc: meta: type=%v,indom=%v,sem=%v,units=%v\n%s", d.Type, d.InDom, d.Sem, d.Units, b.params(s))
		}
	}
}

// params returns the lines about the metadata that is given beside a meta=, if there is any, and what comes of both.
func (b *bindTrace) params(meta *syntax.Spec) string {
	if !b.tree.small() {
		return ""
	}
	constant, specs := withMeta(b.metric.expr, meta)
	text, flags := "", 0
	for i, tag := range [...]syntax.Token{syntax.TYPE, syntax.INDOM, syntax.SEMANTICS, syntax.UNITS} {
		for _, s := range slices.Backward(specs) {
			if s.Tag == tag {
				name := strings.TrimSuffix(tag.Symbol(), "antics")
				text += " " + name + "=" + paramText(s)
				flags |= 2 << i
				break
			}
		}
	}
	if flags == 0 {
		return ""
	}
	text = fmt.Sprintf("           params:%s flags=%x\n", text, flags)
	if info, err := b.check(constant); err == nil {
		r := info.Root
		text += fmt.Sprintf("           result: type=%v,indom=%v,sem=%v,units=%v\n", r.Type, r.InDom, r.Sem, r.Units)
	}
	return text
}

// withMeta returns the constant that a meta= belongs to, and all of its metadata.
func withMeta(e syntax.Expr, meta *syntax.Spec) (syntax.Expr, []*syntax.Spec) {
	for n := range syntax.Preorder(e) {
		switch n := n.(type) {
		case *syntax.ConstExpr:
			if slices.Contains(n.Specs, meta) {
				return n, n.Specs
			}
		case *syntax.NovalueExpr:
			if slices.Contains(n.Specs, meta) {
				return n, n.Specs
			}
		}
	}
	return nil, nil
}

// paramText returns a value as it is understood.
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

// mention returns the name that a part of a tree is looked up by.
func mention(n syntax.Node) (name string, pos syntax.Pos, ok bool) {
	switch n := n.(type) {
	case *syntax.MetricRef:
		return n.Name, n.NamePos, true
	case *syntax.Spec:
		return n.Value, n.ValuePos, n.Tag == syntax.META
	}
	return "", 0, false
}

// choiceDetail tells in what the arms of a choice differ.
func (b *bindTrace) choiceDetail(bad *check.Error, s *shown) {
	if bad == nil {
		return
	}
	if name, ok := strings.CutPrefix(bad.What, "operand "); ok {
		if side := sideOf(b.metric.expr, bad.Pos); side != "" {
			b.printf("Semantic error: ternary op: metric \"%s\" not found for <%s-expr>\n", name, side)
		}
		return
	}
	if b.culprit == nil || b.culprit.kind != "QUEST" {
		return
	}
	x, y := s.descs[b.culprit.right.left], s.descs[b.culprit.right.right]
	u, v := x.Units, y.Units
	switch {
	case strings.Contains(bad.Text, "types"):
		b.differ("type", x.Type.Type, y.Type.Type)
	case strings.Contains(bad.Text, "instance domains"):
		b.differ("indom", x.InDom, y.InDom)
	case strings.Contains(bad.Text, "semantics"):
		b.differ("semantics", x.Sem, y.Sem)
	case strings.Contains(bad.Text, "(space)"):
		b.differ("units (space)", scaled(u, u.DimSpace, u.ScaleSpace), scaled(v, v.DimSpace, v.ScaleSpace))
	case strings.Contains(bad.Text, "(time)"):
		b.differ("units (time)", u, v)
	case strings.Contains(bad.Text, "(count)"):
		b.differ("units (count)", u, v)
	case strings.Contains(bad.Text, "(extra)"):
		b.differ("units (extra)", u, v)
	}
}

// differ tells in what two arms differ.
func (b *bindTrace) differ(what string, x, y any) {
	b.printf("Semantic error: ternary op %s: left=%v right=%v\n", what, x, y)
}

// scaled writes units with one of their dimensions.
func scaled(u pcp.Units, dim, scale int8) string {
	return fmt.Sprintf("%v (dim=%d scale=%d)", u, dim, scale)
}

// sideOf returns which arm of the innermost choice around it the position of a name is in, "" if it is in none.
func sideOf(e syntax.Expr, pos syntax.Pos) string {
	side := ""
	within := func(e syntax.Expr) bool {
		start, end := e.Span()
		return start <= pos && pos < end
	}
	for n := range syntax.Preorder(e) {
		if c, ok := n.(*syntax.TernaryExpr); ok {
			switch {
			case within(c.X):
				side = "left"
			case within(c.Y):
				side = "right"
			}
		}
	}
	return side
}
