package sourcetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

func (k *kit) describe() {
	if rs, err := k.src.Describe(k.ctx, nil); err != nil || len(rs) > 0 {
		k.errorf("Describe of no metrics: %v, error %v", rs, err)
	}
	ids := k.request()
	ids = append(ids, pcp.NullID)
	rs, err := k.src.Describe(k.ctx, ids)
	if err != nil || len(rs) != len(ids) {
		k.errorf("Describe(%v): %d descriptions, error %v; want %d", ids, len(rs), err, len(ids))
		return
	}
	for i, id := range ids {
		r := rs[i]
		want, known := k.descs[id]
		switch {
		case known && (r.Err != nil || r.Value != want):
			k.errorf("Describe of %d metrics: %v, number %d, is %+v, error %v; before it was %+v", len(ids), id, i, r.Value, r.Err, want)
		case known && want.ID != id:
			k.errorf("Describe: the description of %v is one of %v", id, want.ID)
		case !known && r.Err == nil:
			k.errorf("Describe of %d metrics: %v, number %d, is %+v; want an error", len(ids), id, i, r.Value)
		case !slices.Contains(k.ids, id) && !isAny(r.Err, pmerr.PMID, pmerr.PMIDLog):
			k.errorf("Describe: unknown metric %v: error %v, want %v or %v", id, r.Err, pmerr.PMID, pmerr.PMIDLog)
		}
	}
}

// instances asks for the instances of all domains together, and of each alone.
func (k *kit) instances() {
	ds := append(slices.Clone(k.indoms), k.unknownInDom(), pcp.NullInDom)
	if k.bare {
		if list, err := k.src.Instances(k.ctx, ds, pmapi.Now()); !errors.Is(err, pmerr.NoContext) {
			k.errorf("Instances: %v, error %v; Describe said %v", list, err, pmerr.NoContext)
		}
		return
	}
	for range 3 {
		found, err := k.src.Instances(k.ctx, ds, pmapi.Now())
		if err != nil || len(found) != len(ds) {
			k.errorf("Instances: %d answers to %d questions, error %v", len(found), len(ds), err)
			return
		}
		for i, d := range ds {
			list, err := found[i].Value, found[i].Err
			alone, err1 := pmapi.InstancesOf(k.ctx, k.src, d, pmapi.Now())
			switch known := i < len(k.indoms); {
			case !slices.Equal(list, alone) || pmerr.Of(err) != pmerr.Of(err1):
				k.errorf("Instances(%v): %v, error %v among others, alone %v, error %v", d, list, err, alone, err1)
			case err != nil && len(list) > 0:
				k.errorf("Instances(%v): %v together with error %v", d, list, err)
			case !known && (!isAny(err, pmerr.InDom, pmerr.InDomLog) || len(list) > 0):
				k.errorf("Instances(%v): %v, error %v; want error %v or %v", d, list, err, pmerr.InDom, pmerr.InDomLog)
			}
			if i := repeated(list); i >= 0 {
				k.errorf("Instances(%v): %d is there twice: %v", d, list[i].ID, list)
			}
		}
		k.move()
	}
}

// repeated returns the index of an instance that occurs earlier in list, or -1.
func repeated(list []pcp.Instance) int {
	seen := make(map[int32]bool, len(list))
	for i, inst := range list {
		if seen[inst.ID] {
			return i
		}
		seen[inst.ID] = true
	}
	return -1
}

func (k *kit) instanceNames() {
	for range 3 {
		for _, d := range k.indoms {
			k.instanceNamesOf(d)
		}
		k.move()
	}
	for _, d := range []pcp.InDom{k.unknownInDom(), pcp.NullInDom} {
		if id, err := k.src.LookupInst(k.ctx, d, "x"); err == nil {
			k.errorf("LookupInst(%v): %d; want an error", d, id)
		}
		if name, err := k.src.InstName(k.ctx, d, 0); err == nil {
			k.errorf("InstName(%v): %q; want an error", d, name)
		}
	}
}

func (k *kit) instanceNamesOf(d pcp.InDom) {
	list, err := pmapi.InstancesOf(k.ctx, k.src, d, pmapi.Now())
	if err != nil {
		return
	}
	first := make(map[string]int32)
	absent := int32(0)
	for _, inst := range list {
		if _, ok := first[inst.Name]; !ok {
			first[inst.Name] = inst.ID
		}
		absent = max(absent, inst.ID+1)
		if name, err := k.src.InstName(k.ctx, d, inst.ID); err != nil || name != inst.Name {
			k.errorf("InstName(%v, %d): %q, error %v; Instances has %q", d, inst.ID, name, err, inst.Name)
		}
	}
	for name, want := range first {
		if id, err := k.src.LookupInst(k.ctx, d, name); err != nil || id != want {
			k.errorf("LookupInst(%v, %q): %d, error %v; Instances has %d", d, name, id, err, want)
		}
	}
	const nobody = "\x01no such instance"
	if id, err := k.src.LookupInst(k.ctx, d, nobody); !isAny(err, pmerr.Inst, pmerr.InstLog) {
		k.errorf("LookupInst(%v, %q): %d, error %v; want error %v or %v", d, nobody, id, err, pmerr.Inst, pmerr.InstLog)
	}
	if name, err := k.src.InstName(k.ctx, d, absent); !isAny(err, pmerr.Inst, pmerr.InstLog) {
		k.errorf("InstName(%v, %d): %q, error %v; want error %v or %v", d, absent, name, err, pmerr.Inst, pmerr.InstLog)
	}
}

// labels asks for all labels of a level together, and for those of each object alone: now, and of a recording
// at the position.
func (k *kit) labels() {
	idents := map[pcp.LabelKind][]uint32{
		pcp.ContextLabels: {0}, pcp.DomainLabels: {399}, pcp.InDomLabels: {uint32(k.unknownInDom())},
		pcp.ClusterLabels: nil, pcp.ItemLabels: {uint32(k.unknownID())}, pcp.InstanceLabels: {uint32(k.unknownInDom())},
	}
	for _, id := range k.ids {
		for kind, ident := range map[pcp.LabelKind]uint32{pcp.DomainLabels: id.Domain(), pcp.ClusterLabels: uint32(id), pcp.ItemLabels: uint32(id)} {
			idents[kind] = append(idents[kind], ident)
		}
	}
	for _, d := range k.indoms {
		idents[pcp.InDomLabels], idents[pcp.InstanceLabels] = append(idents[pcp.InDomLabels], uint32(d)), append(idents[pcp.InstanceLabels], uint32(d))
	}
	for range 3 {
		for kind, list := range idents {
			k.labelsOf(kind, list)
		}
		k.move()
	}
}

func (k *kit) labelsOf(kind pcp.LabelKind, idents []uint32) {
	found, err := k.src.Labels(k.ctx, kind, idents, pmapi.Now())
	if k.bare && errors.Is(err, pmerr.NoContext) {
		return
	}
	if err != nil || len(found) != len(idents) {
		k.errorf("Labels(%d): %d answers to %d questions, error %v", kind, len(found), len(idents), err)
		return
	}
	at, recorded := pmapi.Now(), k.time != nil
	if recorded {
		at = pmapi.At(k.time.Origin())
	}
	for i, r := range found {
		k.labelSets(kind, idents[i], r.Value.Sets)
		alone, err := k.src.Labels(k.ctx, kind, idents[i:i+1], at)
		if err != nil || len(alone) != 1 || fmt.Sprint(alone[0].Value) != fmt.Sprint(r.Value) || pmerr.Of(alone[0].Err) != pmerr.Of(r.Err) {
			k.errorf("Labels(%d, %#x): %v among others, alone %v, error %v", kind, idents[i], r, alone, err)
		}
		since, until := r.Value.Since, r.Value.Until
		if recorded && (since.Compare(k.time.Origin()) > 0 || until != (pcp.Timestamp{}) && until.Compare(k.time.Origin()) <= 0) {
			k.errorf("Labels(%d, %#x): at %s, from %s to %s", kind, idents[i], show(k.time.Origin()), show(since), show(until))
		}
	}
}

func (k *kit) labelSets(kind pcp.LabelKind, ident uint32, sets []pcp.LabelSet) {
	if kind != pcp.InstanceLabels && (len(sets) > 1 || len(sets) == 1 && sets[0].Inst != pcp.NullInst) {
		k.errorf("Labels(%d, %#x): %+v; want at most one set, of no instance", kind, ident, sets)
	}
	seen := make(map[int32]bool)
	for _, s := range sets {
		if seen[s.Inst] {
			k.errorf("Labels(%d, %#x): two sets of instance %d", kind, ident, s.Inst)
		}
		seen[s.Inst] = true
		if s.Err != nil && len(s.Labels) > 0 {
			k.errorf("Labels(%d, %#x): %+v together with error %v", kind, ident, s.Labels, s.Err)
		}
		for i, l := range s.Labels {
			if i > 0 && s.Labels[i-1].Name >= l.Name {
				k.errorf("Labels(%d, %#x): %q does not come after %q", kind, ident, l.Name, s.Labels[i-1].Name)
			}
			if l.Name == "" || !json.Valid([]byte(l.Value)) {
				k.errorf("Labels(%d, %#x): name %q, value %q, which is not JSON", kind, ident, l.Name, l.Value)
			}
		}
	}
}

// texts asks for all texts of a kind together, and for each alone.
func (k *kit) texts() {
	if k.bare {
		return
	}
	metrics, indoms := append(pcp.Idents(k.ids), uint32(k.unknownID())), append(pcp.Idents(k.indoms), uint32(k.unknownInDom()))
	for kind, idents := range map[pcp.TextKind][]uint32{
		pcp.OneLine: metrics, pcp.Help: metrics, pcp.OneLine | pcp.InDomText: indoms, pcp.Help | pcp.InDomText: indoms,
	} {
		found, err := k.src.Text(k.ctx, kind, idents)
		if err != nil || len(found) != len(idents) {
			k.errorf("Text(%d): %d answers to %d questions, error %v", kind, len(found), len(idents), err)
			continue
		}
		for i, r := range found {
			switch known := i < len(idents)-1; {
			case r.Err != nil && (r.Value != "" || known && !isAny(r.Err, pmerr.Text, pmerr.NotHost)):
				k.errorf("text %d of %d: %q, error %v; want error %v or %v", kind, idents[i], r.Value, r.Err, pmerr.Text, pmerr.NotHost)
			case r.Err == nil && !known:
				k.errorf("text %d of the unknown %d: %q; want an error", kind, idents[i], r.Value)
			}
			alone, err := k.src.Text(k.ctx, kind, idents[i:i+1])
			if err != nil || len(alone) != 1 || alone[0].Value != r.Value || pmerr.Of(alone[0].Err) != pmerr.Of(r.Err) {
				k.errorf("text %d of %d: %v among others, alone %v, error %v", kind, idents[i], r, alone, err)
			}
		}
	}
}
