// Package find answers which metrics a few words are about.
//
// [Find] reads the names, help texts, instances and definitions of a source, ranks the metrics that the words of a
// question match: as they are, in another form ("disks"), as a part of a longer word of a name ("mem" in "physmem"),
// or by a synonym of the field ("latency" for "await"), and adds to each its description and an example value.
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

// Bounds of an index. Text and instances beyond them are not searched.
const (
	maxText      = 4096 // bytes of a help text
	maxInstances = 2000 // of a domain
	batch        = 1000 // metrics that are asked about at once
)

// A metric is one that may be found.
type metric struct {
	name  string
	id    pcp.ID
	worth float64
}

// An index holds the words that there are about each metric of a source.
type index struct {
	metrics []metric // ascending by name
	texts   []text
}

// A text says something about metrics.
type text struct {
	place   place
	stems   string  // of its words, a blank before and after each
	shown   string  // of an instance
	metrics []int32 // ascending
}

// A place is where words stand.
type place uint8

const (
	inName place = iota
	inInstance
	inLine
	inDefinition
	inHelp
)

// places has their names, and what a word there weighs.
var places = [...]struct {
	name   string
	weight float32
}{
	inName: {"name", 10}, inInstance: {"instance", 6}, inLine: {"text", 5}, inDefinition: {"definition", 3}, inHelp: {"help", 2},
}

// add adds the words of a text about metrics, of those that people write only those with a meaning of their own.
func (ix *index) add(p place, about, shown string, metrics []int32) {
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

// read reads the index of a source. expression returns the definition of a derived metric, "" for other
// names. The error is that of ctx, of the walk over names or of a lost connection. Missing texts
// or instances are not errors.
func read(ctx context.Context, src pmapi.Source, expression func(name string) string) (*index, error) {
	ix, members := new(index), make(map[pcp.InDom][]int32)
	err := src.Walk(ctx, "", true, func(name string, id pcp.ID) bool {
		ix.metrics = append(ix.metrics, metric{name, id, worth(name)})
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	slices.SortFunc(ix.metrics, func(a, b metric) int { return cmp.Compare(a.name, b.name) })
	for from := 0; from < len(ix.metrics); from += batch {
		if err := ix.batch(ctx, src, from, min(from+batch, len(ix.metrics)), expression, members); err != nil {
			return nil, err
		}
	}
	return ix, ix.instances(ctx, src, members)
}

// batch adds the texts of some metrics, and adds the metrics to the members of their instance domains.
func (ix *index) batch(ctx context.Context, src pmapi.Source, from, to int, expression func(name string) string, members map[pcp.InDom][]int32) error {
	ids, numbers := make([]pcp.ID, to-from), make([]int32, to-from)
	for i := range ids {
		ids[i], numbers[i] = ix.metrics[from+i].id, int32(from+i)
	}
	descs, err := src.Describe(ctx, ids)
	if bad := describe.Fatal(ctx, err); bad != nil {
		return bad
	}
	lines, err := describe.ReadTexts(ctx, src, pcp.OneLine, ids)
	if err != nil {
		return err
	}
	helps, err := describe.ReadTexts(ctx, src, pcp.Help, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		name, own := ix.metrics[from+i].name, numbers[i:i+1]
		ix.add(inName, name, "", own)
		ix.add(inLine, lines[i], "", own)
		ix.add(inHelp, helps[i], "", own)
		if id.IsDerived() {
			ix.add(inDefinition, expression(name), "", own)
		}
		if descs != nil && descs[i].Err == nil && descs[i].Value.InDom != pcp.NullInDom {
			members[descs[i].Value.InDom] = append(members[descs[i].Value.InDom], own[0])
		}
	}
	return nil
}

// instances adds the names of instances; those of a recording are of any time.
func (ix *index) instances(ctx context.Context, src pmapi.Source, members map[pcp.InDom][]int32) error {
	domains := slices.Sorted(maps.Keys(members))
	found, err := src.Instances(ctx, domains, pmapi.Ever())
	for i := range found {
		failed := describe.Fatal(ctx, found[i].Err)
		err = cmp.Or(failed, err)
		of, insts := members[domains[i]], found[i].Value
		for _, m := range of {
			if len(insts) == 0 {
				ix.metrics[m].worth *= lessWorth // it has no values
			}
		}
		for _, inst := range insts[:min(len(insts), maxInstances)] {
			ix.add(inInstance, inst.Name, inst.Name, of)
		}
	}
	return describe.Fatal(ctx, err)
}
