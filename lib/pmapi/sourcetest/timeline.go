package sourcetest

import (
	"errors"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

const maxPlaces = 12

func (k *kit) end() {
	start, ids := k.time.Origin(), k.stored()
	all := k.stream(k.src, &pmapi.Request{IDs: ids}, oneResult())
	if len(all) == 0 {
		return
	}
	first, last := all[0].time, all[len(all)-1].time
	k.stays("at the end", ids, last, 1)
	k.same("the second time", k.from(pcp.Forward, start, ids, -1), all)
	reverse := slices.Clone(all)
	slices.Reverse(reverse)
	after, before := last.Add(1), first.Add(-1)
	k.same("backwards", k.from(pcp.Back, after, ids, -1), reverse)
	k.stays("at the beginning", ids, first, -1)
	k.same("forward again", k.from(pcp.Forward, before, ids, -1), all)
	k.same("after the end", k.from(pcp.Forward, after, ids, -1), nil)
	k.same("backwards from before the beginning", k.from(pcp.Back, before, ids, -1), nil)
	from, to, err := k.time.Bounds(k.ctx)
	if from.Compare(first) > 0 || err == nil && to.Compare(last) < 0 {
		k.errorf("Bounds: %s to %s, error %v; there are samples from %s to %s", show(from), show(to), err, show(first), show(last))
	}
	name, _ := k.src.Host()
	if name == "" {
		k.errorf("Host: no name")
	}
}

// stays checks that Fetch reports the end repeatedly, and that the position stays at the last sample, or at
// a later record without the metrics.
func (k *kit) stays(where string, ids []pcp.ID, last pcp.Timestamp, direction int) {
	var res pcp.Result
	at := k.time.Origin()
	if at.Compare(last)*direction < 0 {
		k.errorf("Origin %s is %s, before the last sample at %s", where, show(at), show(last))
	}
	for range 3 {
		if err := k.src.Fetch(k.ctx, &pmapi.Request{IDs: ids}, &res); !errors.Is(err, pmerr.EOL) || k.time.Origin() != at {
			k.errorf("Fetch %s: error %v, Origin is %s; want %v, %s", where, err, show(k.time.Origin()), pmerr.EOL, show(at))
		}
	}
}

func places(list []sample) (out []sample) {
	step := max(1, len(list)/maxPlaces)
	for i := 0; i < len(list); i += step {
		out = append(out, list[i])
	}
	if len(list) > 0 {
		out = append(out, list[len(list)-1])
	}
	return out
}

// seek reads in both directions from the times of records and from times between them: all metrics
// together, then single ones.
func (k *kit) seek() {
	stored := k.stored()
	requests := [][]pcp.ID{stored}
	for i := 0; i < len(stored); i += max(1, len(stored)/5) {
		requests = append(requests, stored[i:i+1])
	}
	start := k.time.Origin()
	for _, ids := range requests {
		all := k.from(pcp.Forward, start, ids, -1)
		for _, s := range places(all) {
			for _, at := range []pcp.Timestamp{s.time, s.time.Add(-1), s.time.Add(1)} {
				k.around(all, at, ids)
			}
		}
	}
}

func (k *kit) around(all []sample, at pcp.Timestamp, ids []pcp.ID) {
	const few = 3
	var before, after []sample
	for _, s := range all {
		if s.time.Compare(at) >= 0 {
			after = append(after, s)
		}
		if s.time.Compare(at) <= 0 {
			before = append(before, s)
		}
	}
	slices.Reverse(before)
	k.same("forward from "+show(at), k.from(pcp.Forward, at, ids, few), after[:min(few, len(after))])
	k.same("back from "+show(at), k.from(pcp.Back, at, ids, few), before[:min(few, len(before))])
}

func (k *kit) modes() {
	start, ids := k.time.Origin(), k.stored()
	all := k.from(pcp.Forward, start, ids, -1)
	if len(all) < 3 || all[0].time == all[1].time || all[1].time == all[2].time {
		return
	}
	elsewhere := all[2].time
	for _, m := range []pcp.Mode{pcp.Live, -1, 4, 99} {
		k.same("forward", k.from(pcp.Forward, start, ids, 1), all[:1])
		if err := k.time.SetMode(m, &elsewhere, 0); !errors.Is(err, pmerr.Mode) || k.time.Origin() != all[0].time {
			k.errorf("SetMode(%d): error %v, Origin is %s; want %v, %s", m, err, show(k.time.Origin()), pmerr.Mode, show(all[0].time))
		}
		k.same("after a mode that does not exist", k.next(ids), all[1:2])
	}
	for _, m := range []pcp.Mode{pcp.Forward, pcp.Back} {
		k.from(pcp.Forward, start, ids, 2)
		if err := k.time.SetMode(m, nil, 0); err != nil || k.time.Origin() != all[1].time {
			k.errorf("SetMode(%d, nil): error %v, Origin is %s, want %s", m, err, show(k.time.Origin()), show(all[1].time))
		}
		k.same("after a change of the mode at the same place", k.next(ids), all[1:2])
	}
	k.same("back from there", k.next(ids), all[:1])
}

func (k *kit) next(ids []pcp.ID) []sample {
	s, err := k.read(k.src, &pmapi.Request{IDs: ids}, new(pcp.Result))
	if err != nil {
		k.errorf("Fetch(%s): %v", some(ids), err)
		return nil
	}
	return []sample{s}
}

// records reads records and marks, and the same with the question for gaps.
func (k *kit) records() {
	start, ids := k.time.Origin(), k.stored()
	read := func(req *pmapi.Request) (list []string) {
		if err := k.time.SetMode(pcp.Forward, &start, 0); err != nil {
			k.errorf("SetMode(%d, %s): %v", pcp.Forward, show(start), err)
		}
		var res pcp.Result
		var err error
		for gap := false; err == nil && len(list) <= maxSamples; {
			if err = k.src.Fetch(k.ctx, req, &res); err != nil {
				break
			}
			if gap = gap || res.Gap; len(res.Sets) == 0 {
				continue
			}
			list = append(list, fmt.Sprint(sample{res.Time, res.Sets}, gap))
			gap = false
		}
		if !errors.Is(err, pmerr.EOL) {
			k.errorf("Fetch of records: error %v after %d; want %v", err, len(list), pmerr.EOL)
		}
		return list
	}
	records, gaps := read(&pmapi.Request{IDs: ids, Records: true}), read(&pmapi.Request{IDs: ids, Gaps: true})
	if !slices.Equal(records, gaps) {
		k.errorf("records: %q; fetches with gaps: %q", records, gaps)
	}
}

// allInstances compares the instances at the time of each position with the current ones; the instances of
// all times must include them.
func (k *kit) allInstances() {
	for range 6 {
		for _, d := range k.indoms {
			list, err := pmapi.InstancesOf(k.ctx, k.src, d, pmapi.Now())
			if err != nil {
				continue
			}
			if at, err := pmapi.InstancesOf(k.ctx, k.src, d, pmapi.At(k.time.Origin())); err != nil || !slices.Equal(at, list) {
				k.errorf("Instances(%v) at %s: %v, error %v; Instances has %v", d, show(k.time.Origin()), at, err, list)
			}
			all, err := pmapi.InstancesOf(k.ctx, k.src, d, pmapi.Ever())
			if i := repeated(all); err != nil || i >= 0 {
				k.errorf("Instances(%v) of all times: %v, error %v; want each once", d, all, err)
			}
			for _, inst := range list {
				if !slices.ContainsFunc(all, func(x pcp.Instance) bool { return x.ID == inst.ID }) {
					k.errorf("Instances(%v) of all times does not have %+v, which is there at %s", d, inst, show(k.time.Origin()))
				}
			}
		}
		k.move()
	}
	for _, d := range []pcp.InDom{k.unknownInDom(), pcp.NullInDom} {
		if list, err := pmapi.InstancesOf(k.ctx, k.src, d, pmapi.Ever()); err == nil {
			k.errorf("Instances(%v) of all times: %v; want an error", d, list)
		}
	}
}
