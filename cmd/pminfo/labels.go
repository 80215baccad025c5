package main

import (
	"context"
	"crypto/sha1"
	"fmt"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A labelCache keeps the labels of one level from the last lookup. The reference does so, which is
// visible in an archive: a metric gets the labels of the time when they were first looked up, not
// those of its own record.
type labelCache struct {
	ident uint32
	sets  []pcp.LabelSet
}

type labelKey struct {
	kind  pcp.LabelKind
	ident uint32
}

// keyOf returns the key of what Labels takes: all metrics of a cluster have one.
func keyOf(kind pcp.LabelKind, ident uint32) labelKey {
	if kind == pcp.ClusterLabels {
		ident &^= 0x3ff
	}
	return labelKey{kind, ident}
}

// listLabels asks for the labels that metrics need, at once unless the lines of each call are to stand where its
// labels are needed.
func (r *reporter) listLabels(ctx context.Context, ms []metric) {
	if len(ms) == 1 || r.traced || !r.show.series && !r.show.labels {
		return
	}
	r.given = make(map[labelKey][]pcp.LabelSet)
	var idents [pcp.InstanceLabels + 1][]uint32
	want := func(kind pcp.LabelKind, ident uint32) {
		k := keyOf(kind, ident)
		if _, ok := r.given[k]; !ok {
			r.given[k] = nil
			idents[kind] = append(idents[kind], k.ident)
		}
	}
	for i := range ms {
		if m := &ms[i]; m.noDesc == nil {
			want(pcp.DomainLabels, m.desc.ID.Domain())
			if d := m.desc.InDom; d != pcp.NullInDom {
				want(pcp.DomainLabels, d.Domain())
				want(pcp.InDomLabels, uint32(d))
				want(pcp.InstanceLabels, uint32(d))
			}
			want(pcp.ClusterLabels, uint32(m.desc.ID))
			want(pcp.ItemLabels, uint32(m.desc.ID))
		}
	}
	for kind, list := range idents {
		kind := pcp.LabelKind(kind)
		found, err := r.src.Labels(ctx, kind, list, pmapi.Now())
		for i, ident := range list {
			if err != nil {
				delete(r.given, labelKey{kind, ident}) // each is asked for by itself then
			} else if found[i].Err == nil {
				r.given[labelKey{kind, ident}] = found[i].Value.Sets
			}
		}
	}
}

// labelsOf returns the labels of one level; for InstanceLabels of all instances that have some.
func (r *reporter) labelsOf(ctx context.Context, kind pcp.LabelKind, ident uint32) []pcp.LabelSet {
	if sets, ok := r.given[keyOf(kind, ident)]; ok {
		return sets
	}
	same := keyOf(kind, ident).ident
	c := r.labelled[kind]
	if c == nil || c.ident != same {
		c = &labelCache{ident: same}
		// In an archive the reference looks for the labels of a cluster by the identifier of a
		// metric, and finds them only if its item is 0. Series identifiers depend on it.
		if _, recorded := pmapi.As[pmapi.Timeline](r.src); !recorded || kind != pcp.ClusterLabels || ident == same {
			c.sets = r.lookupLabels(ctx, kind, ident)
		}
		r.labelled[kind] = c
	}
	return c.sets
}

// lookupLabels asks the source for labels. An archive without context labels has one, the host's
// name.
func (r *reporter) lookupLabels(ctx context.Context, kind pcp.LabelKind, ident uint32) []pcp.LabelSet {
	var sets []pcp.LabelSet
	if s, err := pmapi.LabelsOf(ctx, r.src, kind, ident); err == nil {
		sets = s
	}
	if kind == pcp.ContextLabels && len(sets) == 0 {
		if _, recorded := pmapi.As[pmapi.Timeline](r.src); recorded {
			host, _ := r.src.Host()
			l := pcp.Label{Name: "hostname", Value: strconv.Quote(host), Flags: uint8(pcp.ContextLabels)}
			sets = []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{l}}}
		}
	}
	return sets
}

func (r *reporter) merge(ctx context.Context, below []pcp.Label, kind pcp.LabelKind, ident uint32) []pcp.Label {
	for _, s := range r.labelsOf(ctx, kind, ident) {
		below = pcp.MergeLabels(below, s.Labels)
	}
	return below
}

func (r *reporter) indomLabels(ctx context.Context, d pcp.InDom) []pcp.Label {
	l := r.merge(ctx, nil, pcp.ContextLabels, 0)
	if d == pcp.NullInDom {
		return l
	}
	l = r.merge(ctx, l, pcp.DomainLabels, d.Domain())
	return r.merge(ctx, l, pcp.InDomLabels, uint32(d))
}

// metricLabels returns the labels of all values of a metric. The domain is the metric's own or, for
// its instances, that of the instance domain: the two differ in derived metrics.
func (r *reporter) metricLabels(ctx context.Context, d *pcp.Desc, domain uint32) []pcp.Label {
	l := r.merge(ctx, nil, pcp.ContextLabels, 0)
	l = r.merge(ctx, l, pcp.DomainLabels, domain)
	if d.InDom != pcp.NullInDom {
		l = r.merge(ctx, l, pcp.InDomLabels, uint32(d.InDom))
	}
	l = r.merge(ctx, l, pcp.ClusterLabels, uint32(d.ID))
	return r.merge(ctx, l, pcp.ItemLabels, uint32(d.ID))
}

type labelled struct {
	inst        int32
	name, shown string // shown where the instance has a name; the reference hashes another where it has none
	own         []pcp.Label
}

// instances returns the instances of a domain that have label sets or, if there are no sets, all.
func (r *reporter) instances(ctx context.Context, d pcp.InDom) []labelled {
	names := r.names(ctx, d)
	sets := r.labelsOf(ctx, pcp.InstanceLabels, uint32(d))
	if len(sets) == 0 {
		for _, in := range names.insts {
			sets = append(sets, pcp.LabelSet{Inst: in.ID})
		}
	}
	list := make([]labelled, len(sets))
	for i, s := range sets {
		list[i] = labelled{s.Inst, "???", disappeared, s.Labels}
		if name, ok := names.Find(s.Inst); ok {
			list[i].name, list[i].shown = name, name
		}
	}
	return list
}

func (r *reporter) instanceSeries(ctx context.Context, d *pcp.Desc, list []labelled) []string {
	shared := r.indomLabels(ctx, d.InDom)
	ids := make([]string, len(list))
	for i, in := range list {
		ids[i] = identifier(`{"series":"instance","name":"%s","labels":%s}`, in.name, pcp.AppendLabels(nil, pcp.MergeLabels(shared, in.own)))
	}
	return ids
}

func (r *reporter) instanceLabels(ctx context.Context, d *pcp.Desc, list []labelled) []string {
	shared := r.metricLabels(ctx, d, d.InDom.Domain())
	labels := make([]string, len(list))
	for i, in := range list {
		labels[i] = string(pcp.AppendLabels(nil, pcp.MergeLabels(shared, in.own)))
	}
	return labels
}

func (r *reporter) printInstances(ctx context.Context, d *pcp.Desc) {
	if d.InDom == pcp.NullInDom {
		return
	}
	list := r.instances(ctx, d.InDom)
	print := func(what string, texts []string) {
		for i, in := range list {
			fmt.Fprintf(r.out, "    inst [%d or \"%s\"] %s %s\n", in.inst, in.shown, what, texts[i])
		}
	}
	if r.show.series {
		print("series", r.instanceSeries(ctx, d, list))
	}
	if r.show.labels {
		print("labels", r.instanceLabels(ctx, d, list))
	}
}

func (r *reporter) printSeries(ctx context.Context, m *metric) {
	source := pcp.AppendLabels(nil, pcp.WithoutOptional(r.merge(ctx, nil, pcp.ContextLabels, 0)))
	fmt.Fprintf(r.out, "    Source: %s\n", identifier(`{"series":"source","labels":%s}`, source))
	fmt.Fprintf(r.out, "    Series: %s\n", r.series(ctx, m))
}

// series returns the series identifier of a metric. Optional labels are not part of an identity.
func (r *reporter) series(ctx context.Context, m *metric) string {
	d := &m.desc
	labels := pcp.AppendLabels(nil, pcp.WithoutOptional(r.metricLabels(ctx, d, d.ID.Domain())))
	return identifier(`{"series":"metric","name":"%s","labels":%s,"semantics":"%s","type":"%s","units":"%s"}`,
		m.name, labels, d.Sem, d.Type, d.Units)
}

// identifier returns the identifier of a series: the SHA-1 of a formatted text, in hexadecimal (commands.md T5.7).
func identifier(format string, args ...any) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, format, args...)))
}
