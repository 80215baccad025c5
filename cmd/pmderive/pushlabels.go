package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/remotewrite"
)

// This file takes PCP's labels to the series of a push. Each source is wrapped: the labels of a
// metric, and of its instances, are read when they are first fetched, by the goroutine that
// fetches, since nobody else may use the source.

// A hostLabels has the labels of a host.
type hostLabels struct {
	context []remotewrite.Label // and the label host
	domains map[uint32][]remotewrite.Label
	metrics map[string]metricLabels // by their names
	indoms  map[pcp.InDom][]remotewrite.Label
	insts   map[labelledInst][]remotewrite.Label
}

// A metricLabels has the labels of a metric: its domain, and those of its cluster and item.
type metricLabels struct {
	domain uint32
	own    []remotewrite.Label
}

// itemBits are those that metrics of a cluster differ in.
const itemBits = 1<<10 - 1

// A labelledInst is an instance.
type labelledInst struct {
	indom pcp.InDom
	id    int32
}

// of returns the labels of a value, those that count more after the others. Expressions that are no
// metrics of the source have those of their instances.
func (h *hostLabels) of(metric string, d pcp.InDom, inst int32) []remotewrite.Label {
	m, ok := h.metrics[metric]
	if !ok {
		m.domain = d.Domain()
	}
	list := slices.Clone(h.context)
	if ok || d != pcp.NullInDom {
		list = append(list, h.domains[m.domain]...)
	}
	list = append(append(list, h.indoms[d]...), m.own...)
	return append(list, h.insts[labelledInst{d, inst}]...)
}

// A labelled is a source whose labels are noted.
type labelled struct {
	pmapi.Source
	p     *push
	host  *hostLabels // guarded by p.mu
	names map[pcp.ID][]string
	known map[pcp.ID]*labelledMetric
	insts map[labelledInst]bool // whose labels have been read
}

// A labelledMetric is a metric whose labels have been read.
type labelledMetric struct {
	indom pcp.InDom
	insts []int32 // of the last fetch
}

// Unwrap implements pmapi.Wrapper.
func (l *labelled) Unwrap() pmapi.Source { return l.Source }

// Lookup implements pmapi.Source. Names are remembered, which saves asking for them.
func (l *labelled) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	list, err := l.Source.Lookup(ctx, names)
	for i := range list {
		if id := list[i].Value; list[i].Err == nil && !slices.Contains(l.names[id], names[i]) {
			l.names[id] = append(l.names[id], names[i])
		}
	}
	return list, err
}

// Fetch implements pmapi.Source.
func (l *labelled) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := l.Source.Fetch(ctx, req, dst)
	if err == nil {
		l.note(ctx, dst)
	}
	return err
}

// A labelledRecords is a labelled with records.
type labelledRecords struct {
	*labelled
	pmapi.Timeline
}

// FetchRecord implements pmapi.Timeline.
func (l *labelledRecords) FetchRecord(ctx context.Context, req *pmapi.Request, dst *pcp.Result) (bool, error) {
	mark, err := l.Timeline.FetchRecord(ctx, req, dst)
	if err == nil && !mark {
		l.note(ctx, dst)
	}
	return mark, err
}

// note reads the labels of what is new in a result.
func (l *labelled) note(ctx context.Context, r *pcp.Result) {
	var fresh []pcp.ID
	for i := range r.Sets {
		if v := &r.Sets[i]; v.Len() > 0 && l.known[v.ID] == nil {
			l.known[v.ID] = &labelledMetric{indom: pcp.NullInDom}
			fresh = append(fresh, v.ID)
		}
	}
	if fresh != nil {
		l.metrics(ctx, fresh)
	}
	for i := range r.Sets {
		v := &r.Sets[i]
		if m := l.known[v.ID]; m != nil && m.indom != pcp.NullInDom && !slices.Equal(m.insts, v.Insts) {
			m.insts = append(m.insts[:0], v.Insts...)
			l.instances(ctx, m)
		}
	}
}

// metrics reads the labels of metrics and of what they belong to.
func (l *labelled) metrics(ctx context.Context, ids []pcp.ID) {
	descs, err := l.Describe(ctx, ids)
	if err != nil {
		return // the next fetch fails too
	}
	var domains, clusters, items, indoms []uint32
	for i, id := range ids {
		domains, clusters, items = append(domains, id.Domain()), append(clusters, uint32(id)&^itemBits), append(items, uint32(id))
		if d := descs[i].Value.InDom; descs[i].Err == nil && d != pcp.NullInDom {
			l.known[id].indom = d
			domains, indoms = append(domains, d.Domain()), append(indoms, uint32(d))
		}
		if l.names[id] == nil {
			l.names[id], _ = l.Names(ctx, id) // without a name there is nothing to label
		}
	}
	ofDomains, ofIndoms := l.labels(ctx, pcp.DomainLabels, domains), l.labels(ctx, pcp.InDomLabels, indoms)
	ofClusters, ofItems := l.labels(ctx, pcp.ClusterLabels, clusters), l.labels(ctx, pcp.ItemLabels, items)
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	maps.Copy(l.host.domains, ofDomains)
	for d, list := range ofIndoms {
		l.host.indoms[pcp.InDom(d)] = list
	}
	for _, id := range ids {
		for _, name := range l.names[id] {
			l.host.metrics[name] = metricLabels{id.Domain(), slices.Concat(ofClusters[uint32(id)&^itemBits], ofItems[uint32(id)])}
		}
	}
}

// instances reads the labels of the instances of a domain if there are new ones.
func (l *labelled) instances(ctx context.Context, m *labelledMetric) {
	fresh := false
	for _, id := range m.insts {
		in := labelledInst{m.indom, id}
		fresh = fresh || !l.insts[in]
		l.insts[in] = true
	}
	if !fresh {
		return
	}
	sets, _ := l.Source.Labels(ctx, pcp.InstanceLabels, uint32(m.indom)) // a domain without labels is an error too
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	for i := range sets {
		l.host.insts[labelledInst{m.indom, sets[i].Inst}] = labelsOf(sets[i : i+1])
	}
}

// labels returns the labels of objects of one level. A source without labels has none.
func (l *labelled) labels(ctx context.Context, kind pcp.LabelKind, idents []uint32) map[uint32][]remotewrite.Label {
	slices.Sort(idents)
	idents = slices.Compact(idents)
	out := make(map[uint32][]remotewrite.Label)
	list, _ := pmapi.LabelsOf(ctx, l.Source, kind, idents)
	for i := range list {
		out[idents[i]] = labelsOf(list[i].Value)
	}
	return out
}

// labelsOf returns labels without the optional ones. Strings lose their quotes, other values stay
// as they are in JSON.
func labelsOf(sets []pcp.LabelSet) (list []remotewrite.Label) {
	for _, set := range sets {
		for _, l := range pcp.WithoutOptional(set.Labels) {
			text := l.Value
			if json.Unmarshal([]byte(l.Value), &text) != nil && strings.HasPrefix(l.Value, `"`) {
				continue
			}
			list = append(list, remotewrite.Label{Name: remotewrite.LabelName(l.Name), Value: text})
		}
	}
	return list
}

// opened returns open for a source whose labels are noted.
func (p *push) opened(open func(ctx context.Context, kind, name string) (pmapi.Source, error)) func(context.Context, string, string) (pmapi.Source, error) {
	return func(ctx context.Context, kind, name string) (pmapi.Source, error) {
		src, err := open(ctx, kind, name)
		if err != nil {
			return nil, err
		}
		return p.label(ctx, src, "")
	}
}

// openedHost is opened for one of several hosts.
func (p *push) openedHost(open func(ctx context.Context, name string) (pmapi.Source, error)) func(context.Context, string) (pmapi.Source, error) {
	return func(ctx context.Context, name string) (pmapi.Source, error) {
		src, err := open(ctx, name)
		if err != nil {
			return nil, err
		}
		return p.label(ctx, src, pmcd.Redact(name))
	}
}

// label notes the labels of a source's context, and its host, and returns it wrapped. After an error
// it is closed.
func (p *push) label(ctx context.Context, src pmapi.Source, host string) (pmapi.Source, error) {
	own := host
	if !p.asNamed || host == "" {
		own, _ = pmapi.HostName(ctx, src) // beside an error there is a guess, which is good enough
	}
	h := &hostLabels{
		domains: make(map[uint32][]remotewrite.Label), metrics: make(map[string]metricLabels),
		indoms: make(map[pcp.InDom][]remotewrite.Label), insts: make(map[labelledInst][]remotewrite.Label),
	}
	l := &labelled{Source: src, p: p, host: h, names: make(map[pcp.ID][]string), known: make(map[pcp.ID]*labelledMetric), insts: make(map[labelledInst]bool)}
	h.context = append(l.labels(ctx, pcp.ContextLabels, []uint32{0})[0], remotewrite.Label{Name: "host", Value: own})
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, ok := p.names[own]; ok && other != host {
		err := fmt.Errorf("the host calls itself %s, as %s does: their series would be the same; --as-named labels them as they are named here", own, other)
		return nil, errors.Join(err, src.Close())
	}
	p.names[own], p.labels[host] = host, h
	if r, ok := pmapi.As[pmapi.Timeline](src); ok {
		return &labelledRecords{l, r}, nil
	}
	return l, nil
}
