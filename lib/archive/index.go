package archive

import (
	"encoding/binary"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// indexEntry: records before offset data of volume vol, and in earlier volumes, are not later than stamp
// (archive.md A6).
type indexEntry struct {
	stamp pcp.Timestamp
	vol   int32
	data  int64
}

// maxIndex caps the used entries of a temporal index: enough for 100 GB and more. After the last entry
// records are read one by one.
const maxIndex = 1 << 20

func entrySize(version int) int {
	if version == 2 {
		return 20
	}
	return 32
}

// decodeIndex reads the entries after the label of a temporal index. It ignores a partial last one; entries
// are hints, and are not checked.
func decodeIndex(src []byte, version int) []indexEntry {
	size := entrySize(version)
	entries := make([]indexEntry, 0, min(len(src)/size, maxIndex))
	for range cap(entries) {
		r := wire.NewReader(src[:size])
		e := indexEntry{stamp: readStamp(&r, version), vol: r.Int32()}
		if version == 2 {
			r.Skip(4)
			e.data = int64(r.Uint32())
		} else {
			r.Skip(8)
			e.data = r.Int64()
		}
		src = src[size:]
		entries = append(entries, e)
	}
	return entries
}

// appendIndexEntry appends an entry: data before offset data, and metadata before offset meta, are not
// later than t (archive.md A6).
func appendIndexEntry(dst []byte, version int, t pcp.Timestamp, volume int32, meta, data int64) []byte {
	dst = appendTime(dst, version, t)
	dst = binary.BigEndian.AppendUint32(dst, uint32(volume))
	if version == 2 {
		dst = binary.BigEndian.AppendUint32(dst, uint32(meta))
		return binary.BigEndian.AppendUint32(dst, uint32(data))
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(meta))
	return binary.BigEndian.AppendUint64(dst, uint64(data))
}
