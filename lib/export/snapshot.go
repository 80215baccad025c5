package export

import (
	"context"
	"errors"
	"os"
	"slices"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A bookmark is where an export has ended that left an archive to grow. The next one goes on there, if nothing
// else has changed, without reading the records before.
type bookmark struct {
	manifest string // its check
	label    string // sum of the label
	gap      gap
	last     sum // of the record before the gap
}

// fits reports whether the manifest and the records up to the bookmark are as they were.
func (b *bookmark) fits(ctx context.Context, set *archive.Set, m *manifest) bool {
	members := set.Members()
	if b == nil || m.Check != b.manifest || len(members) != 1 || labelSum(&members[0].Label) != b.label {
		return false
	}
	at, _ := nanoseconds(b.gap.start)
	for i := range m.Exports {
		for n := range m.Exports[i].Pieces {
			p := &m.Exports[i].Pieces[n]
			own := i == b.gap.unit && n == len(m.Exports[i].Pieces)-1 && int64(p.To) == at
			if !own && int64(p.To) >= at {
				return false // an archive that others are merged into grows, too
			}
		}
	}
	found := false
	c := set.Cursor()
	c.Tap(func(raw *archive.Raw) {
		if at, err := nanoseconds(raw.Time); err == nil && raw.Place == b.gap.first && raw.Body != nil {
			found = recordSum(at, raw.Body) == b.last
		}
	})
	err := c.SetMode(pcp.Forward, &b.gap.start, 0)
	for err == nil && !found {
		if err = c.Skip(ctx); c.Origin() != b.gap.start {
			break
		}
	}
	return found
}

// A snapshot is the origin of the records that a growing archive has now. A record at its end that cannot be
// read may be incomplete: it is left for later, as are records that were written after metadata that have
// not been read.
type snapshot struct {
	recording
	base string
	meta int64 // size of the metadata before the archive was opened
	tail error // why the last record cannot be read
	done bool  // all records have been read
}

func metaSize(base string) int64 {
	info, err := os.Stat(base + ".meta")
	if err != nil {
		return -1
	}
	return info.Size()
}

// newSnapshot returns the Records that the archive base has now. meta is the size of its metadata before it was
// opened.
func newSnapshot(src pmapi.Source, base string, meta int64) (*Records, error) {
	r, err := newRecording(src)
	if err != nil {
		return nil, err
	}
	return &Records{Source: src, origin: &snapshot{recording: r, base: base, meta: meta}}, nil
}

// instances implements origin. Records that were read before the context is done are exported with their names.
func (s *snapshot) instances(ctx context.Context, d *domain, at pcp.Timestamp, of []int32) ([]pcp.Instance, error) {
	return s.recording.instances(context.WithoutCancel(ctx), d, at, of)
}

func (s *snapshot) endless() bool { return true }

func (s *snapshot) next(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := s.src.Fetch(ctx, req, dst)
	switch grown := metaSize(s.base) != s.meta; {
	case errors.Is(err, pmerr.LogRec):
		s.tail = err
		return pmerr.EOL
	case grown && (err == nil || errors.Is(err, pmerr.EOL)):
		return pmerr.EOL
	}
	s.done = errors.Is(err, pmerr.EOL)
	return err
}

// ended returns how reading ends after the last record of the coverage.
func (s *Records) ended() error {
	now, ok := s.origin.(*snapshot)
	if ok {
		now.done, now.tail = metaSize(now.base) == now.meta, s.cover.broken
	}
	if ok || s.cover.broken == nil {
		return pmerr.EOL
	}
	return s.cover.broken
}

// grows reports whether records are counted only when they have been used: the metadata may be too old for them.
func (s *Records) grows() bool {
	_, ok := s.origin.(*snapshot)
	return ok
}

// bookmark returns the place after the last record that was counted, nil if there is none. Records of other
// origins have none.
func (s *Records) bookmark(st *stage) *bookmark {
	if _, ok := s.origin.(*snapshot); !ok || s.last.at == 0 || len(s.tally.members) != 1 {
		return nil
	}
	if !s.last.counts && !s.cover.exact {
		return nil // the tables may have more records of its time
	}
	h, m, number := &s.last, st.m, s.cover.gaps[len(s.cover.gaps)-1].unit
	if st.key != "" {
		number = slices.IndexFunc(m.Exports, func(u unit) bool { return slices.Contains(u.Files, st.key) })
	}
	return &bookmark{m.Check, labelSum(&s.tally.members[0].Label), gap{
		after: h.place, first: h.place, open: true, start: timestamp(stamp(h.at)), state: s.before, unit: number,
	}, h.sum}
}
