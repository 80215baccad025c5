package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	pmapi.Recorder
}

// FetchRecord implements pmapi.Recorder.
func (l *labelledRecords) FetchRecord(ctx context.Context, req *pmapi.Request, dst *pcp.Result) (bool, error) {
	mark, err := l.Recorder.FetchRecord(ctx, req, dst)
	if err == nil && !mark {
		l.note(ctx, dst)
	}
	return mark, err
}

// note reads the labels of what is new in a result.
func (l *labelled) note(ctx context.Context, r *pcp.Result) {
	for i := range r.Sets {
		v := &r.Sets[i]
		if v.Len() == 0 {
			continue
		}
		m := l.known[v.ID]
		if m == nil {
			m = l.metric(ctx, v.ID)
			l.known[v.ID] = m
		}
		if m.indom != pcp.NullInDom && !slices.Equal(m.insts, v.Insts) {
			m.insts = append(m.insts[:0], v.Insts...)
			l.instances(ctx, m)
		}
	}
}

// metric reads the labels of a metric and of what it belongs to.
func (l *labelled) metric(ctx context.Context, id pcp.ID) *labelledMetric {
	m := &labelledMetric{indom: pcp.NullInDom}
	if list, err := l.Describe(ctx, []pcp.ID{id}); err == nil && list[0].Err == nil {
		m.indom = list[0].Value.InDom
	}
	names, _ := l.Names(ctx, id) // without a name there is nothing to label
	domains := make(map[uint32][]remotewrite.Label)
	for _, d := range []uint32{id.Domain(), m.indom.Domain()} {
		if l.host.domains[d] == nil { // written by this goroutine only
			domains[d] = l.labels(ctx, pcp.DomainLabels, d)
		}
	}
	own := append(l.labels(ctx, pcp.ClusterLabels, uint32(id)), l.labels(ctx, pcp.ItemLabels, uint32(id))...)
	var indom []remotewrite.Label
	if m.indom != pcp.NullInDom {
		indom = l.labels(ctx, pcp.InDomLabels, uint32(m.indom))
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	for d, list := range domains {
		l.host.domains[d] = slices.Concat([]remotewrite.Label{}, list) // not nil: it is known
	}
	for _, name := range names {
		l.host.metrics[name] = metricLabels{id.Domain(), own}
	}
	l.host.indoms[m.indom] = indom
	return m
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
	sets := l.sets(ctx, pcp.InstanceLabels, uint32(m.indom))
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	for i := range sets {
		l.host.insts[labelledInst{m.indom, sets[i].Inst}] = labelsOf(sets[i : i+1])
	}
}

// labels returns the labels of one level.
func (l *labelled) labels(ctx context.Context, kind pcp.LabelKind, ident uint32) []remotewrite.Label {
	return labelsOf(l.sets(ctx, kind, ident))
}

// sets returns the label sets of one level. A source without labels has none.
func (l *labelled) sets(ctx context.Context, kind pcp.LabelKind, ident uint32) []pcp.LabelSet {
	if s, ok := pmapi.As[pmapi.Labeler](l.Source); ok {
		sets, _ := s.Labels(ctx, kind, ident)
		return sets
	}
	return nil
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
	l := &labelled{Source: src, p: p, host: h, known: make(map[pcp.ID]*labelledMetric), insts: make(map[labelledInst]bool)}
	h.context = append(l.labels(ctx, pcp.ContextLabels, 0), remotewrite.Label{Name: "host", Value: own})
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, ok := p.names[own]; ok && other != host {
		err := fmt.Errorf("the host calls itself %s, as %s does: their series would be the same; --as-named labels them as they are named here", own, other)
		return nil, errors.Join(err, src.Close())
	}
	p.names[own], p.labels[host] = host, h
	if r, ok := pmapi.As[pmapi.Recorder](src); ok {
		return &labelledRecords{l, r}, nil
	}
	return l, nil
}
