package derive

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// lookedUp tells how a name was resolved: that it masks others, or, if the Source below does not have it, that it was
// tried as the name of a derived metric.
func (s *Source) lookedUp(t *tracer, name string, found pcp.Answer[pcp.ID]) {
	m, global := s.byName[name], s.globalNamed(name)
	switch {
	case found.Err == nil:
		s.masks(t, name, found.Value, global)
		if m != global {
			s.masks(t, name, found.Value, m)
		}
	case m == nil:
		t.printf("__dmgetpmid: metric \"%s\" -> %v\n", name, pmerr.Name)
	default:
		t.printf("__dmgetpmid: metric \"%s\" -> PMID %s\n", name, m.id)
		if m.local {
			s.masks(t, name, m.id, global)
		}
	}
}

// masks tells that the metric with an identifier hides a derived one, which may be nil.
func (s *Source) masks(t *tracer, name string, id pcp.ID, hidden *metric) {
	if hidden == nil {
		return
	}
	kind := "global"
	if hidden.local {
		kind = "per-context"
	}
	t.printf("Warning: %s [%s %s] masks %s derived metric [%s] with the same name\n",
		name, id, maskKind(id, s.recorded), kind, hidden.id)
}

// globalNamed returns the metric of the Registry with a name, or nil.
func (s *Source) globalNamed(name string) *metric {
	if d := s.reg.find(name); d != nil && number(d.id) < len(s.globals) {
		return s.globals[number(d.id)]
	}
	return nil
}

// tellChildren does what Children does, and tells of it.
func (s *Source) tellChildren(ctx context.Context, t *tracer, name string) error {
	handle := strconv.Itoa(s.handle)
	if s.namesAlone(ctx) {
		handle = "NULL"
	}
	t.printf("__dmchildren(ctx=%s, derive_locked=0, name=\"%s\", ...)\n", handle, name)
	leaf, list, err := s.tellOffspring(ctx, t, name)
	if err != nil {
		return err
	}
	regular, derived := "no regular children", "no derived children ("+pmerr.Name.Error()+")"
	children, err := s.base.Children(ctx, name)
	if err != nil {
		regular += fmt.Sprintf(" (%v)", pmerr.Of(err))
	} else {
		regular = fmt.Sprintf("%d regular children", len(children))
	}
	switch {
	case leaf:
		derived = "derived leaf"
	case len(list) > 0:
		derived = fmt.Sprintf("%d derived children", len(list))
	}
	t.printf("pmGetChildren(name=\"%s\") %s, %s\n", name, regular, derived)
	return nil
}

// tellOffspring binds the metrics at and below a node one by one, and returns the names of the node's derived children,
// or that it is a derived metric itself. Over names alone nothing can be bound.
func (s *Source) tellOffspring(ctx context.Context, t *tracer, name string) (leaf bool, list []string, err error) {
	seen, alone := make(map[string]bool), s.namesAlone(ctx)
	for _, m := range s.metrics {
		if !s.visible(m) || !below(m.name, name) {
			continue
		}
		if !alone {
			if err := s.bind(ctx, m); err != nil {
				return false, nil, err
			}
		}
		switch {
		case m.state != valid && !alone:
			t.printf("__dmchildren: name=\"%s\", omitting invalid child \"%s\"\n", name, m.name)
			continue
		case m.name == name:
			return true, nil, nil
		}
		first, _, more := strings.Cut(strings.TrimPrefix(m.name[len(name):], "."), ".")
		if seen[first] {
			continue
		}
		if seen[first] = true; t.eval() {
			status := 0
			if more {
				status = 1
			}
			t.printf("__dmchildren: offspring[%d] %s (status=%d)\n", len(list), first, status)
		}
		list = append(list, first)
	}
	return false, list, nil
}

// tellWalk tells of a walk before it is done. Over an archive it is one of nodes and their children; a daemon lists its
// names at once.
func (s *Source) tellWalk(ctx context.Context, t *tracer, name string) error {
	if !s.recorded && !s.namesAlone(ctx) {
		return s.tellTraversal(ctx, t, name)
	}
	if err := s.tellChildren(ctx, t, name); err != nil {
		return err
	}
	children, err := s.children(ctx, name)
	if err != nil {
		return nil // the walk itself will say so
	}
	for _, c := range children {
		if err := s.tellWalk(ctx, t, join(name, c.Name)); err != nil {
			return err
		}
	}
	return nil
}

// tellTraversal tells of a walk over a daemon.
func (s *Source) tellTraversal(ctx context.Context, t *tracer, name string) error {
	t.printf("__dmtraverse(ctx=%d, name=\"%s\", ...)\n", s.handle, name)
	for _, m := range s.metrics {
		if !s.visible(m) || !below(m.name, name) {
			continue
		}
		if err := s.bind(ctx, m); err != nil {
			return err
		}
		if m.state == valid {
			t.printf("__dmtraverse: name=\"%s\" added \"%s\"\n", name, m.name)
		} else {
			t.printf("__dmtraverse: name=\"%s\", omitting invalid child %s [%s]\n", name, m.name, m.id)
		}
	}
	return nil
}

// prefetched tells which operands are fetched beside what was asked for.
func (p *fetchPlan) prefetched(t *tracer) {
	added := p.base.IDs[p.asked:]
	if len(added) == 0 {
		return
	}
	var b strings.Builder
	for _, id := range added {
		b.WriteString(" " + id.String())
	}
	t.printf("derived metrics prefetch added %d metrics:%s\n", len(added), b.String())
}

// evaluated tells of the derived metrics of a fetch.
func (s *Source) evaluated(ctx context.Context, t *tracer, dst *pcp.Result) error {
	p := &s.plan
	for j, sl := range p.slots {
		m := sl.metric
		if m == nil || m.state != valid || m.alias || sl.twin >= 0 {
			continue
		}
		if m.watch == nil {
			w, err := s.watch(ctx, m)
			if err != nil {
				return err
			}
			m.watch = w
		}
		p.input.Columns = p.arguments(sl.args)
		if said := m.watch.eval(&p.input); said != "" {
			t.Print(said)
		}
		m.watch.report(t, j, &dst.Sets[j])
	}
	return nil
}

// watch returns a watch of a valid metric.
func (s *Source) watch(ctx context.Context, m *metric) (*watch, error) {
	e := env{s: s, ctx: ctx, pending: []*metric{m}}
	if err := e.prefetch(); err != nil {
		return nil, err
	}
	b := &bindTrace{env: &e, metric: m, tree: newNode(m.expr, m.number)}
	return newWatch(m, b.tree, b.checked(m.info)), nil
}

// added tells how the definition of a metric for one Source went.
func (s *Source) added(ctx context.Context, t *tracer, m *metric) {
	if !t.on() {
		return
	}
	if m.state == invalid {
		text := m.err.Error()
		if bad, ok := errors.AsType[*check.Error](m.err); ok {
			text = bad.Text
		}
		t.printf("pmAddDerived(ctx->%d): %s: bind failed: %s\n", s.handle, m.name, text)
		return
	}
	t.printf("pmAddDerived(ctx->%d): per-context metric[%d] %s = %s\n", s.handle, m.number, m.name, m.text)
	if !t.syntax() {
		return
	}
	if m.state != valid {
		t.tree(newNode(m.expr, m.number), nil)
	} else if w, err := s.watch(ctx, m); err == nil {
		t.tree(w.tree, w.shown)
	}
}
