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
	"maps"
	"slices"

	"pmtools/cmd/internal/describe"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// Bounds of an Index. Metrics, text and instances beyond them are not searched.
const (
	maxMetrics   = 1 << 20
	maxText      = 4096 // bytes of a help text
	maxInstances = 2000 // of a domain
	maxLabelled  = 2000 // instances of a domain with labels
	batch        = 1000 // metrics that are asked about at once
)

// A metric is a metric of an Index.
type metric struct {
	name string
	id   pcp.ID
}

// An Index holds the words that there are about each metric of a source.
type Index struct {
	metrics []metric // ascending by name
	worth   []float64
	cut     bool // there are more metrics than an Index holds
	texts   []text
}

// A text says something about metrics.
type text struct {
	place   place
	stems   string  // of its words, a blank before and after each
	shown   string  // of an instance or a label
	metrics []int32 // ascending
}

// A place is where words stand.
type place uint8

const (
	inName place = iota
	inInstance
	inLine
	inDefinition
	inLabel
	inHelp
)

// places has their names, and what a word there weighs.
var places = [...]struct {
	name   string
	weight float32
}{
	inName: {"name", 10}, inInstance: {"instance", 6}, inLine: {"text", 5}, inDefinition: {"definition", 3}, inLabel: {"label", 2}, inHelp: {"help", 2},
}

// add adds the words of a text about metrics, of those that people write only those with a meaning of their own.
func (ix *Index) add(p place, about, shown string, metrics []int32) {
	prose := p == inLine || p == inHelp || p == inDefinition
	list := []byte{' '}
	words(about[:min(len(about), maxText)], func(w string) {
		if !prose || len(w) > 1 && !stop[w] {
			list = append(append(list, stem(w)...), ' ')
		}
	})
	if len(list) > 1 {
		ix.texts = append(ix.texts, text{p, string(list), shown, metrics})
	}
}

// New reads an Index from src. expression returns the definition of a derived metric, "" for other
// names. The error is that of ctx, of the walk over names or of a lost connection. Missing texts,
// instances or labels are not errors.
func New(ctx context.Context, src pmapi.Source, expression func(name string) string) (*Index, error) {
	list, cut, err := names(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &reader{src, &Index{metrics: list, worth: make([]float64, len(list)), cut: cut}, make(map[pmapi.LabelObject][]int32)}
	for i := range list {
		r.index.worth[i] = worth(list[i].name)
	}
	for from := 0; from < len(list); from += batch {
		if err := r.metrics(ctx, from, min(from+batch, len(list)), expression); err != nil {
			return nil, err
		}
	}
	objects := slices.SortedFunc(maps.Keys(r.groups), func(a, b pmapi.LabelObject) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ident, b.Ident))
	})
	if err := r.instances(ctx, objects); err != nil {
		return nil, err
	}
	return r.index, r.labels(ctx, objects)
}

// names returns the metrics of a source by their names, and whether there are more. The error is that of ctx or of the walk.
func names(ctx context.Context, src pmapi.Source) (list []metric, cut bool, err error) {
	err = src.Walk(ctx, "", true, func(name string, id pcp.ID) bool {
		if cut = len(list) == maxMetrics; !cut {
			list = append(list, metric{name, id})
		}
		return !cut && ctx.Err() == nil
	})
	slices.SortFunc(list, func(a, b metric) int { return cmp.Compare(a.name, b.name) })
	return list, cut, cmp.Or(err, ctx.Err())
}

// A reader reads an Index from a source.
type reader struct {
	src    pmapi.Source
	index  *Index
	groups map[pmapi.LabelObject][]int32 // the metrics that share an object, ascending
}

// metrics reads the metrics of a batch.
func (r *reader) metrics(ctx context.Context, from, to int, expression func(name string) string) error {
	ids, numbers := make([]pcp.ID, to-from), make([]int32, to-from)
	for i := range ids {
		ids[i], numbers[i] = r.index.metrics[from+i].id, int32(from+i)
	}
	descs, err := r.src.Describe(ctx, ids)
	if bad := describe.Fatal(ctx, err); bad != nil {
		return bad
	}
	lines, err := describe.ReadTexts(ctx, r.src, pcp.OneLine, ids)
	if err != nil {
		return err
	}
	helps, err := describe.ReadTexts(ctx, r.src, pcp.Help, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		name, own := r.index.metrics[from+i].name, numbers[i:i+1]
		r.index.add(inName, name, "", own)
		r.index.add(inLine, lines[i], "", own)
		r.index.add(inHelp, helps[i], "", own)
		if id.IsDerived() {
			r.index.add(inDefinition, expression(name), "", own)
		}
		if descs == nil || descs[i].Err != nil {
			continue
		}
		for _, o := range pmapi.LabelObjects(descs[i].Value) {
			if o.Kind != pcp.ContextLabels { // which all metrics have
				r.groups[o] = append(r.groups[o], own[0])
			}
		}
	}
	return nil
}

// instances reads the names of instances; those of a recording are of any time.
func (r *reader) instances(ctx context.Context, objects []pmapi.LabelObject) error {
	objects = slices.DeleteFunc(slices.Clone(objects), func(o pmapi.LabelObject) bool { return o.Kind != pcp.InDomLabels })
	domains := make([]pcp.InDom, len(objects))
	for i, o := range objects {
		domains[i] = pcp.InDom(o.Ident)
	}
	found, err := r.src.Instances(ctx, domains, pmapi.Ever())
	for i := range found {
		failed := describe.Fatal(ctx, found[i].Err)
		err = cmp.Or(failed, err)
		members, insts := r.groups[objects[i]], found[i].Value
		for _, m := range members {
			if len(insts) == 0 {
				r.index.worth[m] *= lessWorth // it has no values
			}
		}
		for _, inst := range insts[:min(len(insts), maxInstances)] {
			r.index.add(inInstance, inst.Name, inst.Name, members)
		}
	}
	return describe.Fatal(ctx, err)
}

// labels reads the labels of what metrics have in common, and of each metric and instance.
func (r *reader) labels(ctx context.Context, objects []pmapi.LabelObject) error {
	for list := range slices.Chunk(objects, batch) {
		found, err := pmapi.ReadLabels(ctx, r.src, list)
		if err != nil {
			return err
		}
		for i := range found {
			sets := found[i].Sets
			for _, set := range sets[:min(len(sets), maxLabelled)] {
				for _, l := range set.Labels {
					shown := string(pcp.AppendLabels(nil, []pcp.Label{l}))
					r.index.add(inLabel, l.Name+" "+l.Value, shown[1:len(shown)-1], r.groups[list[i]])
				}
			}
		}
	}
	return nil
}
