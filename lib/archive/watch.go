package archive

import "math"

// An instance that went away is searched up to the next mark, or to the end, to find
// that there is nothing more of it. So that this is not done for each instance that
// goes, a search notes when it saw each instance of a metric last. If it came to
// the mark or the end, it then knows of all instances, for each time on its way,
// whether there is anything more.

// watch is what a search noted about a metric.
type watch struct {
	from  int64  // where it began
	whole bool   // it came to end
	end   sample // a mark, or that there is nothing
}

// sideOf returns the index of a direction.
func sideOf(up bool) int {
	if up {
		return 1
	}
	return 0
}

// covers reports whether a time lies on the way of the search.
func (w *watch) covers(up bool, t int64) bool {
	if up {
		return w.whole && t >= w.from && t < w.end.at
	}
	return w.whole && t <= w.from && t > w.end.at
}

// watch prepares for a search from t, unless it lies within one that is known.
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

// recall fills a bound of which is known that there is nothing before the next mark
// or the end.
func (s *series) recall(slot *slot, up bool, t int64) bool {
	side := sideOf(up)
	w := &s.watched[side]
	if !w.covers(up, t) || up && slot.seen[side] >= t || !up && slot.seen[side] <= t {
		return false
	}
	*slot.bound(up) = w.end
	return true
}
