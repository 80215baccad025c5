package pmda

import (
	"encoding/binary"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Events builds a value of type Event or HighResEvent: records, each with a time and parameters.
// Column.Bytes takes it:
//
//	ev := pmda.NewEvents(pcp.Event)
//	ev.Record(now, pcp.EventPoint)
//	ev.Param(id, pcp.BlobValue(pcp.String, []byte("fetch")))
//	col.Bytes(inst, ev.Bytes())
type Events struct {
	highRes bool
	buf     []byte
	records uint32
	params  int // where the number of parameters of the last record stands; 0 without one
}

// NewEvents returns an empty Events for a metric of type t.
func NewEvents(t pcp.Type) *Events {
	ev := &Events{highRes: t == pcp.HighResEvent}
	ev.Reset()
	return ev
}

// Reset removes all records, and keeps the memory.
func (ev *Events) Reset() { ev.buf, ev.records, ev.params = append(ev.buf[:0], 0, 0, 0, 0), 0, 0 }

// Record begins a record. The flag EventMissed is pmerr.Conv: see Missed.
func (ev *Events) Record(at pcp.Timestamp, flags pcp.EventFlags) error {
	if flags&pcp.EventMissed != 0 {
		return pmerr.Conv
	}
	ev.record(at, flags, 0)
	ev.params = len(ev.buf) - 4
	return nil
}

// Missed adds a record that says that n records are missing here.
func (ev *Events) Missed(at pcp.Timestamp, n int32) {
	ev.record(at, pcp.EventMissed, n)
	ev.params = 0
}

func (ev *Events) record(at pcp.Timestamp, flags pcp.EventFlags, n int32) {
	if ev.highRes {
		ev.buf = binary.BigEndian.AppendUint64(ev.buf, uint64(at.Sec))
		ev.buf = binary.BigEndian.AppendUint64(ev.buf, uint64(int64(at.Nsec)))
	} else {
		ev.buf = binary.BigEndian.AppendUint32(ev.buf, uint32(at.Sec))
		ev.buf = binary.BigEndian.AppendUint32(ev.buf, uint32(at.Nsec/1000))
	}
	ev.buf = binary.BigEndian.AppendUint32(ev.buf, uint32(flags))
	ev.buf = binary.BigEndian.AppendUint32(ev.buf, uint32(n))
	ev.records++
	binary.BigEndian.PutUint32(ev.buf, ev.records)
}

const maxParam = 1<<24 - 1 - 4 // bytes: a word has 24 bits for the length, which includes itself

// Param adds a parameter to the record that was begun last. Without one it is pmerr.EINVAL; a value
// that is not a number, string or aggregate is pmerr.Type, a value that is too long pmerr.TooBig.
func (ev *Events) Param(id pcp.ID, v pcp.Value) error {
	if ev.params == 0 {
		return pmerr.EINVAL
	}
	var word [8]byte
	b := word[:0]
	switch v.Type() {
	case pcp.Int32, pcp.Uint32, pcp.Float:
		b = binary.BigEndian.AppendUint32(b, uint32(v.Word()))
	case pcp.Int64, pcp.Uint64, pcp.Double:
		b = binary.BigEndian.AppendUint64(b, v.Word())
	case pcp.String, pcp.Aggregate:
		b = v.Bytes()
	default:
		return pmerr.Type
	}
	switch {
	case !v.IsSet():
		return pmerr.Value
	case len(b) > maxParam:
		return pmerr.TooBig
	}
	ev.buf = binary.BigEndian.AppendUint32(ev.buf, uint32(id))
	ev.buf = binary.BigEndian.AppendUint32(ev.buf, uint32(v.Type())<<24|uint32(len(b)+4))
	ev.buf = append(ev.buf, b...)
	for range -len(b) & 3 {
		ev.buf = append(ev.buf, 0)
	}
	n := binary.BigEndian.Uint32(ev.buf[ev.params:])
	binary.BigEndian.PutUint32(ev.buf[ev.params:], n+1)
	return nil
}

// Len returns the number of records.
func (ev *Events) Len() int { return int(ev.records) }

// Bytes returns the value. It is valid until the next change.
func (ev *Events) Bytes() []byte { return ev.buf }
