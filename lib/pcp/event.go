package pcp

import (
	"bytes"
	"encoding/binary"
	"strings"

	"pmtools/lib/pmerr"
)

// EventFlags are the kinds of an event record.
type EventFlags uint32

// The flags of event records.
const (
	EventPoint  EventFlags = 1
	EventStart  EventFlags = 2
	EventEnd    EventFlags = 4
	EventHasID  EventFlags = 8  // the first parameter identifies the event
	EventParent EventFlags = 16 // the second parameter identifies the event's parent
	EventMissed EventFlags = 1 << 31
)

var eventFlagNames = [...]string{"point", "start", "end", "id", "parent"}

// String returns the names of the flags joined by commas, or "missed" alone.
func (f EventFlags) String() string {
	if f&EventMissed != 0 {
		return "missed"
	}
	var names []string
	for bit, name := range eventFlagNames {
		if f>>bit&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// An EventRecord is one record of an event value.
type EventRecord struct {
	Time   Timestamp
	Flags  EventFlags
	Missed int32   // with EventMissed: how many records are missing
	Params []Param // in the record's order; a metric may occur more than once
}

// A Param is one value in an event record. Its type is the record's word, not the metric's
// descriptor; Column puts the two together.
type Param struct {
	ID    ID
	Value Value // not set if the length does not fit the type; see Odd
	Odd   Odd   // the value as it was found, if Value is not set
}

// eventReader reads a big-endian event value. Its methods rely on check, which checks the lengths.
type eventReader struct {
	b       []byte
	highRes bool
}

// UnpackEvents decodes an event value. Its bytes are the content of a value block without header,
// big-endian, and the decoded parameters share them. Errors are pmerr.Conv for a value that is not
// a block, and for flags that exclude each other, pmerr.Type for a value or a parameter of a wrong
// type, pmerr.TooSmall and pmerr.TooBig for a damaged one.
func UnpackEvents(v Value) ([]EventRecord, error) {
	switch {
	case !v.set, v.typ == Int32, v.typ == Uint32:
		return nil, pmerr.Conv
	case v.typ != Event && v.typ != HighResEvent:
		return nil, pmerr.Type
	case len(v.blob) < 4:
		return nil, pmerr.TooSmall
	}
	n := int32(binary.BigEndian.Uint32(v.blob))
	if n < 0 {
		return nil, pmerr.TooSmall
	}
	r := eventReader{b: v.blob[4:], highRes: v.typ == HighResEvent}
	if err := r.check(n); err != nil {
		return nil, err
	}
	records := make([]EventRecord, n) // check has seen as many in v
	for i := range records {
		if err := r.read(&records[i]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

func (r *eventReader) headLen() int {
	if r.highRes {
		return 24
	}
	return 16
}

// check walks over n records and reports the first that is damaged. It works on a copy of r.
func (r eventReader) check(n int32) error {
	for ; n > 0; n-- {
		if len(r.b) < r.headLen() {
			return pmerr.TooBig
		}
		flags, params := r.head()
		if flags&EventMissed != 0 {
			if flags != EventMissed {
				return pmerr.Conv
			}
			continue
		}
		if params < 0 {
			return pmerr.TooSmall
		}
		for ; params > 0; params-- {
			if len(r.b) < 8 {
				return pmerr.TooBig
			}
			size := r.paramLen()
			if size < 4 || len(r.b)-4 < padded(size) {
				return pmerr.TooBig
			}
			r.b = r.b[4+padded(size):]
		}
	}
	return nil
}

// head steps over the fixed part of a record, and returns its flags and its number of parameters or missed
// records.
func (r *eventReader) head() (EventFlags, int32) {
	n := r.headLen()
	flags := EventFlags(binary.BigEndian.Uint32(r.b[n-8:]))
	count := int32(binary.BigEndian.Uint32(r.b[n-4:]))
	r.b = r.b[n:]
	return flags, count
}

func (r *eventReader) time() Timestamp {
	if r.highRes {
		return Timestamp{int64(binary.BigEndian.Uint64(r.b)), int32(binary.BigEndian.Uint64(r.b[8:]))}
	}
	usec := int32(binary.BigEndian.Uint32(r.b[4:]))
	return normalised(int64(int32(binary.BigEndian.Uint32(r.b))), int64(usec)*1000)
}

func normalised(sec, nsec int64) Timestamp {
	sec += nsec / 1e9
	if nsec %= 1e9; nsec < 0 {
		nsec += 1e9
		sec--
	}
	return Timestamp{sec, int32(nsec)}
}

// paramLen returns the length of the next parameter without identifier and padding.
func (r *eventReader) paramLen() int { return int(binary.BigEndian.Uint32(r.b[4:]) & 0xffffff) }

func padded(n int) int { return (n + 3) &^ 3 }

func (r *eventReader) read(rec *EventRecord) error {
	rec.Time = r.time()
	var count int32
	rec.Flags, count = r.head()
	if rec.Flags&EventMissed != 0 {
		rec.Missed = count
		return nil
	}
	if count == 0 {
		return nil
	}
	rec.Params = make([]Param, count)
	for i := range rec.Params {
		size := r.paramLen()
		t := Type(r.b[4])
		p := &rec.Params[i]
		p.ID = ID(binary.BigEndian.Uint32(r.b))
		if t > AggregateStatic {
			return pmerr.Type
		}
		p.set(t, r.b[8:4+size], r.b[8:4+padded(size)])
		r.b = r.b[4+padded(size):]
	}
	return nil
}

// set stores b, a value of type t; padded is b with its padding. As in the reference, a 32-bit integer is
// the first word of padded, whatever its length.
func (p *Param) set(t Type, b, padded []byte) {
	switch {
	case t == Int32 && len(padded) >= 4:
		p.Value = WordValue(t, uint64(int64(int32(binary.BigEndian.Uint32(padded)))))
	case t == Uint32 && len(padded) >= 4:
		p.Value = WordValue(t, uint64(binary.BigEndian.Uint32(padded)))
	case t == Float && len(b) == 4:
		p.Value = WordValue(t, uint64(binary.BigEndian.Uint32(b)))
	case t == Int64 || t == Uint64 || t == Double:
		if len(b) == 8 {
			p.Value = WordValue(t, binary.BigEndian.Uint64(b))
		}
	case t == String:
		p.Value = BlobValue(t, bytes.TrimSuffix(b, []byte{0}))
	case t == Aggregate || t == AggregateStatic:
		p.Value = BlobValue(t, b)
	}
	if !p.Value.set {
		p.Odd = Odd{Bad: true, Type: t, Blob: b}
	}
}
