package archive

import (
	"bytes"
	"encoding/binary"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// The types of metadata records (archive.md A7.1).
const (
	recDesc       = 1
	recInDomV2    = 2
	recLabelsV2   = 3
	recText       = 4
	recInDom      = 5
	recInDomDelta = 6
	recLabels     = 7
)

func beginRecord(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// endRecord completes the record at start with its length before and after it.
func endRecord(dst []byte, start int) []byte {
	n := uint32(len(dst) - start + 4)
	binary.BigEndian.PutUint32(dst[start:], n)
	return binary.BigEndian.AppendUint32(dst, n)
}

// readStamp reads a time stamp: in version 2 seconds and microseconds, in version 3 the low half of
// the seconds, their high half, and nanoseconds (archive.md A4.3).
func readStamp(r *wire.Reader, version int) pcp.Timestamp {
	if version == 2 {
		sec, usec := r.Int32(), r.Uint32()
		return stampOf(int64(sec), int64(usec)*1000)
	}
	low, high, nsec := r.Uint32(), r.Uint32(), r.Uint32()
	return stampOf(int64(uint64(high)<<32|uint64(low)), int64(nsec))
}

func appendTime(dst []byte, version int, t pcp.Timestamp) []byte {
	if version == 2 {
		dst = binary.BigEndian.AppendUint32(dst, uint32(t.Sec))
		return binary.BigEndian.AppendUint32(dst, uint32(t.Nsec/1000))
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(t.Sec))
	dst = binary.BigEndian.AppendUint32(dst, uint32(t.Sec>>32))
	return binary.BigEndian.AppendUint32(dst, uint32(t.Nsec))
}

func cutNUL(b []byte) []byte {
	text, _, _ := bytes.Cut(b, []byte{0})
	return text
}

// stampOf makes a Timestamp; excess nanoseconds carry into the seconds.
func stampOf(sec, nsec int64) pcp.Timestamp {
	if nsec >= 1e9 {
		sec += nsec / 1e9
		nsec %= 1e9
	}
	return pcp.Timestamp{Sec: sec, Nsec: int32(nsec)}
}
