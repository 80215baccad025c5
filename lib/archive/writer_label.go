package archive

import (
	"encoding/binary"

	"pmtools/lib/pcp"
)

// labelSize returns the size of a label record: the smallest offset of anything
// else.
func labelSize(version int) int64 {
	if version == 2 {
		return 132
	}
	return 808
}

// be is the byte order of archives.
var be = binary.BigEndian

// AppendLabel appends the record that begins each file of an archive
// (archive.md A5). Texts that are too long are cut.
func AppendLabel(dst []byte, l *Label) []byte {
	start := len(dst)
	dst = be.AppendUint32(dst, uint32(labelSize(l.Version)))
	dst = be.AppendUint32(dst, labelMagic+uint32(l.Version))
	dst = be.AppendUint32(dst, uint32(l.PID))
	dst = appendTime(dst, l.Version, l.Start)
	dst = be.AppendUint32(dst, uint32(l.Volume))
	if l.Version == 2 {
		dst = appendPadded(dst, l.Host, 64)
		dst = appendPadded(dst, l.Zone, 40)
	} else {
		dst = be.AppendUint32(dst, l.Features)
		dst = be.AppendUint32(dst, 0)
		dst = appendPadded(dst, l.Host, 256)
		dst = appendPadded(dst, l.Zone, 256)
		dst = appendPadded(dst, l.ZoneInfo, 256)
	}
	return endRecord(dst, start)
}

// AppendIndexEntry appends an entry of the temporal index: no data before offset
// data of the volume, and no metadata before offset meta, is later than t
// (archive.md A6).
func AppendIndexEntry(dst []byte, version int, t pcp.Timestamp, volume int32, meta, data int64) []byte {
	dst = appendTime(dst, version, t)
	dst = be.AppendUint32(dst, uint32(volume))
	if version == 2 {
		dst = be.AppendUint32(dst, uint32(meta))
		return be.AppendUint32(dst, uint32(data))
	}
	dst = be.AppendUint64(dst, uint64(meta))
	return be.AppendUint64(dst, uint64(data))
}

// appendTime appends a time stamp: seconds and microseconds in version 2; in
// version 3 the low word of the seconds, then the high one, then nanoseconds
// (archive.md A4.3).
func appendTime(dst []byte, version int, t pcp.Timestamp) []byte {
	if version == 2 {
		dst = be.AppendUint32(dst, uint32(t.Sec))
		return be.AppendUint32(dst, uint32(t.Nsec/1000))
	}
	dst = be.AppendUint32(dst, uint32(t.Sec))
	dst = be.AppendUint32(dst, uint32(t.Sec>>32))
	return be.AppendUint32(dst, uint32(t.Nsec))
}

// appendPadded appends s in a field of size bytes, the last of them NUL.
func appendPadded(dst []byte, s string, size int) []byte {
	if len(s) >= size {
		s = s[:size-1]
	}
	dst = append(dst, s...)
	return append(dst, make([]byte, size-len(s))...)
}

// beginRecord appends room for the length of a record.
func beginRecord(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// endRecord completes the record that begins at start: the length in front and
// behind.
func endRecord(dst []byte, start int) []byte {
	n := uint32(len(dst) - start + 4)
	be.PutUint32(dst[start:], n)
	return be.AppendUint32(dst, n)
}
