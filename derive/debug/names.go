package debug

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// LookedUp implements derive.Observer. It prints that a name masks others or, if the Source below
// does not have it, that it was tried as the name of a derived metric.
func (p *Printer) LookedUp(l *derive.Resolution) {
	m := l.Visible
	switch {
	case l.Err == nil:
		p.masks(l, l.ID, l.Global)
		if m != nil && m.Local {
			p.masks(l, l.ID, m)
		}
	case m == nil:
		p.printf("__dmgetpmid: metric \"%s\" -> %v\n", l.Name, pmerr.Name)
	default:
		p.printf("__dmgetpmid: metric \"%s\" -> PMID %s\n", l.Name, m.ID)
		if m.Local {
			p.masks(l, m.ID, l.Global)
		}
	}
}

// masks prints that the metric with an identifier hides a derived one, which may be nil.
func (p *Printer) masks(l *derive.Resolution, id pcp.ID, hidden *derive.Metric) {
	if hidden == nil {
		return
	}
	kind := "global"
	if hidden.Local {
		kind = "per-context"
	}
	p.printf("Warning: %s [%s %s] masks %s derived metric [%s] with the same name\n",
		l.Name, id, maskKind(id, l.Source.Recorded), kind, hidden.ID)
}

func maskKind(id pcp.ID, recorded bool) string {
	kind := "host context"
	if recorded {
		kind = "archive context"
	}
	switch {
	case id.IsDerived():
		return "derived"
	case id.Domain() == pcp.DynamicDomain:
		return kind + ", remapped"
	}
	return kind
}

// Listed implements derive.Observer.
func (p *Printer) Listed(l *derive.Listing) {
	switch n := len(l.Metrics); {
	case l.Done:
		p.listed(l)
	case n == 0 && l.Walk:
		p.printf("__dmtraverse(ctx=%d, name=\"%s\", ...)\n", l.Source.Number, l.Name)
	case n == 0:
		handle := strconv.Itoa(l.Source.Number)
		if l.Source.NamesOnly {
			handle = "NULL"
		}
		p.printf("__dmchildren(ctx=%s, derive_locked=0, name=\"%s\", ...)\n", handle, l.Name)
	case l.Walk:
		p.walked(l, l.Metrics[n-1])
	default:
		p.listedMetric(l, l.Metrics[n-1])
	}
}

func (p *Printer) walked(l *derive.Listing, m *derive.Metric) {
	if m.Valid {
		p.printf("__dmtraverse: name=\"%s\" added \"%s\"\n", l.Name, m.Name())
	} else {
		p.printf("__dmtraverse: name=\"%s\", omitting invalid child %s [%s]\n", l.Name, m.Name(), m.ID)
	}
}

func (p *Printer) listedMetric(l *derive.Listing, m *derive.Metric) {
	leaf, before := offspring(l, l.Metrics[:len(l.Metrics)-1])
	switch {
	case leaf:
	case !m.Valid && !l.Source.NamesOnly:
		p.printf("__dmchildren: name=\"%s\", omitting invalid child \"%s\"\n", l.Name, m.Name())
	case m.Name() != l.Name && p.on(Eval):
		if child, more := childOf(l.Name, m); !slices.Contains(before, child) {
			p.printf("__dmchildren: offspring[%d] %s (status=%d)\n", len(before), child, digit(more))
		}
	}
}

func (p *Printer) listed(l *derive.Listing) {
	regular := fmt.Sprintf("%d regular children", l.Children)
	if l.Err != nil {
		regular = fmt.Sprintf("no regular children (%v)", pmerr.Of(l.Err))
	}
	leaf, names := offspring(l, l.Metrics)
	derived := fmt.Sprintf("%d derived children", len(names))
	switch {
	case leaf:
		derived = "derived leaf"
	case len(names) == 0:
		derived = "no derived children (" + pmerr.Name.Error() + ")"
	}
	p.printf("pmGetChildren(name=\"%s\") %s, %s\n", l.Name, regular, derived)
}

// offspring returns the names of a node's children among metrics, or that one of them is the node
// itself, which ends the search.
func offspring(l *derive.Listing, metrics []*derive.Metric) (leaf bool, names []string) {
	for _, m := range metrics {
		switch {
		case !m.Valid && !l.Source.NamesOnly:
			continue
		case m.Name() == l.Name:
			return true, nil
		}
		if child, _ := childOf(l.Name, m); !slices.Contains(names, child) {
			names = append(names, child)
		}
	}
	return false, names
}

// childOf returns the child of a node that a metric stands at, or, if there is more of its name,
// below.
func childOf(node string, m *derive.Metric) (child string, more bool) {
	child, _, more = strings.Cut(strings.TrimPrefix(m.Name()[len(node):], "."), ".")
	return child, more
}
