package archive

import (
	"cmp"
	"math"
	"slices"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

type interp struct {
	finder
	wrap  bool
	delta time.Duration

	end int64 // the end of the recording when last looked for, initially its start

	series map[pcp.ID]*series
	all    []*series // series of the current fetch, each once
	fetch  uint64    // number of the current fetch
	jumped bool      // a mark was crossed since the previous fetch
	jumpAt int64     // time of that fetch
	made   sample
}

const (
	isUnknown = iota // not searched yet
	isNone           // there is none
	isMark           // there is a mark instead
	isValue
)

// sample is a bound of a metric-instance: the last value or mark before a time, or the first one after it.
type sample struct {
	kind uint8
	at   int64
	word uint64
	blob []byte
}

// slot holds the samples of an instance around the current time: low is not after it, high not before it.
type slot struct {
	inst      int32
	wanted    bool // requested
	low, high sample
	birth     int64 // bounds of the lifetime: no values before birth or after death
	death     int64
	seen      [2]int64 // times of its last samples in searches: see watch
}

type series struct {
	desc  pcp.Desc
	err   error
	slots []slot        // slots in the order of results
	place map[int32]int // index in slots by instance; nil for a singular metric
	left  int           // slots that the current search must fill
	used  uint64        // the number of the fetch that used it last
	col   pcp.Values    // the value set decoded last

	watched [2]watch // the searches downward and upward

	stepped bool  // prev and had are valid
	prev    int64 // time of the last fetch of the metric
	had     bool  // the value set had values
}

func (in *interp) newSeries(id pcp.ID) *series {
	set := in.set
	d, ok := set.descs[id]
	if !ok || d.Type == pcp.NoSupport {
		return &series{desc: pcp.Desc{ID: id, Type: pcp.Unknown, InDom: pcp.NullInDom}, err: pmerr.PMIDLog}
	}
	s := &series{desc: d}
	if d.InDom == pcp.NullInDom {
		s.slots = []slot{{inst: pcp.NullInst, birth: math.MinInt64, death: math.MaxInt64}}
		return s
	}
	dom := set.indoms[d.InDom]
	if dom == nil {
		return s
	}
	all := dom.union()
	s.slots = make([]slot, len(all))
	for i, k := range resultOrder(all) {
		s.slots[i] = slot{inst: all[k].ID, birth: math.MinInt64, death: math.MaxInt64}
	}
	s.place = make(map[int32]int, len(all))
	for i := range s.slots {
		s.place[s.slots[i].inst] = i
	}
	if lives := dom.lifetimes(); lives != nil {
		for i := range s.slots {
			l := lives[s.slots[i].inst]
			s.slots[i].birth = in.rel(l.birth)
			if l.dies {
				s.slots[i].death = in.rel(l.death)
			}
		}
	}
	return s
}

// resultOrder returns the places of instances in the reference's order: that of a hash table (archive.md
// A13.8).
func resultOrder(all []pcp.Instance) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = len(all) - 1 - i
	}
	n := uint32(len(all))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(uint32(all[a].ID)%n, uint32(all[b].ID)%n)
	})
	return order
}

// find returns the place of an instance, if it has a slot. hint is a likely place.
func (s *series) find(inst int32, hint int) (place int, ok bool) {
	switch {
	case hint < len(s.slots) && s.slots[hint].inst == inst:
		return hint, true
	case s.place == nil: // a singular metric, or one without known instances
		return 0, len(s.slots) == 1
	}
	place, ok = s.place[inst]
	return place, ok
}

// To find that an instance is gone, a search must read up to the next mark or the end. To avoid
// this for every instance that goes, a search notes when it last saw each instance of a metric.
// Once it has reached the mark or the end, it is known for each time on its way and for all
// instances whether there are more values.

type watch struct {
	from     int64  // time at which the search began
	complete bool   // the search reached end
	end      sample // a mark, or isNone
}

func sideOf(up bool) int {
	if up {
		return 1
	}
	return 0
}

func (w *watch) covers(up bool, t int64) bool {
	if up {
		return w.complete && t >= w.from && t < w.end.at
	}
	return w.complete && t <= w.from && t > w.end.at
}

// watch prepares for a search from t, unless t is in the part of an earlier search.
func (s *series) watch(up bool, t int64) {
	if s.left == 0 {
		return
	}
	side := sideOf(up)
	if s.watched[side].covers(up, t) {
		return
	}
	s.watched[side] = watch{from: t}
	never := int64(math.MinInt64)
	if !up {
		never = math.MaxInt64
	}
	for i := range s.slots {
		s.slots[i].seen[side] = never
	}
}

// recall fills a bound from an earlier search that found no value before the next mark or the end.
func (s *series) recall(slot *slot, up bool, t int64) bool {
	side := sideOf(up)
	w := &s.watched[side]
	if !w.covers(up, t) || up && slot.seen[side] >= t || !up && slot.seen[side] <= t {
		return false
	}
	*slot.bound(up) = w.end
	return true
}

func (s *slot) bound(up bool) *sample {
	if up {
		return &s.high
	}
	return &s.low
}
