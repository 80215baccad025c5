package format

import (
	"encoding/binary"
	"strconv"

	"pmtools/lib/pcp"
)

// appendEvents appends the summary of an event value (values.md V11.4): the numbers of records and
// of missed records, the times of the first and the last.
//
// This function repeats the reference's walk over the records, which does not step over a record of
// missed events: all later steps see that record again, add its count again, and take its time as
// that of the last record.
func (o *Options) appendEvents(dst []byte, t pcp.Type, b []byte) []byte {
	dst, n := appendEventCount(dst, b)
	b = b[min(4, len(b)):]
	last, missed := walkEvents(t, b, n)
	if missed > 0 {
		dst = strconv.AppendInt(append(dst, " ("...), int64(missed), 10)
		dst = append(dst, " missed)"...)
	}
	if head := eventHead(t); n > 0 && len(b) >= head && len(last) >= head {
		dst = append(dst, " timestamp"...)
		if n > 1 {
			dst = append(dst, 's')
		}
		dst = o.appendEventTime(append(dst, ' '), t, b)
		if n > 1 {
			dst = o.appendEventTime(append(dst, "..."...), t, last)
		}
	}
	return append(dst, ']')
}

func appendEventCount(dst, b []byte) ([]byte, int32) {
	n := int32(0)
	if len(b) >= 4 {
		n = int32(binary.BigEndian.Uint32(b))
	}
	dst = strconv.AppendInt(append(dst, '['), int64(n), 10)
	if n == 1 {
		return append(dst, " event record"...), n
	}
	return append(dst, " event records"...), n
}

func eventHead(t pcp.Type) int {
	if t == pcp.HighResEvent {
		return 24
	}
	return 16
}

// walkEvents walks over the first n-1 records of b as the reference does, up to damage. It returns the
// bytes from the last record on, and the number of missed events.
func walkEvents(t pcp.Type, b []byte, n int32) (last []byte, missed int32) {
	head := eventHead(t)
	for i := int32(0); i < n-1 && len(b) >= head; i++ {
		flags := pcp.EventFlags(binary.BigEndian.Uint32(b[head-8:]))
		count := int32(binary.BigEndian.Uint32(b[head-4:]))
		if flags&pcp.EventMissed != 0 {
			// Every step left sees this record once more.
			return b, missed + count*(n-1-i)
		}
		next, ok := skipParams(b[head:], count)
		if !ok {
			return b, missed
		}
		b = next
	}
	return b, missed
}

// skipParams returns the bytes after n parameters, and whether b has all n of them.
func skipParams(b []byte, n int32) ([]byte, bool) {
	for ; n > 0; n-- {
		if len(b) < 8 {
			return b, false
		}
		size := int(binary.BigEndian.Uint32(b[4:])&0xffffff+3) &^ 3
		if len(b)-4 < size {
			return b, false
		}
		b = b[4+size:]
	}
	return b, true
}

func (o *Options) appendEventTime(dst []byte, t pcp.Type, b []byte) []byte {
	if t == pcp.HighResEvent {
		sec := int64(binary.BigEndian.Uint64(b))
		nsec := int64(int32(binary.BigEndian.Uint64(b[8:]))) // the nanoseconds of a time: 64 bits on the wire, 32 in the reference
		return appendClock(dst, sec, nsec, 9, o.location())
	}
	sec := int64(int32(binary.BigEndian.Uint32(b)))
	usec := int32(binary.BigEndian.Uint32(b[4:]))
	return appendClock(dst, sec, int64(usec/1000), 3, o.location())
}
