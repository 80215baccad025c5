package sourcetest

import (
	"errors"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A question is a name with the answer that Lookup must give: an identifier, or one of some errors.
type question struct {
	name string
	id   pcp.ID
	errs []pmerr.Code
}

// lookup looks up good and bad names in one request, in both orders.
func (k *kit) lookup() {
	qs := k.questions()
	k.ask(qs)
	slices.Reverse(qs)
	k.ask(qs)
	k.ask(nil)
	for _, q := range qs {
		if q.errs != nil {
			k.ask([]question{q})
		}
	}
}

func (k *kit) questions() []question {
	var bad, all []question
	for inner, code := range k.innerNodes() {
		q := question{inner, pcp.NullID, []pmerr.Code{code}}
		if code == pmerr.Name { // no stored metric is below
			q.errs = append(q.errs, pmerr.NonLeaf)
		}
		bad = append(bad, q)
	}
	slices.SortFunc(bad, func(a, b question) int { return strings.Compare(a.name, b.name) })
	unknown := []string{"", ".", "no_such_metric", "no.such.metric", "no_such_metric."}
	for _, l := range k.leaves {
		if !dynamicRoot(l.id) && len(unknown) < 40 {
			unknown = append(unknown, l.name+".no_such_metric", l.name+"_no_such_metric", l.name+".", "."+l.name)
		}
	}
	for _, name := range unknown {
		bad = append(bad, question{name, pcp.NullID, []pmerr.Code{pmerr.Name}})
	}
	for i, l := range k.leaves {
		all = append(all, question{l.name, l.id, nil})
		if i < len(bad) {
			all = append(all, bad[i])
		}
	}
	all = append(all, bad[min(len(k.leaves), len(bad)):]...)
	if len(k.leaves) > 0 {
		all = append(all, all[0]) // the same name twice
	}
	return all
}

func (k *kit) ask(qs []question) {
	var names []string
	for _, q := range qs {
		names = append(names, q.name)
	}
	rs, err := k.src.Lookup(k.ctx, names)
	if err != nil || len(rs) != len(qs) {
		k.errorf("Lookup(%q): %d results, error %v; want %d results", names, len(rs), err, len(qs))
		return
	}
	for i, q := range qs {
		switch r := rs[i]; {
		case q.errs == nil && (r.Value != q.id || r.Err != nil):
			k.errorf("Lookup of %d names: %q, number %d, is %v, error %v; Walk says %v", len(qs), q.name, i, r.Value, r.Err, q.id)
		case q.errs != nil && (r.Value != pcp.NullID || !isAny(r.Err, q.errs...)):
			k.errorf("Lookup of %d names: %q, number %d, is %v, error %v; want %v, error %v", len(qs), q.name, i, r.Value, r.Err, pcp.NullID, q.errs[0])
		}
	}
}

// innerNodes returns the inner nodes with the error of looking them up. A node with only derived metrics
// below it may be unknown (derived.md D6.2).
func (k *kit) innerNodes() map[string]pmerr.Code {
	inner := make(map[string]pmerr.Code)
	for _, l := range k.leaves {
		for i, c := range l.name {
			switch {
			case c != '.':
			case !l.id.IsDerived():
				inner[l.name[:i]] = pmerr.NonLeaf
			case inner[l.name[:i]] == 0:
				inner[l.name[:i]] = pmerr.Name
			}
		}
	}
	return inner
}

// dynamicRoot reports whether id stands for all names below one.
func dynamicRoot(id pcp.ID) bool {
	return id != pcp.NullID && id.Domain() == pcp.DynamicDomain && id.Item() == 0
}

func (k *kit) namesOf() {
	for _, l := range k.leaves {
		names, err := k.src.Names(k.ctx, l.id)
		if err != nil || !slices.Contains(names, l.name) {
			k.errorf("Names(%v): %q, error %v; want %q among them", l.id, names, err, l.name)
			continue
		}
		for i, name := range names {
			if !slices.Contains(k.leaves, leaf{name, l.id}) || slices.Contains(names[:i], name) {
				k.errorf("Names(%v): %q has a name that Walk does not show, or one twice", l.id, names)
			}
		}
	}
	for _, id := range []pcp.ID{k.unknownID(), pcp.NullID} {
		if names, err := k.src.Names(k.ctx, id); !errors.Is(err, pmerr.PMID) || len(names) > 0 {
			k.errorf("Names(%v): %q, error %v; want error %v", id, names, err, pmerr.PMID)
		}
	}
}

func (k *kit) children() {
	found := k.descend("", 0)
	for _, l := range k.leaves {
		if !slices.Contains(found, l.name) {
			k.errorf("Walk shows %q, Children does not", l.name)
		}
	}
	for _, name := range k.unknown() {
		if list, err := k.src.Children(k.ctx, name); !errors.Is(err, pmerr.Name) || len(list) > 0 {
			k.errorf("Children(%q): %v, error %v; want error %v", name, list, err, pmerr.Name)
		}
	}
}

func (k *kit) unknown() []string {
	names := []string{"no_such_metric", "no.such.metric"}
	if len(k.leaves) > 0 {
		names = append(names, k.leaves[0].name+".no_such_metric", k.leaves[0].name+"_no_such_metric")
	}
	return names
}

func (k *kit) descend(node string, depth int) (found []string) {
	list, err := k.src.Children(k.ctx, node)
	if err != nil {
		k.errorf("Children(%q): %v", node, err)
		return nil
	}
	if depth > 64 {
		k.errorf("Children: no end below %q", node)
		return nil
	}
	seen := make(map[string]bool)
	for _, c := range list {
		name := strings.TrimPrefix(node+"."+c.Name, ".")
		i := slices.IndexFunc(k.leaves, func(l leaf) bool { return l.name == name })
		isLeaf := i >= 0 && !dynamicRoot(k.leaves[i].id)
		switch {
		case c.Name == "" || strings.Contains(c.Name, ".") || seen[c.Name]:
			k.errorf("Children(%q): %v has an empty name, one with a dot, or one twice", node, list)
			continue
		case c.Leaf != isLeaf:
			k.errorf("Children(%q): %q is a leaf: %t; by Walk: %t", node, c.Name, c.Leaf, isLeaf)
		}
		seen[c.Name] = true
		if i >= 0 {
			found = append(found, name)
		}
		below := k.descend(name, depth+1)
		if i >= 0 && len(below) > 0 {
			k.errorf("Children: leaf %q has %q below it", name, below)
		} else if i < 0 && len(below) == 0 {
			k.errorf("Children: inner node %q has nothing below it", name)
		}
		found = append(found, below...)
	}
	return found
}

func (k *kit) walk() {
	prefixes := []string{""}
	for name := range k.innerNodes() {
		prefixes = append(prefixes, name)
	}
	for i, l := range k.leaves {
		prefixes = append(prefixes, l.name)
		if j := slices.IndexFunc(k.leaves, func(m leaf) bool { return m.name == l.name }); j != i {
			k.errorf("Walk shows %q twice, for %v and %v", l.name, k.leaves[j].id, l.id)
		}
	}
	for _, prefix := range prefixes {
		var want []leaf
		for _, l := range k.leaves {
			if prefix == "" || l.name == prefix || strings.HasPrefix(l.name, prefix+".") {
				want = append(want, l)
			}
		}
		if got, err := k.walkUntil(prefix, -1); err != nil || !slices.Equal(got, want) {
			k.errorf("Walk(%q): %v, error %v; Walk from the root shows %v", prefix, got, err, want)
		}
		for _, stop := range []int{1, 2, len(want) - 1} {
			if stop < 1 || stop > len(want) {
				continue
			}
			if got, err := k.walkUntil(prefix, stop); err != nil || !slices.Equal(got, want[:stop]) {
				k.errorf("Walk(%q), stopped at number %d: %v, error %v; want %v", prefix, stop, got, err, want[:stop])
			}
		}
	}
	for _, name := range k.unknown() {
		if got, err := k.walkUntil(name, -1); !errors.Is(err, pmerr.Name) || len(got) > 0 {
			k.errorf("Walk(%q): %v, error %v; want error %v", name, got, err, pmerr.Name)
		}
	}
}

// walkUntil returns the leaves that Walk visits; from leaf number n on its function returns false.
// Without identifiers it must visit the same names.
func (k *kit) walkUntil(prefix string, n int) (got []leaf, err error) {
	err = k.src.Walk(k.ctx, prefix, true, func(name string, id pcp.ID) bool {
		got = append(got, leaf{name, id})
		return n < 0 || len(got) < n
	})
	var alone []leaf
	bad := k.src.Walk(k.ctx, prefix, false, func(name string, _ pcp.ID) bool {
		alone = append(alone, leaf{name: name})
		return n < 0 || len(alone) < n
	})
	if !slices.EqualFunc(got, alone, func(a, b leaf) bool { return a.name == b.name }) || (bad == nil) != (err == nil) {
		k.errorf("Walk(%q) without identifiers, stopped at number %d: %v, error %v; with them %v, error %v", prefix, n, alone, bad, got, err)
	}
	return got, err
}
