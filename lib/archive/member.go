package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// member is one archive of a Set. It may be shared by goroutines.
type member struct {
	name    string // name as given to Open
	label   Label  // label of the first volume
	volumes []*volume
	index   []indexEntry
	loaded  []*content.File // the metadata, mapped
	warn    func(string)

	mu      sync.Mutex
	endSize int64 // size of the last volume when the logical end was found, 0 for never
	endTime pcp.Timestamp
	endErr  error
}

func (m *member) close() error {
	var errs []error
	for _, v := range m.volumes {
		errs = append(errs, v.close())
	}
	return errors.Join(append(errs, m.unload())...)
}

func (m *member) unload() error {
	var errs []error
	for _, c := range m.loaded {
		errs = append(errs, c.Close())
	}
	m.loaded = nil
	return errors.Join(errs...)
}

// release lets the system drop the mapped pages of the metadata until the next read.
func (m *member) release() {
	for _, c := range m.loaded {
		c.Release(0, content.Everything)
	}
}

func (m *member) volumeIndex(number int32) int {
	return slices.IndexFunc(m.volumes, func(v *volume) bool { return v.number == number })
}

// end returns the time of the last complete record (archive.md A9). It looks again when the last volume has
// grown.
func (m *member) end(ctx context.Context) (t pcp.Timestamp, err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.volumes[len(m.volumes)-1]
	w := window{ctx: ctx}
	var size int64
	if ok, _ := w.look(last); ok {
		size, _ = w.size()
	}
	if m.endSize != 0 && m.endSize == size {
		return m.endTime, m.endErr
	}
	m.endTime, m.endErr = m.findEnd(ctx)
	m.endSize = size
	if m.endErr != nil && !errors.Is(m.endErr, pmerr.LogRec) {
		m.endSize = 0
	}
	return m.endTime, m.endErr
}

// knownEnd is end, except that an archive without records is not an error.
func (m *member) knownEnd(ctx context.Context) (t pcp.Timestamp, known bool, err error) {
	t, err = m.end(ctx)
	if errors.Is(err, pmerr.LogRec) {
		return t, false, nil
	}
	return t, err == nil, err
}

func (m *member) findEnd(ctx context.Context) (pcp.Timestamp, error) {
	for i := len(m.volumes) - 1; i >= 0; i-- {
		w := window{ctx: ctx}
		ok, err := w.look(m.volumes[i])
		if err == nil && !ok {
			continue
		}
		var size int64
		if err == nil {
			size, err = w.size()
		}
		if err != nil && !absent(err) { // the undamaged part of a damaged volume counts
			return pcp.Timestamp{}, err
		}
		if size <= w.label {
			continue
		}
		if rec, err := w.checkedBefore(size); err == nil {
			return m.plausibleEnd(&w, rec, size), ctx.Err()
		}
		t, ok, err := m.endByIndex(&w, size)
		if err != nil {
			return pcp.Timestamp{}, &Error{File: w.vol.path, Offset: -1, Err: err}
		}
		if ok {
			return t, nil
		}
	}
	return pcp.Timestamp{}, &Error{File: m.name, Offset: -1, Err: fmt.Errorf("%w: no complete record", pmerr.LogRec)}
}

// longestGap is the longest time, in seconds, between records that is believed: a century.
const longestGap = 100 * 365 * 24 * 3600

// far reports whether t is so long after before that it is taken for damage.
func far(before, t pcp.Timestamp) bool { return t.Sec-before.Sec > longestGap }

// plausibleEnd returns the time of rec, the last record before end, or of the first record before it whose time is
// not damaged: with a damaged one as the end of a window, tools step through billions of years. A time is damaged
// that is far from the start in the label and from the first record of the volume, since each of these may be damaged
// itself. Without such a record there is only the start.
func (m *member) plausibleEnd(w *window, rec record, end int64) pcp.Timestamp {
	damaged := func(t pcp.Timestamp) bool { return far(m.label.Start, t) }
	if !damaged(rec.stamp) {
		return rec.stamp
	}
	if src, err := w.recordAt(w.label); err == nil && w.label+int64(len(src)) < end {
		if first, err := checkedRecord(src, w.vol.label.Version); err == nil && !far(first.stamp, rec.stamp) && first.stamp.Sec <= rec.stamp.Sec {
			return rec.stamp
		}
	}
	last := rec.stamp
	for err := error(nil); damaged(rec.stamp); {
		end -= int64(len(rec.src))
		if rec, err = w.checkedBefore(end); err != nil { // it was the first
			rec.stamp = m.label.Start
		}
	}
	m.warn(fmt.Sprintf("Warning: archive \"%s\" vol %d: the time of the last record, %d seconds after the start, is damaged: the archive ends %d seconds after the start",
		m.name, w.vol.number, last.Sec-m.label.Start.Sec, rec.stamp.Sec-m.label.Start.Sec))
	return rec.stamp
}

// endByIndex reads a volume from its last index entry on, and returns the time of the last good record.
func (m *member) endByIndex(w *window, size int64) (t pcp.Timestamp, ok bool, err error) {
	off := int64(-1)
	for _, e := range m.index {
		if e.vol == w.vol.number && e.data <= size {
			off = e.data
		}
	}
	if off < 0 {
		return t, false, w.ctx.Err()
	}
	if off != w.label {
		rec, err := w.checkedBefore(off)
		if err != nil {
			return t, false, cmp.Or(w.ctx.Err(), error(pmerr.LogRec))
		}
		off -= int64(len(rec.src))
	}
	for {
		src, err := w.recordAt(off)
		if err != nil || src == nil {
			return t, ok, w.ctx.Err()
		}
		rec, err := checkedRecord(src, w.vol.label.Version)
		if err != nil {
			return t, ok, nil
		}
		if ok && far(t, rec.stamp) {
			return t, ok, nil
		}
		t, ok = rec.stamp, true
		off += int64(len(src))
	}
}

func (w *window) checkedBefore(end int64) (record, error) {
	src, err := w.recordBefore(end)
	if err != nil {
		return record{}, err
	}
	return checkedRecord(src, w.vol.label.Version)
}

func checkedRecord(src []byte, version int) (rec record, err error) {
	if err := rec.decode(src, version); err != nil {
		return rec, err
	}
	return rec, rec.check()
}
