package archive

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// checkInDom checks the count, identifiers and string offsets of an observation. A string that begins at
// the end is empty.
func checkInDom(body []byte, delta bool) bool {
	r := wire.NewReader(body)
	n := r.Count(8)
	ids, offsets := wire.NewReader(r.Bytes(4*n)), wire.NewReader(r.Bytes(4*n))
	if r.Err() != nil {
		return false
	}
	for range n {
		id, off := ids.Int32(), int(offsets.Int32())
		if id < 0 || off > r.Len() || off < 0 && !(delta && off == -1) {
			return false
		}
	}
	return true
}

// decodeChanges decodes a checked record, ascending by identifier; gone holds the deleted instances.
func decodeChanges(body []byte) (list []pcp.Instance, gone map[int32]bool) {
	entries, text := decodeEntries(nil, body)
	names := string(text) // one copy for all names
	list = make([]pcp.Instance, 0, len(entries))
	for _, e := range entries {
		var name string
		if e.off < 0 {
			if gone == nil {
				gone = make(map[int32]bool)
			}
			gone[e.id] = true
		} else {
			name = names[e.off:]
			if end := strings.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
		}
		list = append(list, pcp.Instance{ID: e.id, Name: name})
	}
	return list, gone
}

// An entry is an instance in a record: its identifier, and the offset of its name, -1 if it is deleted.
type entry struct{ id, off int32 }

func (e entry) name(names []byte) string { return string(cutNUL(names[max(e.off, 0):])) }

// decodeEntries appends the entries of a checked record to dst, ascending by identifier, and returns the
// names, most of the record, unread. It bounds each number again: the file may have changed since the
// check.
func decodeEntries(dst []entry, body []byte) ([]entry, []byte) {
	n := int(min(binary.BigEndian.Uint32(body), uint32(len(body)-4)/8))
	ids, offsets, names := body[4:4+4*n], body[4+4*n:4+8*n], body[4+8*n:]
	sorted, before := true, int32(-1)
	for i := range n {
		off := int32(binary.BigEndian.Uint32(offsets[4*i:]))
		e := entry{int32(binary.BigEndian.Uint32(ids[4*i:])), max(-1, min(off, int32(len(names))))}
		dst = append(dst, e)
		sorted, before = sorted && e.id > before, e.id
	}
	if !sorted {
		slices.SortStableFunc(dst, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	}
	return dst, names
}

func appendInDom(dst []byte, version int, t pcp.Timestamp, d pcp.InDom, insts []pcp.Instance) []byte {
	if version == 2 {
		return appendInsts(dst, recInDomV2, version, t, d, insts, nil)
	}
	return appendInsts(dst, recInDom, version, t, d, insts, nil)
}

// AppendInDomDelta appends the version 3 metadata record of the instances that a domain has gained
// and lost. Its entries ascend by identifier.
func AppendInDomDelta(dst []byte, t pcp.Timestamp, d pcp.InDom, added []pcp.Instance, deleted []int32) []byte {
	all := slices.Clone(added)
	gone := make(map[int32]bool, len(deleted))
	for _, id := range deleted {
		gone[id] = true
		all = append(all, pcp.Instance{ID: id})
	}
	slices.SortStableFunc(all, byID)
	return appendInsts(dst, recInDomDelta, 3, t, d, all, gone)
}

// appendInsts appends a record of a kind: time, domain, the number of instances, their identifiers, the
// offsets of their names and the names; a deleted instance has offset -1 and no name.
func appendInsts(dst []byte, kind uint32, version int, t pcp.Timestamp, d pcp.InDom, insts []pcp.Instance, gone map[int32]bool) []byte {
	start := len(dst)
	dst = appendTime(binary.BigEndian.AppendUint32(beginRecord(dst), kind), version, t)
	dst = binary.BigEndian.AppendUint32(dst, uint32(d))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(insts)))
	for _, in := range insts {
		dst = binary.BigEndian.AppendUint32(dst, uint32(in.ID))
	}
	offset := uint32(0)
	for _, in := range insts {
		if gone[in.ID] {
			dst = binary.BigEndian.AppendUint32(dst, ^uint32(0))
			continue
		}
		dst = binary.BigEndian.AppendUint32(dst, offset)
		offset += uint32(len(in.Name)) + 1
	}
	for _, in := range insts {
		if !gone[in.ID] {
			dst = append(dst, in.Name...)
			dst = append(dst, 0)
		}
	}
	return endRecord(dst, start)
}

func byID(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) }
