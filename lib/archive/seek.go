package archive

import (
	"errors"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// memberAt returns the last member that starts up to t, else the first one, or -1 if none is left.
func (w *walker) memberAt(t pcp.Timestamp) int {
	found := -1
	for i := w.neighbour(len(w.set.members), -1); i >= 0; i = w.neighbour(i, -1) {
		found = i
		if w.set.members[i].label.Start.Compare(t) <= 0 {
			break
		}
	}
	return found
}

// seekEntry moves p to the target of an index entry, if a record begins or ends there.
func (w *walker) seekEntry(m int, e *indexEntry, p *position) bool {
	v := w.set.members[m].volumeIndex(e.vol)
	if v < 0 {
		return false
	}
	if ok, err := w.look(w.set.members[m].volumes[v]); !ok || err != nil {
		return false
	}
	if e.data < w.label {
		return false
	}
	if _, err := w.recordBefore(e.data); err != nil {
		if src, _ := w.recordAt(e.data); src == nil {
			return false
		}
	}
	*p = position{member: m, volume: v, off: e.data}
	return true
}

// seekForward moves p to the start of reading forward from t. Like the reference it trusts the temporal
// index (archive.md A6, A14.2): an entry for exactly t is the result, even if it points after the record of
// that time, as the last entry of older archives does. Otherwise the search starts at the nearer of the
// entries around t. Damage on the way back is an error.
func (w *walker) seekForward(t pcp.Timestamp, p *position) error {
	m := w.memberAt(t)
	if m < 0 {
		return pmerr.EOL
	}
	*p = position{member: m}
	index := w.set.members[m].index
	i := slices.IndexFunc(index, func(e indexEntry) bool { return e.stamp.Compare(t) >= 0 })
	if i < 0 {
		i = len(index)
	} else {
		exact := index[i].stamp == t
		nearer := i > 0 && index[i].stamp.Sub(t) <= t.Sub(index[i-1].stamp)
		if (exact || nearer) && w.seekEntry(m, &index[i], p) {
			if exact {
				return nil
			}
			return w.backTo(t, p)
		}
	}
	for k := i - 1; k >= 0; k-- {
		if !w.seekEntry(m, &index[k], p) {
			continue
		}
		if i == len(index) {
			return nil
		}
		_, err := w.backOne(p, true)
		return err
	}
	return nil
}

// backTo moves p backward over the records of its member after t, and over one record of exactly that time.
func (w *walker) backTo(t pcp.Timestamp, p *position) error {
	for first := true; ; first = false {
		q := *p
		stamp, err := w.backOne(&q, first)
		if err != nil || q == *p || stamp.Compare(t) < 0 {
			return err
		}
		*p = q
		if stamp == t {
			return nil
		}
	}
}

// backOne moves p before the record that ends at p, if its member has one, and returns the record's time.
// Damage is an error unless the reference skips it: if the length is impossible, or if frame, time and
// number of sets are plausible and the record is not the first on the way.
func (w *walker) backOne(p *position, first bool) (pcp.Timestamp, error) {
	var rec record
	q := *p
	ok, err := w.before(&q, &rec)
	switch {
	case ok:
		*p = q
	case errors.Is(err, pmerr.LogRec) && !w.passes(q.off, first):
		return rec.stamp, err
	}
	return rec.stamp, nil
}

func (w *walker) passes(end int64, first bool) bool {
	src, err := recordBefore(w.data[:w.hi], w.label, end)
	if err != nil {
		size, ok := trailerBefore(w.data[:w.hi], end)
		return !ok || size < 8 || size > end
	}
	var rec record
	return !first && rec.decode(src, w.vol.label.Version) == nil && rec.nsets <= len(src)/8
}

// seekBackward moves p after the last record up to t.
func (w *walker) seekBackward(t pcp.Timestamp, p *position) error {
	m := w.memberAt(t)
	if m < 0 {
		return pmerr.EOL
	}
	*p = position{member: m}
	if w.set.members[m].label.Start.Compare(t) > 0 {
		return nil
	}
	index := w.set.members[m].index
	for i := range index {
		if index[i].stamp.Compare(t) > 0 && w.seekEntry(m, &index[i], p) {
			w.skipTo(t, p)
			return nil
		}
	}
	return w.toEnd(p, m)
}

// skipTo moves p forward over the records of its member up to t, until one is damaged.
func (w *walker) skipTo(t pcp.Timestamp, p *position) {
	var rec record
	for q := *p; ; *p = q {
		if ok, err := w.after(&q, &rec); !ok || err != nil || rec.stamp.Compare(t) > 0 {
			return
		}
	}
}
