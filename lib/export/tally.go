package export

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go/bloom/xxhash"

	"pmtools/lib/archive"
)

// A stretch numbers the uninterrupted stretches of a recording, and the records of one time.
type stretch struct {
	seg    int32 // of the stretch that is read
	begun  bool
	marked bool  // since the last record
	nth    int32 // the number of the last record among those of its time
	last   int64 // its time
	tick   int64 // records of one are of one time
}

// same reports whether the tables have no later time than that of the last record.
func (s *stretch) same(at int64) bool {
	return at == s.last || s.tick > 1 && floor(at, s.tick) == floor(s.last, s.tick)
}

func (s *stretch) mark() { s.marked = true }

// epoch is the year 2000, where the numbers of stretches begin: they fit 32 bits until 2068.
const epoch = 946684800

// at returns the number of the stretch of a record at a time: the second in which the stretch begins, so
// that the numbers of a host's recordings differ, but greater than the number before.
func (s *stretch) at(at int64) int32 {
	if s.nth++; !s.begun || !s.same(at) {
		s.nth = 0
	}
	s.last = at
	if s.begun && !s.marked {
		return s.seg
	}
	n := int32(min(max(floor(at, int64(time.Second))-epoch, -1<<31), 1<<31-1))
	if s.begun && n <= s.seg {
		n = s.seg + 1
	}
	s.begun, s.marked, s.seg = true, false, n
	return n
}

// A heard is a record of an archive, of metrics that are exported or not.
type heard struct {
	at     int64 // nanoseconds
	place  archive.Place
	sum    sum
	gap    int  // of the coverage
	counts bool // it is to be exported
	mark   bool
}

// A tally sums up the records that an export has read.
type tally struct {
	members []archive.Member
	rows    []recordRow // of records that the table does not have yet
	pieces  []counted
	sealed  int      // pieces whose records are in complete files
	done    *counted // the last piece that was committed
}

// A counted is a piece of a member of a recording, in a gap of its coverage.
type counted struct {
	piece
	member, gap int
}

func (t *tally) add(h *heard) {
	n := len(t.pieces)
	if n == t.sealed || t.pieces[n-1].member != h.place.Member || t.pieces[n-1].gap != h.gap {
		m := &t.members[h.place.Member]
		p := piece{Archive: utf8Text(NameOf(m.Name)), Label: labelSum(&m.Label), From: stamp(h.at), First: h.sum}
		t.pieces = append(t.pieces, counted{p, h.place.Member, h.gap})
		n++
	}
	p := &t.pieces[n-1]
	p.To = stamp(h.at)
	p.Records++
	p.Times += timeSum(h.at)
	p.Sum += h.sum
	t.rows = append(t.rows, recordRow{h.at, uint64(h.sum)})
}

// seal notes that all records so far are in complete files.
func (t *tally) seal() {
	if i := t.sealed; i > 0 && i < len(t.pieces) && t.pieces[i].goesOn(&t.pieces[i-1]) {
		t.pieces[i-1].join(&t.pieces[i].piece)
		t.pieces = slices.Delete(t.pieces, i, i+1)
	}
	t.sealed = len(t.pieces)
}

func (c *counted) goesOn(last *counted) bool { return c.member == last.member && c.gap == last.gap }

// complete returns the pieces that were sealed.
func (t *tally) complete() []counted { return t.pieces[:t.sealed] }

// before returns the piece that the first one of the tally goes on, nil if there is none.
func (t *tally) before(c *coverage, m *manifest) *piece {
	if t.sealed == 0 {
		return nil
	}
	first := &t.pieces[0]
	if t.done != nil && first.goesOn(t.done) {
		return &t.done.piece
	}
	if u := c.gaps[first.gap].unit; u >= 0 && t.done == nil {
		list := m.Exports[u].Pieces
		last := &list[len(list)-1]
		if last.Label == first.Label && last.To <= first.From { // not a gap between pieces
			return last
		}
	}
	return nil
}

// commit forgets the pieces that were sealed. end is the last one, with those before that it goes on.
func (t *tally) commit(end piece) {
	if t.sealed > 0 {
		last := t.pieces[t.sealed-1]
		last.piece = end
		t.done = &last
	}
	t.pieces, t.sealed = slices.Delete(t.pieces, 0, t.sealed), 0
}

// join makes the piece longer by the records of another, which follow its own.
func (p *piece) join(next *piece) {
	p.To = next.To
	p.Records += next.Records
	p.Times += next.Times
	p.Sum += next.Sum
}

func timeSum(at int64) sum {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(at))
	return sum(xxhash.Sum64(b[:]))
}

// recordSum is the sum of the time of a record and of its values as they are stored.
func recordSum(at int64, body []byte) sum {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], uint64(at))
	binary.LittleEndian.PutUint64(b[8:], xxhash.Sum64(body))
	return sum(xxhash.Sum64(b[:]))
}

func labelSum(l *archive.Label) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(l.PID))
	b = binary.LittleEndian.AppendUint64(b, uint64(l.Start.Sec))
	b = binary.LittleEndian.AppendUint32(b, uint32(l.Start.Nsec))
	b = append(append(append(b, l.Host...), 0), l.Zone...)
	text, _ := sum(xxhash.Sum64(b)).MarshalText()
	return string(text)
}
