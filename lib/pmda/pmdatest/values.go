package pmdatest

import (
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// fetch fetches metrics, nil after a failure.
func (k *kit) fetch(p *pcp.Profile, ids ...pcp.ID) []pcp.Values {
	var r pcp.Result
	if err := k.Fetch(k.ctx, &pmda.Request{Client: k.client, IDs: ids, Profile: p}, &r); err != nil {
		k.errorf("values of %s: %v", k.list(ids), err)
		return nil
	}
	for i, id := range ids {
		if r.Sets[i].ID != id {
			k.errorf("values of %s: at place %d are those of %v", k.list(ids), i, r.Sets[i].ID)
			return nil
		}
	}
	return r.Sets
}

func (k *kit) list(ids []pcp.ID) (names []string) {
	for _, id := range ids {
		names = append(names, k.name(id))
	}
	return names
}

// checkValues checks the values of each metric alone, of all together, and of a request with a
// repeated and an unknown metric.
func (k *kit) checkValues() {
	var ids []pcp.ID
	for _, d := range k.descs {
		ids = append(ids, d.ID)
		if sets := k.fetch(nil, d.ID); sets != nil {
			k.checkSet(&d, &sets[0])
		}
	}
	for i, v := range k.fetch(nil, ids...) {
		k.checkSet(&k.descs[i], &v)
	}
	if len(ids) == 0 {
		return
	}
	unknown := k.unknownID()
	if sets := k.fetch(nil, ids[0], unknown, ids[0]); sets != nil {
		k.wants("value of a metric that is not there", sets[1].Err, pmerr.PMID)
		k.checkSet(&k.descs[0], &sets[0])
		k.checkSet(&k.descs[0], &sets[2])
	}
}

// checkSet checks the values of a metric. A metric without values passes.
func (k *kit) checkSet(d *pcp.Desc, v *pcp.Values) {
	name := k.name(d.ID)
	switch {
	case v.Err == pmerr.PMID:
		k.errorf("%s: it is described, but not fetched: %v", name, v.Err)
	case v.Err != nil:
	case v.Odd != nil:
		k.errorf("%s: values that are not of type %v", name, d.Type)
	case d.InDom == pcp.NullInDom && len(v.Insts) > 1:
		k.errorf("%s: %d values of a metric without instances", name, len(v.Insts))
	case d.InDom == pcp.NullInDom && len(v.Insts) == 1 && v.Insts[0] != pcp.NullInst:
		k.errorf("%s: a value of instance %d of a metric without instances", name, v.Insts[0])
	case d.InDom != pcp.NullInDom:
		k.checkInsts(d, v.Insts)
	}
}

// checkInsts checks that values are of instances of the metric's domain, each once. The instance may
// have come since the survey, or be gone since the fetch.
func (k *kit) checkInsts(d *pcp.Desc, insts []int32) {
	k.see(d.InDom)
	have := map[int32]bool{}
	for _, inst := range insts {
		if have[inst] || !k.seen[d.InDom][inst] {
			k.errorf("%s: instance %d occurs twice or is not in %v", k.name(d.ID), inst, d.InDom)
		}
		have[inst] = true
	}
}

func (k *kit) see(d pcp.InDom) {
	if k.seen[d] == nil {
		k.seen[d] = map[int32]bool{}
	}
	list, _ := k.Instances(k.ctx, k.client, d)
	for _, in := range list {
		k.seen[d][in.ID] = true
	}
}

// checkProfiles checks that only selected instances have values, and that a selection in one domain
// does not affect others.
func (k *kit) checkProfiles() {
	for _, d := range k.indoms {
		list, err := k.Instances(k.ctx, k.client, d)
		if err != nil || len(list) == 0 {
			continue
		}
		first, last := list[0].ID, list[len(list)-1].ID
		none, one, others := new(pcp.Profile), new(pcp.Profile), new(pcp.Profile)
		none.Del(d)
		one.Del(d)
		one.Add(d, last)
		others.Add(d)
		others.Del(d, first)
		only := new(pcp.Profile)
		only.DelAll()
		only.Add(d, first)
		for _, p := range []*pcp.Profile{none, one, others, only, nil} {
			for _, v := range k.fetch(p, k.in(d)...) {
				k.checkSelected(d, p, &v)
			}
		}
	}
}

func (k *kit) checkSelected(d pcp.InDom, p *pcp.Profile, v *pcp.Values) {
	if i := slices.IndexFunc(v.Insts, func(inst int32) bool { return !p.Selects(d, inst) }); i >= 0 {
		k.errorf("%s: a value of instance %d, which the profile does not select", k.name(v.ID), v.Insts[i])
	}
}

func (k *kit) unknownID() pcp.ID {
	for cluster := uint32(maxCluster); ; cluster-- {
		id := pcp.NewID(k.Domain(), cluster, 1023)
		if !slices.ContainsFunc(k.descs, func(d pcp.Desc) bool { return d.ID == id }) {
			return id
		}
	}
}

const maxCluster = 1<<12 - 1 // the highest number of a cluster

func (k *kit) unknownInDom() pcp.InDom {
	for serial := uint32(1<<22 - 1); ; serial-- {
		if d := pcp.NewInDom(k.Domain(), serial); !slices.Contains(k.indoms, d) {
			return d
		}
	}
}

func (k *kit) checkUnknown() {
	id, d := k.unknownID(), k.unknownInDom()
	_, err := k.Desc(k.ctx, k.client, id)
	k.wants("description of an unknown metric", err, pmerr.PMID)
	_, err = k.Instances(k.ctx, k.client, d)
	k.wants("instances of an unknown domain", err, pmerr.InDom)
	_, err = k.Text(k.ctx, k.client, id, pcp.OneLine)
	k.wants("help on an unknown metric", err, pmerr.Text, pmerr.PMID)
	_, err = k.InDomText(k.ctx, k.client, d, pcp.Help)
	k.wants("help on an unknown domain", err, pmerr.Text, pmerr.InDom)
	err = k.Store(k.ctx, k.client, []pcp.Values{{ID: id, Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{1}}})
	k.wants("a store to an unknown metric", err, pmerr.PMID, pmerr.Permission)
	if sets, err := k.Labels(k.ctx, k.client, pcp.ItemLabels, uint32(id)); err != nil || len(sets) > 0 {
		k.errorf("labels of an unknown metric: %d sets, error %v", len(sets), err)
	}
}

// checkBadRequests sends requests whose bodies are too short: each must be answered by an error.
func (k *kit) checkBadRequests() {
	requests := []pdu.Type{pdu.TypeFetch, pdu.TypeDescReq, pdu.TypeInstanceReq, pdu.TypeTextReq, pdu.TypeLabelReq, pdu.TypeNames,
		pdu.TypeIDs, pdu.TypeChild, pdu.TypeTraverse}
	for _, t := range requests {
		b := []byte{0, 0, 0, 16, 0, 0, byte(t >> 8), byte(t), 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}
		if t == pdu.TypeDescReq {
			b = append(b[:12], 0xff) // one word is all it has
			b[3] = 13
		}
		if err := k.Write(b); err != nil {
			k.errorf("before a bad %v: %v", t, err)
			return
		}
		var answer pdu.Error
		if err := k.Answer(k.ctx, &answer); err == nil || k.Check(k.ctx, k.client) != nil {
			k.errorf("a bad %v is answered by %v, want an error", t, err)
			return
		}
	}
	k.checkUnknown() // it still answers, and each answer is that to its own question
}

func (k *kit) checkClients() {
	for n := range int32(3) {
		c := &pmda.Client{Number: n, Attrs: map[pdu.AttrCode]string{pmda.UserID: "0", pmda.GroupID: "0", pmda.ProcessID: "1"}}
		for _, code := range []pdu.AttrCode{pmda.UserID, pmda.GroupID, pmda.ProcessID} {
			k.SetAttr(c, code)
		}
		if len(k.descs) > 0 {
			k.client = c
			k.fetch(nil, k.descs[0].ID)
		}
		k.EndClient(c)
		k.EndClient(c) // also one that has never asked
	}
	k.client = &pmda.Client{Number: 1}
	k.checkUnknown()
}
