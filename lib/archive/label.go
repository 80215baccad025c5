package archive

import (
	"encoding/binary"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// The numbers of a label record (archive.md A5).
const (
	labelMagic = 0x50052600 // plus the version

	metaVolume  = -1 // the volume number in the label of the metadata file
	indexVolume = -2 // the number in the label of the temporal index
)

// A Label is the first record of each file of an archive: the recorded host, the recording process,
// the start.
type Label struct {
	Version  int           // 2 or 3
	PID      int32         // the process that recorded
	Start    pcp.Timestamp // start of the recording, not later than the first record
	Volume   int32         // number of the data volume, -1 for metadata, -2 for the index
	Features uint32        // version 3 only
	Host     string        // the host that the metrics come from
	Zone     string        // the host's time zone as a POSIX TZ value
	ZoneInfo string        // name of the host's zone, version 3 only
}

func labelSize(version int) int64 {
	if version == 2 {
		return 132
	}
	return 808
}

// decode reads the label record at the start of src. A file without a length word is pmerr.NoData, any
// other misfit pmerr.Label.
func (dst *Label) decode(src []byte) error {
	*dst = Label{}
	if len(src) < 8 {
		return pmerr.NoData
	}
	r := wire.NewReader(src)
	n, magic := int64(r.Int32()), r.Uint32()
	version := int(magic & 0xff)
	if r.Err() != nil || magic&^0xff != labelMagic || version != 2 && version != 3 || n != labelSize(version) || n > int64(len(src)) {
		return pmerr.Label
	}
	r = wire.NewReader(src[8:n])
	dst.Version = version
	dst.PID = r.Int32()
	dst.Start = readStamp(&r, version)
	dst.Volume = r.Int32()
	if version == 2 {
		dst.Host, dst.Zone = string(cutNUL(r.Bytes(64))), string(cutNUL(r.Bytes(40)))
	} else {
		dst.Features = r.Uint32()
		r.Skip(4)
		dst.Host, dst.Zone = string(cutNUL(r.Bytes(256))), string(cutNUL(r.Bytes(256)))
		dst.ZoneInfo = string(cutNUL(r.Bytes(256)))
	}
	if trailer := r.Int32(); r.Finish() != nil || int64(trailer) != n {
		return pmerr.Label
	}
	return nil
}

// appendLabel appends the first record of a file (archive.md A5). It truncates strings that are too long.
func appendLabel(dst []byte, l *Label) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(labelSize(l.Version)))
	dst = binary.BigEndian.AppendUint32(dst, labelMagic+uint32(l.Version))
	dst = binary.BigEndian.AppendUint32(dst, uint32(l.PID))
	dst = appendTime(dst, l.Version, l.Start)
	dst = binary.BigEndian.AppendUint32(dst, uint32(l.Volume))
	if l.Version == 2 {
		dst = appendPadded(dst, l.Host, 64)
		dst = appendPadded(dst, l.Zone, 40)
	} else {
		dst = binary.BigEndian.AppendUint32(dst, l.Features)
		dst = binary.BigEndian.AppendUint32(dst, 0)
		dst = appendPadded(dst, l.Host, 256)
		dst = appendPadded(dst, l.Zone, 256)
		dst = appendPadded(dst, l.ZoneInfo, 256)
	}
	return endRecord(dst, start)
}

// appendPadded appends s and NULs, at least one, in a field of size bytes.
func appendPadded(dst []byte, s string, size int) []byte {
	if len(s) >= size {
		s = s[:size-1]
	}
	dst = append(dst, s...)
	return append(dst, make([]byte, size-len(s))...)
}

func stampSize(version int) int {
	if version == 2 {
		return 8
	}
	return 12
}
