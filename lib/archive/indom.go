package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// maxCachedInstances is how many decoded instances of all observations of a
// domain are kept. Beyond it only the last used observation is kept: in a long
// archive there may be many that differ by little.
const maxCachedInstances = 1 << 20

// domain is what is known of an instance domain. It may be shared by goroutines
// once it is loaded.
type domain struct {
	id    pcp.InDom
	obs   []observation // in the order of time, equal times in the order of loading
	delta []bool        // which of them only say what changed
	warn  func(msg string)

	mu     sync.Mutex
	lists  map[int][]pcp.Instance // decoded observations, ascending by identifier
	cached int
	all    []pcp.Instance // the union
}

// add takes in an observation, unless it is there already.
func (d *domain) add(rec *indomRecord) {
	i := len(d.obs)
	for i > 0 && d.obs[i-1].at.Compare(rec.at) > 0 {
		i--
	}
	for k := i - 1; k >= 0 && d.obs[k].at == rec.at; k-- {
		if d.delta[k] == rec.delta && bytes.Equal(d.obs[k].body, rec.body) {
			return
		}
	}
	d.obs = slices.Insert(d.obs, i, rec.observation)
	d.delta = slices.Insert(d.delta, i, rec.delta)
}

// list returns observation i.
func (d *domain) list(i int) []pcp.Instance {
	if list, ok := d.lists[i]; ok {
		return list
	}
	// From the nearest one that is known or complete, the changes are applied.
	first := i
	var list []pcp.Instance
	for ; first > 0 && d.delta[first]; first-- {
		if known, ok := d.lists[first-1]; ok {
			list = known
			break
		}
	}
	for k := first; k <= i; k++ {
		if d.delta[k] {
			list = d.apply(list, d.obs[k].body)
		} else {
			list = decodeInstances(d.obs[k].body)
		}
		if k == i || d.cached+len(list) <= maxCachedInstances {
			d.keep(k, list)
		}
	}
	return list
}

// keep remembers a decoded observation.
func (d *domain) keep(i int, list []pcp.Instance) {
	if d.lists == nil || d.cached+len(list) > maxCachedInstances {
		d.lists, d.cached = make(map[int][]pcp.Instance), 0
	}
	d.lists[i] = list
	d.cached += len(list)
}

// decodeInstances decodes a full record that was checked, ascending by identifier.
func decodeInstances(body []byte) []pcp.Instance {
	list, _ := decodeChanges(body)
	return list
}

// decodeChanges decodes the instances of a record that was checked, ascending by
// identifier; gone tells by identifier which of them are deleted.
func decodeChanges(body []byte) (list []pcp.Instance, gone map[int32]bool) {
	r := wire.NewReader(body)
	n := r.Count(8)
	ids, offsets := wire.NewReader(r.Bytes(4*n)), wire.NewReader(r.Bytes(4*n))
	names := r.String(r.Len())
	list = make([]pcp.Instance, 0, n)
	sorted := true
	for range n {
		id, off := ids.Int32(), int(offsets.Int32())
		var name string
		if off < 0 {
			if gone == nil {
				gone = make(map[int32]bool)
			}
			gone[id] = true
		} else if off < len(names) {
			name = names[off:]
			if end := strings.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
		}
		sorted = sorted && (len(list) == 0 || list[len(list)-1].ID < id)
		list = append(list, pcp.Instance{ID: id, Name: name})
	}
	if !sorted {
		slices.SortStableFunc(list, func(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) })
	}
	return list, gone
}

// apply returns list with the changes of a delta (archive.md A7.4).
func (d *domain) apply(list []pcp.Instance, body []byte) []pcp.Instance {
	changes, gone := decodeChanges(body)
	out := make([]pcp.Instance, 0, len(list)+len(changes))
	k := 0 // of what is in list, so much is done
	for i, c := range changes {
		for k < len(list) && list[k].ID < c.ID {
			out = append(out, list[k])
			k++
		}
		present := k < len(list) && list[k].ID == c.ID
		switch {
		case gone[c.ID] && present:
			k++
		case gone[c.ID]:
			d.botch("delta inst[%d]=%d delete but inst not in full indom, skipped", i, c.ID)
		case !present:
			out = append(out, c)
		case list[k].Name != c.Name:
			d.botch("full inst[%d]=%d \"%s\" and redefined in delta inst[%d]=%d \"%s\", second one skipped",
				k, c.ID, list[k].Name, i, c.ID, c.Name)
		}
	}
	return append(out, list[k:]...)
}

// botch reports a delta that does not fit what it is applied to, in the words of
// the reference.
func (d *domain) botch(format string, args ...any) {
	if d.warn != nil {
		d.warn(fmt.Sprintf("__pmLogUndeltaInDom: Botch: InDom %s: ", d.id) + fmt.Sprintf(format, args...))
	}
}

// at returns the latest observation that is not later than t.
func (d *domain) at(t pcp.Timestamp) ([]pcp.Instance, error) {
	i := latest(d.obs, t)
	if i < 0 {
		return nil, pmerr.InDomLog
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.list(i), nil
}

// union returns the instances of all observations: those of the newest, then
// those of the one before that are not among them, and so on (archive.md A11.5).
func (d *domain) union() []pcp.Instance {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all != nil {
		return d.all
	}
	// Deltas can only be applied forwards, so the lists are decoded in that order
	// first; each instance then belongs to the newest list that holds it.
	type last struct {
		obs  int
		name string
	}
	newest := make(map[int32]last)
	for i := range d.obs {
		for _, inst := range d.list(i) {
			newest[inst.ID] = last{i, inst.Name}
		}
	}
	d.all = make([]pcp.Instance, 0, len(newest))
	for id, l := range newest {
		d.all = append(d.all, pcp.Instance{ID: id, Name: l.name})
	}
	slices.SortFunc(d.all, func(a, b pcp.Instance) int {
		return cmp.Or(cmp.Compare(newest[b.ID].obs, newest[a.ID].obs), cmp.Compare(a.ID, b.ID))
	})
	return d.all
}

// matchInstance finds an instance by its name, or by the part of its name before
// the first blank (archive.md A11.3).
func matchInstance(list []pcp.Instance, name string) (int32, bool) {
	for _, inst := range list {
		if inst.Name == name {
			return inst.ID, true
		}
	}
	for _, inst := range list {
		if k := strings.IndexByte(inst.Name, ' '); k >= 0 && strings.HasPrefix(name, inst.Name[:k]) {
			return inst.ID, true
		}
	}
	return 0, false
}

// domain returns what is known of d.
func (s *Set) domain(d pcp.InDom) (*domain, error) {
	if d == pcp.NullInDom {
		return nil, pmerr.InDom
	}
	dom := s.indoms[d]
	if dom == nil {
		return nil, pmerr.InDomLog
	}
	return dom, nil
}

// Instances returns the instances that a domain had at a time, ascending by
// identifier; pmerr.InDomLog if nothing was recorded by then. The slice may not be
// changed.
func (s *Set) Instances(d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	dom, err := s.domain(d)
	if err != nil {
		return nil, err
	}
	return dom.at(at)
}

// AllInstances returns all instances that a domain ever had with their latest
// names: those of the newest observation ascending by identifier, then those of
// the one before that were not yet listed, and so on. The slice may not be
// changed.
func (s *Set) AllInstances(d pcp.InDom) ([]pcp.Instance, error) {
	dom, err := s.domain(d)
	if err != nil {
		return nil, err
	}
	return dom.union(), nil
}

// LookupInst returns the instance that had a name at a time; the part of its name
// before the first blank will do. pmerr.InstLog if there is none.
func (s *Set) LookupInst(d pcp.InDom, name string, at pcp.Timestamp) (int32, error) {
	list, err := s.Instances(d, at)
	if err != nil {
		return pcp.NullInst, err
	}
	if id, ok := matchInstance(list, name); ok {
		return id, nil
	}
	return pcp.NullInst, pmerr.InstLog
}

// LookupInstAll is LookupInst over all observations, the newest first.
func (s *Set) LookupInstAll(d pcp.InDom, name string) (int32, error) {
	dom, err := s.domain(d)
	if err != nil {
		return pcp.NullInst, err
	}
	dom.mu.Lock()
	defer dom.mu.Unlock()
	for i := len(dom.obs) - 1; i >= 0; i-- {
		if id, ok := matchInstance(dom.list(i), name); ok {
			return id, nil
		}
	}
	return pcp.NullInst, pmerr.InstLog
}

// InstName returns the name that an instance had at a time, or pmerr.InstLog.
func (s *Set) InstName(d pcp.InDom, inst int32, at pcp.Timestamp) (string, error) {
	list, err := s.Instances(d, at)
	if err != nil {
		return "", err
	}
	i, ok := slices.BinarySearchFunc(list, inst, func(x pcp.Instance, id int32) int { return cmp.Compare(x.ID, id) })
	if !ok {
		return "", pmerr.InstLog
	}
	return list[i].Name, nil
}

// InstNameAll returns the latest name of an instance, or pmerr.InstLog.
func (s *Set) InstNameAll(d pcp.InDom, inst int32) (string, error) {
	list, err := s.AllInstances(d)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(x pcp.Instance) bool { return x.ID == inst })
	if i < 0 {
		return "", pmerr.InstLog
	}
	return list[i].Name, nil
}
