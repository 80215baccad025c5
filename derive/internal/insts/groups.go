package insts

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pmtools/derive/check"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Groups knows the groups of instances that expressions make by labels: which there are, and which instance
// belongs to which. They are the instances of domains that no Source has.
type Groups struct {
	src   pmapi.Source
	line  pmapi.Timeline // nil if the Source has no past
	byDom map[pcp.InDom]*grouping
}

// A grouping is the groups of one domain. A group keeps its number as long as it is known.
type grouping struct {
	check.Grouping
	version int             // counts the times at which of was made
	since   pcp.Timestamp   // from when on the labels of all levels hold
	until   pcp.Timestamp   // and until when; zero for no end
	read    pcp.Timestamp   // when labels of a live source were read, by its clock
	inner   int             // the version of the instances, if these are groups
	of      map[int32]int32 // the group of each instance; nil if nothing is known
	base    []string        // the values of instances without labels of their own
	ids     map[string]int32
	groups  map[int32]group
}

// A group is the instances whose labels have the same values.
type group struct {
	name   string
	values []string
}

// levels are the objects whose labels an instance has, those of lower precedence first. A metric is none of
// them: an expression may have many.
var levels = [...]pcp.LabelKind{pcp.ContextLabels, pcp.DomainLabels, pcp.InDomLabels, pcp.InstanceLabels}

func identOf(kind pcp.LabelKind, d pcp.InDom) uint32 {
	switch kind {
	case pcp.ContextLabels:
		return 0
	case pcp.DomainLabels:
		return d.Domain()
	}
	return uint32(d)
}

func newGroups(src pmapi.Source) *Groups {
	g := &Groups{src: src, byDom: make(map[pcp.InDom]*grouping)}
	g.line, _ = pmapi.As[pmapi.Timeline](src)
	return g
}

// Add adds the groupings of an expression. The error is that two have the same number.
func (g *Groups) Add(list map[pcp.InDom]check.Grouping) error {
	for d, by := range list {
		switch old := g.byDom[d]; {
		case old == nil:
			g.byDom[d] = &grouping{Grouping: by, ids: make(map[string]int32), groups: make(map[int32]group)}
		case !old.Same(by):
			return fmt.Errorf("groups of %s and of %s have the same number, %s: another order of the labels changes it", old.Grouping, by, d)
		}
	}
	return nil
}

// Has reports whether a domain is that of groups.
func (g *Groups) Has(d pcp.InDom) bool { return g.byDom[d] != nil }

// Forget drops cached labels.
func (g *Groups) Forget() {
	for _, by := range g.byDom {
		by.of = nil
	}
}

// relook is the age at which labels of a live source are read again: daemons do not report each change.
const relook = time.Minute

// refresh brings a grouping up to date for instances at a time. Labels of live instances are read when one is
// not known, and now and then, those of a recording when they change.
func (g *Groups) refresh(ctx context.Context, by *grouping, insts []int32, at pcp.Timestamp) error {
	inner := 0
	if of := g.byDom[by.Of]; of != nil {
		inner = of.version
	}
	fresh := by.of != nil && inner == by.inner && (g.line == nil || by.holds(at))
	if fresh && (g.line != nil && inner == 0 || !slices.ContainsFunc(insts, by.unknown)) {
		return nil
	}
	if by.inner = inner; at != (pcp.Timestamp{}) {
		by.read = at
	}
	return g.read(ctx, by, insts, at)
}

// holds reports whether the labels that were read are those of a time.
func (by *grouping) holds(at pcp.Timestamp) bool {
	return at.Compare(by.since) >= 0 && (by.until == pcp.Timestamp{} || at.Compare(by.until) < 0)
}

func (by *grouping) unknown(inst int32) bool {
	_, ok := by.of[inst]
	return !ok
}

// read makes the groups anew.
func (g *Groups) read(ctx context.Context, by *grouping, insts []int32, at pcp.Timestamp) error {
	by.of, by.since, by.until = nil, pcp.Timestamp{}, pcp.Timestamp{}
	base := make([]string, len(by.Labels))
	var sets []pcp.LabelSet
	for _, kind := range levels {
		if g.Has(by.Of) && kind != pcp.ContextLabels {
			break
		}
		found, err := g.labels(ctx, kind, identOf(kind, by.Of), at)
		switch {
		case err != nil:
			return err
		case kind == pcp.InstanceLabels:
			sets = found.Sets
		case len(found.Sets) > 0:
			by.take(base, found.Sets[0].Labels)
		}
		if found.Since.Compare(by.since) > 0 {
			by.since = found.Since
		}
		if (by.until == pcp.Timestamp{} || found.Until.Compare(by.until) < 0) && found.Until != (pcp.Timestamp{}) {
			by.until = found.Until
		}
	}
	by.version++
	by.of = make(map[int32]int32, max(len(sets), len(insts)))
	by.base = base
	values := make([]string, len(base))
	for i := range sets {
		copy(values, base)
		by.take(values, sets[i].Labels)
		by.of[sets[i].Inst] = by.id(values)
	}
	inner := g.byDom[by.Of]
	for _, inst := range insts {
		if !by.unknown(inst) {
			continue
		}
		if copy(values, base); inner != nil {
			by.inherit(values, inner.Labels, inner.groups[inst].values)
		}
		by.of[inst] = by.id(values)
	}
	if g.line == nil {
		by.prune()
	}
	return nil
}

// labels returns the labels of an object at a time. A source that does not have them has none; one that does
// not answer is an error.
func (g *Groups) labels(ctx context.Context, kind pcp.LabelKind, ident uint32, at pcp.Timestamp) (labels pcp.ObjectLabels, err error) {
	found, err := g.src.Labels(ctx, kind, []uint32{ident}, pmapi.At(at))
	if err == nil {
		labels, err = found[0].Value, found[0].Err
	}
	if ctx.Err() != nil || errors.Is(err, pmerr.IPC) || errors.Is(err, pmerr.Timeout) || errors.Is(err, pmerr.NoContext) {
		return pcp.ObjectLabels{}, cmp.Or(ctx.Err(), err)
	}
	return labels, nil
}

// take sets the values of those labels that the grouping is by.
func (by *grouping) take(values []string, labels []pcp.Label) {
	for i, name := range by.Labels {
		for k := range labels {
			if labels[k].Name == name {
				values[i] = labelText(labels[k].Value)
			}
		}
	}
}

// inherit sets the values of labels that groups have.
func (by *grouping) inherit(values []string, names, of []string) {
	for i, name := range by.Labels {
		if k := slices.Index(names, name); k >= 0 && k < len(of) {
			values[i] = of[k]
		}
	}
}

// labelText returns the value of a label, which is JSON: a string without its quotes, nothing for null, and
// everything else as it is.
func labelText(value string) string {
	text := ""
	if value == "null" || strings.HasPrefix(value, `"`) && json.Unmarshal([]byte(value), &text) == nil {
		return text
	}
	return value
}

// id returns the number of the group with the given values of labels: the first 31 bits of the MD5 sum of its
// name, so that it is the same wherever the group appears. Of 100,000 groups two or three have the same bits;
// the later one has the next number that is free.
func (by *grouping) id(values []string) int32 {
	name := pcp.GroupName(values)
	if id, ok := by.ids[name]; ok {
		return id
	}
	sum := md5.Sum([]byte(name))
	id := int32(binary.BigEndian.Uint32(sum[:]) >> 1)
	for taken := true; taken; {
		if _, taken = by.groups[id]; taken {
			id = (id + 1) & math.MaxInt32
		}
	}
	by.ids[name], by.groups[id] = id, group{name, slices.Clone(values)}
	return id
}

// prune forgets the groups that have no instances any more, if these are many.
func (by *grouping) prune() {
	const few = 1024
	if len(by.groups) <= few+2*len(by.of) {
		return
	}
	used := make(map[int32]bool)
	for _, id := range by.of {
		used[id] = true
	}
	for id, x := range by.groups {
		if !used[id] {
			delete(by.groups, id)
			delete(by.ids, x.name)
		}
	}
}

// Of sets the group of each instance at a time; see eval.Grouper.
func (g *Groups) Of(ctx context.Context, d pcp.InDom, known int, insts, groups []int32, at pcp.Timestamp) (version int, err error) {
	by := g.byDom[d]
	if by == nil {
		return 0, pmerr.InDom
	}
	if g.line == nil && at != (pcp.Timestamp{}) && math.Abs(at.Sub(by.read)) >= relook.Seconds() {
		by.of = nil
	}
	if known != 0 && known == by.version && by.of != nil && g.line == nil && !g.Has(by.Of) {
		return known, nil
	}
	if err := g.refresh(ctx, by, insts, at); err != nil || known == by.version {
		return by.version, err
	}
	for i, inst := range insts {
		id, ok := by.of[inst]
		if !ok {
			id = by.id(by.base)
		}
		groups[i] = id
	}
	return by.version, nil
}
