package archive

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// domain holds the observations of an instance domain. Goroutines may share it once it is loaded.
type domain struct {
	id      pcp.InDom
	obs     []observation // observations by time, equal times in the order of loading
	warn    func(msg string)
	release func() // lets go of the memory of the observations

	mu       sync.Mutex
	lists    map[int][]pcp.Instance // decoded observations, ascending by identifier
	cached   int
	all      []pcp.Instance     // the union
	lives    map[int32]lifetime // nil before replay
	mortal   bool               // lifetimes matter
	warned   map[int]bool       // the deltas reported as not fitting
	warnings int                // number of such warnings
}

// maxCachedInstances caps the decoded instances of all observations of a domain. Above it only the last
// used observation is kept: a long archive may have many similar observations.
const maxCachedInstances = 1 << 20

// settle sorts the observations by time and drops duplicates.
func (d *domain) settle() {
	sortByTime(d.obs)
	d.obs = slices.CompactFunc(d.obs, func(a, b observation) bool {
		return a.at == b.at && a.delta == b.delta && bytes.Equal(a.body, b.body)
	})
}

func sortByTime(list []observation) {
	byTime := func(a, b observation) int { return a.at.Compare(b.at) }
	if !slices.IsSortedFunc(list, byTime) {
		slices.SortStableFunc(list, byTime)
	}
}

func (d *domain) list(i int) []pcp.Instance {
	if list, ok := d.lists[i]; ok {
		return list
	}
	if !d.obs[i].delta {
		list, _ := decodeChanges(d.obs[i].body)
		d.keep(i, list)
		return list
	}
	// Apply the changes since the nearest observation that is known or complete.
	first := i
	for first > 0 && d.obs[first].delta && d.lists[first-1] == nil {
		first--
	}
	names := make(map[int32]string)
	if d.obs[first].delta && first > 0 {
		for _, inst := range d.lists[first-1] {
			names[inst.ID] = inst.Name
		}
	}
	for k := first; k <= i; k++ {
		d.apply(k, names, nil)
	}
	list := make([]pcp.Instance, 0, len(names))
	for id, name := range names {
		list = append(list, pcp.Instance{ID: id, Name: name})
	}
	slices.SortFunc(list, byID)
	d.keep(i, list)
	return list
}

func (d *domain) keep(i int, list []pcp.Instance) {
	if d.lists == nil || d.cached+len(list) > maxCachedInstances {
		d.lists, d.cached = make(map[int][]pcp.Instance), 0
	}
	d.lists[i] = list
	d.cached += len(list)
}

// at returns the latest observation up to t.
func (d *domain) at(t pcp.Timestamp) ([]pcp.Instance, error) {
	i := latest(d.obs, t)
	if i < 0 {
		return nil, pmerr.InDomLog
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.list(i), nil
}

// union returns the instances of all observations in the order of AllInstances (archive.md A11.5).
func (d *domain) union() []pcp.Instance {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replay()
	return d.all
}

// matchInstance finds an instance by its name, or by the first word of its name (archive.md A11.3).
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
