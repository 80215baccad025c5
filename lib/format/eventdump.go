package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// AppendEventHead appends the rest of an event record's line, after its number and time, and a further
// line: none if the record is empty, or the number of missed events, after an indent. The line of a
// record without flags is left open for the first parameter.
func AppendEventHead(dst []byte, rec *pcp.EventRecord, none, indent string) []byte {
	switch {
	case rec.Flags == 0 && len(rec.Params) == 0:
		dst = append(append(append(dst, " ---\n"...), none...), '\n')
	case rec.Flags != 0:
		dst = fmt.Appendf(dst, " flags 0x%x (%s) ---\n", uint32(rec.Flags), rec.Flags)
	}
	if rec.Flags&pcp.EventMissed != 0 {
		dst = fmt.Appendf(dst, "%s==> %d missed event records\n", indent, rec.Missed)
	}
	return dst
}

// AppendEventStamp appends the time of a record of events: with nanoseconds if its type has them.
func AppendEventStamp(dst []byte, rec *pcp.EventRecord, t pcp.Type, zone *time.Location) []byte {
	if t == pcp.HighResEvent {
		return AppendTimeNanos(dst, rec.Time, zone)
	}
	return AppendTime(dst, rec.Time, zone)
}

// AppendEventDump appends the reference's dump of event value i of v, for which [pcp.UnpackEvents]
// returned err: all records and parameters up to the damage. A parameter of a
// wrong type is left out. name returns the names of a metric, or its identifier.
func AppendEventDump(dst []byte, v *pcp.Values, i int, err error, name func(pcp.ID) string) []byte {
	value := v.Value(i)
	b, t := value.Bytes(), value.Type()
	events := t == pcp.Event || t == pcp.HighResEvent
	if events && errors.Is(err, pmerr.Type) {
		return dst
	}
	dst = fmt.Appendf(dst, "Event Records Dump ...\nPMID: %s numval: %d valfmt: 1", v.ID, v.Len())
	if inst := v.Insts[i]; inst != pcp.NullInst {
		dst = fmt.Appendf(dst, " inst: %d", inst)
	}
	dst = fmt.Appendf(dst, " vtype: %s vlen: %d\n", t, len(b)+4)
	switch {
	case !events:
		return append(dst, "Error: bad vtype\n"...)
	case len(b) < 4:
		return append(dst, "Error: bad len (smaller than minimum size 8)\n"...)
	}
	n := int32(binary.BigEndian.Uint32(b))
	dst = fmt.Appendf(dst, "nrecords: %d\n", n)
	if n < 0 {
		return append(dst, "Error: bad nrecords\n"...)
	}
	b = b[4:]
	for k := int32(0); k < n && b != nil; k++ {
		dst, b = appendDumpedRecord(fmt.Appendf(dst, "Event Record [%d]", k), t, b, name)
	}
	return dst
}

// appendDumpedRecord appends the record of type t at the start of b. rest is nil if b ends within the record.
func appendDumpedRecord(dst []byte, t pcp.Type, b []byte, name func(pcp.ID) string) (text, rest []byte) {
	head := eventHead(t)
	if len(b) < head {
		return append(dst, ": Error: buffer overflow\n"...), nil
	}
	flags := pcp.EventFlags(binary.BigEndian.Uint32(b[head-8:]))
	count := int32(binary.BigEndian.Uint32(b[head-4:]))
	b = b[head:]
	if flags != 0 {
		dst = fmt.Appendf(dst, " flags=%x", uint32(flags))
	}
	if flags&pcp.EventMissed != 0 {
		dst = fmt.Appendf(dst, "\n    ==> %d missed records", count)
		if extra := flags &^ pcp.EventMissed; extra != 0 {
			dst = fmt.Appendf(dst, " (Warning: extra flags %x ignored)", uint32(extra))
		}
		return append(dst, '\n'), b
	}
	dst = fmt.Appendf(dst, " with %d parameters\n", count)
	for k := range count {
		dst = fmt.Appendf(dst, "    Parameter [%d]: ", k)
		rest, ok := skipParams(b, 1)
		var size int
		if ok {
			size = int(binary.BigEndian.Uint32(b[4:]) & 0xffffff)
		}
		if size < 4 {
			return append(dst, "Error: buffer overflow\n"...), nil
		}
		dst = append(dst, name(pcp.ID(binary.BigEndian.Uint32(b)))...)
		dst = append(appendDumpedParam(dst, pcp.Type(b[4]), b[8:len(b)-len(rest)], size-4), '\n')
		b = rest
	}
	return dst, b
}

// appendDumpedParam appends the first n bytes of b, a padded value. Numbers and aggregates are read from
// the padded bytes, whatever their length: of an aggregate only the first word, in the byte order of the
// reference's machine. The width of a string is its length in bytes.
func appendDumpedParam(dst []byte, t pcp.Type, b []byte, n int) []byte {
	size := 4
	switch t {
	case pcp.String:
		text, _, _ := bytes.Cut(b[:n], []byte{0})
		return append(alignRight(append(append(dst, ` = "`...), text...), len(dst)+len(` = "`), n), '"')
	case pcp.Aggregate, pcp.AggregateStatic:
		var word [4]byte
		copy(word[:], b)
		return fmt.Appendf(dst, " = [%08x...]", binary.LittleEndian.Uint32(word[:]))
	case pcp.Unknown:
		return append(dst, " : unknown type"...)
	case pcp.Int64, pcp.Uint64, pcp.Double:
		size = 8
	}
	switch {
	case !t.Arithmetic():
		return fmt.Appendf(dst, " : bad type %d", uint8(t))
	case len(b) < size:
		return fmt.Appendf(dst, " : bad length %d", n)
	}
	var w uint64
	for _, c := range b[:size] {
		w = w<<8 | uint64(c)
	}
	if t == pcp.Int32 {
		w = uint64(int64(int32(w)))
	}
	return appendNumber(append(dst, " = "...), t, w, 1)
}
