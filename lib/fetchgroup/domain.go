package fetchgroup

import (
	"context"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A domain is an instance domain of a Group's metrics. The names of all instances are requested together
// when an instance appears that is new, or that was absent, because its number may have been reused. A
// falling counter may mean a reused number too, such as a file system mounted in the place of another. If
// the name has changed, the instance has no rates in that fetch.
type domain struct {
	id       pcp.InDom
	allInsts bool // the profile selects all instances
	inDoms   []*inDom
	items    []*item
	names    pcp.InstanceNames // as of the last question
	present  []int32           // the instances of the last fetch that had some, ascending
	doubted  bool              // a counter fell
	unnamed  bool              // there are instances without a name
}

func (d *domain) settle(ctx context.Context, g *Group) {
	if len(d.inDoms) == 0 {
		d.doubted = false
		return
	}
	if !d.doubted && !d.unnamed && !slices.ContainsFunc(d.inDoms, func(x *inDom) bool { return !x.steady }) {
		return
	}
	var now []int32
	for _, x := range d.inDoms {
		now = append(now, x.insts...)
	}
	if len(now) == 0 {
		return
	}
	slices.Sort(now)
	now = slices.Compact(now)
	var renamed []int32
	if d.doubted || d.unnamed || slices.ContainsFunc(now, func(inst int32) bool { return !has(d.present, inst) }) {
		renamed = d.ask(ctx, g)
	}
	d.present, d.doubted, d.unnamed = now, false, false
	for _, x := range d.inDoms {
		for i, inst := range x.insts {
			x.names[i], _ = d.names.Find(inst)
			d.unnamed = d.unnamed || x.names[i] == ""
			if x.rate && has(renamed, inst) && x.slots[i].code == 0 {
				x.slots[i].fail(x.out, pmerr.Value)
			}
		}
	}
	for _, x := range d.items {
		if x.rate && has(renamed, x.inst) && x.code == 0 {
			x.fail(x.out, pmerr.Value)
		}
	}
}

func has(list []int32, inst int32) bool {
	_, ok := slices.BinarySearch(list, inst)
	return ok
}

// ask renews the names, and returns the renamed instances. Without an answer the old names stay.
func (d *domain) ask(ctx context.Context, g *Group) (renamed []int32) {
	names, err := g.instances(ctx, d.id)
	if err != nil {
		return nil
	}
	old := d.names
	d.names = names
	for _, x := range names.List {
		if was, _ := old.Find(x.ID); was != "" && was != x.Name {
			renamed = append(renamed, x.ID)
		}
	}
	return renamed
}

// instances returns the names of a domain's instances. In a recording, an instance without a name at the
// time of the values has its name of another time, because values are interpolated.
func (g *Group) instances(ctx context.Context, id pcp.InDom) (pcp.InstanceNames, error) {
	src := g.pc.Source()
	if _, ok := pmapi.As[pmapi.Timeline](src); !ok {
		list, err := pmapi.InstancesOf(ctx, src, id, pmapi.Now())
		return pcp.NewInstanceNames(list, nil), err
	}
	all, err := pmapi.InstancesOf(ctx, src, id, pmapi.Ever())
	if now, err := pmapi.InstancesOf(ctx, src, id, pmapi.At(g.now.Time)); err == nil {
		return pcp.NewInstanceNames(now, all), nil
	}
	return pcp.NewInstanceNames(all, nil), err
}
