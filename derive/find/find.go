// Package find answers which metrics a few words are about.
//
// [New] reads the names, help texts, instances, labels and definitions of a source into an [Index].
// [Index.Find] ranks the metrics that the words of a question match: as they are, in another form
// ("disks"), as a part of a longer word of a name ("mem" in "physmem"), or by a synonym of the field
// ("latency" for "await"). A [Finder] keeps an Index, and adds to each metric its description and an
// example value.
package find

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Bounds of an Index. Metrics, text and instances beyond them are not searched.
const (
	maxMetrics   = 1 << 20
	maxText      = 4096 // bytes of a help text
	maxInstances = 2000 // of a domain
	maxLabelled  = 2000 // instances of a domain with labels
	batch        = 1000 // metrics that are asked about at once
	domainBatch  = 16
)

// A metric is a metric of an Index.
type metric struct {
	name  string
	id    pcp.ID
	words uint8 // in the name
	empty bool  // its domain has no instances
}

// New reads an Index from src. Expression returns how a derived metric of a name is defined, "" for
// others. The error is that of ctx, of the walk over names or of a lost connection; a source without
// texts, instances or labels is searched by what it has.
func New(ctx context.Context, src pmapi.Source, expression func(name string) string) (*Index, error) {
	ix := newIndex()
	err := src.Walk(ctx, "", func(name string, id pcp.ID) bool {
		if len(ix.metrics) == maxMetrics {
			ix.cut = true
			return false
		}
		ix.metrics = append(ix.metrics, metric{name: name, id: id})
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	slices.SortFunc(ix.metrics, func(a, b metric) int { return cmp.Compare(a.name, b.name) })
	r := &reader{Index: ix, src: src, groups: make(map[pmapi.LabelObject]int32), expression: expression}
	for from := 0; from < len(ix.metrics); from += batch {
		if err := r.metrics(ctx, from, min(from+batch, len(ix.metrics))); err != nil {
			return nil, err
		}
	}
	if err := r.instances(ctx); err != nil {
		return nil, err
	}
	if err := r.labels(ctx); err != nil {
		return nil, err
	}
	ix.finish()
	return ix, nil
}

// A reader reads an Index from a source.
type reader struct {
	*Index
	src        pmapi.Source
	expression func(name string) string
	groups     map[pmapi.LabelObject]int32 // of the metrics that share an object
	objects    []pmapi.LabelObject         // the keys of groups in their order
}

// fatal returns an error after which the source has no more answers, or nil.
func fatal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, pmerr.IPC) || errors.Is(err, pmerr.NoContext) {
		return err
	}
	return nil
}

// metrics reads the metrics of a batch.
func (r *reader) metrics(ctx context.Context, from, to int) error {
	ids := make([]pcp.ID, 0, to-from)
	for _, m := range r.Index.metrics[from:to] {
		ids = append(ids, m.id)
	}
	descs, err := r.src.Describe(ctx, ids)
	if bad := fatal(ctx, err); bad != nil {
		return bad
	}
	var texts [2][]pcp.Answer[string]
	for i, kind := range []pcp.TextKind{pcp.OneLine, pcp.Help} {
		texts[i], err = r.src.Text(ctx, kind, pcp.Idents(ids))
		if bad := fatal(ctx, err); bad != nil {
			return bad
		}
	}
	for i := range ids {
		m := int32(from + i)
		r.addName(m)
		for k, field := range []field{inLine, inHelp} {
			if texts[k] != nil && texts[k][i].Err == nil {
				r.addText(m, field, texts[k][i].Value)
			}
		}
		if ids[i].IsDerived() {
			r.addText(m, inDefinition, r.expression(r.Index.metrics[m].name))
		}
		if descs != nil && descs[i].Err == nil {
			r.share(m, descs[i].Value)
		}
	}
	return nil
}

// share adds a metric to the groups of those that have an object in common.
func (r *reader) share(m int32, d pcp.Desc) {
	for _, o := range pmapi.LabelObjects(d) {
		if o.Kind == pcp.ContextLabels {
			continue // all metrics have them
		}
		g, known := r.groups[o]
		if !known {
			g = r.addGroup()
			r.groups[o], r.objects = g, append(r.objects, o)
		}
		r.members[g] = append(r.members[g], m)
	}
}

// instances reads the names of instances.
func (r *reader) instances(ctx context.Context) error {
	var domains []pcp.InDom
	for _, o := range r.objects {
		if o.Kind == pcp.InDomLabels {
			domains = append(domains, pcp.InDom(o.Ident))
		}
	}
	for list := range slices.Chunk(domains, domainBatch) {
		found, err := allInstances(ctx, r.src, list)
		if bad := fatal(ctx, err); bad != nil {
			return bad
		}
		for i := range found {
			if bad := fatal(ctx, found[i].Err); bad != nil {
				return bad
			}
			g := r.groups[pmapi.LabelObject{Kind: pcp.InDomLabels, Ident: uint32(list[i])}]
			for _, m := range r.members[g] {
				r.Index.metrics[m].empty = len(found[i].Value) == 0
			}
			for _, inst := range found[i].Value[:min(len(found[i].Value), maxInstances)] {
				r.addShared(g, inInstance, inst.Name, inst.Name)
			}
		}
	}
	return nil
}

// allInstances returns the instances of domains; of a recording those of any time.
func allInstances(ctx context.Context, src pmapi.Source, domains []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) {
	line, recorded := pmapi.As[pmapi.Timeline](src)
	if !recorded {
		return pmapi.InstancesOf(ctx, src, domains)
	}
	found := make([]pcp.Answer[[]pcp.Instance], len(domains))
	for i, d := range domains {
		found[i].Value, found[i].Err = line.AllInstances(ctx, d)
	}
	return found, nil
}

// labels reads the labels of what metrics have in common, and of each metric and instance.
func (r *reader) labels(ctx context.Context) error {
	objects := slices.Clone(r.objects)
	slices.SortFunc(objects, func(a, b pmapi.LabelObject) int { return cmp.Compare(a.Kind, b.Kind) })
	for list := range slices.Chunk(objects, batch) {
		found, err := pmapi.ReadLabels(ctx, r.src, list)
		if err != nil {
			return err
		}
		for i, sets := range found {
			g := r.groups[list[i]]
			for _, set := range sets[:min(len(sets), maxLabelled)] {
				for _, l := range set.Labels {
					text := string(pcp.AppendLabels(nil, []pcp.Label{l}))
					r.addShared(g, inLabel, l.Name+" "+l.Value, text[1:len(text)-1])
				}
			}
		}
	}
	return nil
}
