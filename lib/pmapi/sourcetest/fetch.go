package sourcetest

import (
	"errors"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// fetch fetches every metric, one of them twice and an unknown one.
func (k *kit) fetch() {
	if k.bare {
		var res pcp.Result
		for _, ids := range [][]pcp.ID{k.ids, nil} {
			if err := k.src.Fetch(k.ctx, &pmapi.Request{IDs: ids}, &res); !errors.Is(err, pmerr.NoContext) {
				k.errorf("Fetch: error %v; Describe said %v", err, pmerr.NoContext)
			}
		}
		return
	}
	list := k.stream(k.src, &pmapi.Request{IDs: k.request()}, oneResult())
	for i, s := range list {
		if i > 0 && s.time.Compare(list[i-1].time) < 0 {
			k.errorf("Fetch: %s comes after %s", show(s.time), show(list[i-1].time))
		}
	}
	if len(list) < 2 {
		k.errorf("Fetch: %d results, this test needs 2", len(list))
	}
}

const poison = -0x5a5a5a

// spoil overwrites a used Result. It leaves the bytes of values alone: they may be shared.
func spoil(res *pcp.Result) {
	res.Time = pcp.Timestamp{Sec: -1, Nsec: -1}
	for len(res.Sets) < 4 || len(res.Sets) == cap(res.Sets) {
		res.Sets = append(res.Sets, pcp.Values{})
	}
	for i := range res.Sets {
		c := &res.Sets[i]
		c.ID, c.Type, c.Err, c.Odd = pcp.NullID, pcp.Unknown, pmerr.Value, []pcp.Odd{{Bad: true}}
		c.Insts, c.Words, c.Blobs = append(c.Insts, poison), append(c.Words, 0), append(c.Blobs, nil)
		for j := range c.Insts {
			c.Insts[j] = poison
		}
		for j := range c.Words {
			c.Words[j] = 0x5a5a5a5a5a5a5a5a
		}
		clear(c.Blobs)
	}
}

// fetchAgain fetches into one Result, overwritten between fetches, and into new Results, which must have
// the same values and must not change later.
func (k *kit) fetchAgain() {
	req := &pmapi.Request{IDs: k.request()}
	var kept []*pcp.Result
	fresh := k.stream(k.src, req, func() *pcp.Result {
		kept = append(kept, new(pcp.Result))
		return kept[len(kept)-1]
	})
	res := new(pcp.Result)
	var bytes, copies [][]byte
	again := k.stream(k.open(), req, func() *pcp.Result {
		for i := range res.Sets {
			for _, b := range res.Sets[i].Blobs {
				bytes, copies = append(bytes, b), append(copies, slices.Clone(b))
			}
		}
		spoil(res)
		return res
	})
	if k.time != nil {
		k.same("Fetch into a used Result", again, fresh)
	}
	for i, s := range again {
		for j := range s.sets {
			if slices.Contains(s.sets[j].Insts, poison) {
				k.errorf("Fetch into a used Result: sample %d has old content: %s", i, text(&s.sets[j]))
			}
		}
	}
	for i, s := range fresh {
		now := sample{kept[i].Time, kept[i].Sets}
		if now.String() != s.String() {
			k.errorf("Fetch changed an older Result, which was\n\t%s\nand is\n\t%s", s, now)
			break
		}
	}
	for i, b := range bytes {
		if !slices.Equal(b, copies[i]) {
			k.errorf("Fetch changed the bytes of an older value from %q to %q", copies[i], b)
		}
	}
}

type selection struct {
	name    string
	profile pcp.Profile
}

func selections(d pcp.InDom, inst int32) []selection {
	list := make([]selection, 6)
	list[0].name = "of everything"
	list[1].name = "of nothing"
	list[1].profile.DelAll()
	list[2].name = "of one instance"
	list[2].profile.Add(d, inst)
	list[3].name = "of one instance and nothing else"
	list[3].profile.DelAll()
	list[3].profile.Add(d, inst)
	list[4].name = "without one instance"
	list[4].profile.Add(d)
	list[4].profile.Del(d, inst)
	list[5].name = "of an instance that does not exist"
	list[5].profile.Add(d, poison)
	return list
}

// fetchProfile fetches with profiles: the same values, but of selected instances only. Each fetch has the
// metrics of one domain and one other.
func (k *kit) fetchProfile() {
	of := make(map[pcp.InDom][]pcp.ID)
	for _, id := range k.ids {
		if d, ok := k.descs[id]; ok {
			of[d.InDom] = append(of[d.InDom], id)
		}
	}
	other := slices.Concat(of[pcp.NullInDom], k.ids)[:1] // k.ids is empty if there are no domains
	for _, d := range k.indoms {
		if k.time != nil {
			k.profilesAt(k.time.Origin(), d, append(of[d], other...))
		} else {
			k.profilesLive(d, append(of[d], other...))
		}
		other = of[d][:1]
	}
}

// profilesAt compares samples of a recording with and without profiles of a domain.
func (k *kit) profilesAt(start pcp.Timestamp, d pcp.InDom, ids []pcp.ID) {
	all := k.from(pcp.Forward, start, ids, -1)
	inst, ok := k.someInstance(all, d)
	for _, sel := range selections(d, inst) {
		if !ok || k.time.SetMode(pcp.Forward, &start, 0) != nil {
			break
		}
		got := k.stream(k.src, &pmapi.Request{IDs: ids, Profile: &sel.profile}, oneResult())
		k.same("Fetch with a profile "+sel.name+" of domain "+d.String(), k.pick(got, nil), k.pick(all, &sel.profile))
	}
	if err := k.time.SetMode(pcp.Forward, &start, 0); err != nil {
		k.errorf("SetMode(%d, %s): %v", pcp.Forward, show(start), err)
	}
}

// profilesLive fetches with profiles from a live Source. Values may change, but an instance with a value in
// every fetch before and after must have one in some fetch with a profile that selects it.
func (k *kit) profilesLive(d pcp.InDom, ids []pcp.ID) {
	plain := &pmapi.Request{IDs: ids}
	before := k.stream(k.src, plain, oneResult())
	inst, ok := k.someInstance(before, d)
	if !ok {
		return
	}
	for _, sel := range selections(d, inst) {
		got := k.stream(k.src, &pmapi.Request{IDs: ids, Profile: &sel.profile}, oneResult())
		after := k.stream(k.src, plain, oneResult())
		always, seen := counts(k.pick(append(before, after...), &sel.profile)), counts(got)
		for v, n := range always {
			if n == len(before)+len(after) && seen[v] == 0 {
				k.errorf("Fetch with a profile %s of domain %v: never a value of %v, instance %d; without it there is always one", sel.name, d, v.id, v.inst)
				break
			}
		}
		before = after
	}
}

type cell struct {
	id   pcp.ID
	inst int32
}

func counts(list []sample) map[cell]int {
	n := make(map[cell]int)
	for _, s := range list {
		for i := range s.sets {
			for _, inst := range s.sets[i].Insts {
				n[cell{s.sets[i].ID, inst}]++
			}
		}
	}
	return n
}

func (k *kit) someInstance(list []sample, d pcp.InDom) (int32, bool) {
	for _, s := range list {
		for i := range s.sets {
			if v := &s.sets[i]; v.Len() > 0 && k.descs[v.ID].InDom == d {
				return v.Insts[v.Len()/2], true
			}
		}
	}
	return 0, false
}

// pick reduces samples to stored metrics and the instances that a profile selects.
func (k *kit) pick(list []sample, p *pcp.Profile) (out []sample) {
	for _, s := range list {
		t := sample{time: s.time}
		for i := range s.sets {
			full := &s.sets[i]
			if full.ID.IsDerived() {
				continue
			}
			c := pcp.Values{ID: full.ID, Type: full.Type, Err: full.Err}
			for i, inst := range full.Insts {
				if !p.Selects(k.descs[full.ID].InDom, inst) {
					continue
				}
				c.Insts = append(c.Insts, inst)
				if i < len(full.Words) {
					c.Words = append(c.Words, full.Words[i])
				}
				if i < len(full.Blobs) {
					c.Blobs = append(c.Blobs, full.Blobs[i])
				}
				if full.Odd != nil {
					c.Odd = append(c.Odd, full.Odd[i])
				}
			}
			t.sets = append(t.sets, c)
		}
		out = append(out, t)
	}
	return out
}

func (k *kit) fetchNothing() {
	res := new(pcp.Result)
	times := k.stream(k.src, new(pmapi.Request), func() *pcp.Result {
		spoil(res)
		return res
	})
	for i, s := range times {
		if i > 0 && s.time.Compare(times[i-1].time) < 0 {
			k.errorf("Fetch without metrics: %s comes after %s", show(s.time), show(times[i-1].time))
		}
	}
	if k.time == nil {
		return
	}
	// Every record with values must be among them.
	for _, s := range k.stream(k.open(), &pmapi.Request{IDs: k.ids}, oneResult()) {
		i := slices.IndexFunc(times, func(t sample) bool { return t.time == s.time })
		if i < 0 {
			k.errorf("Fetch without metrics passed over %s", show(s.time))
			return
		}
		times = times[i+1:]
	}
}
