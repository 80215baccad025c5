package archive

import (
	"time"

	"pmtools/lib/pcp"
)

// An Observer is called for the records that are read, to find mistakes. Its functions may be nil,
// and must be safe for concurrent use.
type Observer struct {
	// File is called for each file that was opened, with its label.
	File func(path string, l *Label)
	// Metadata is called when the metadata of an archive was read.
	Metadata func(base string, c Counts)
	// Seek is called when the place of a time was found: volume and offset of the next record.
	Seek func(m pcp.Mode, t pcp.Timestamp, volume int32, offset int64)
	// Record is called for each record that is looked at. Size is the whole length in the file.
	Record func(back bool, volume int32, offset, size int64, t pcp.Timestamp)
	// Between is called for each instance that interpolation looked for: the times of the values
	// around the time, nil if there is none.
	Between func(id pcp.ID, inst int32, at pcp.Timestamp, low, high *pcp.Timestamp)
}

// Counts are the numbers of records of metadata.
type Counts struct{ Descs, InDoms, Labels, Texts int }

func (w *walker) sought(m pcp.Mode, t pcp.Timestamp, p *position) {
	if seek := w.set.opt.Observer.Seek; seek != nil {
		seek(m, t, w.set.members[p.member].volumes[p.volume].number, p.off)
	}
}

func (in *interp) bounds(s *series, t int64) {
	between := in.set.opt.Observer.Between
	if between == nil {
		return
	}
	stamp := func(x *sample) *pcp.Timestamp {
		if x.kind != isValue {
			return nil
		}
		at := in.base.Add(time.Duration(x.at))
		return &at
	}
	for i := range s.slots {
		if slot := &s.slots[i]; slot.wanted {
			between(s.desc.ID, slot.inst, in.base.Add(time.Duration(t)), stamp(&slot.low), stamp(&slot.high))
		}
	}
}
