package archive

import (
	"cmp"
	"slices"
	"strings"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// checkInDom checks the count, the identifiers and the string offsets of an observation of an
// instance domain. A string that begins at the end is empty.
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

// decodeInstances decodes a checked full record, ascending by identifier.
func decodeInstances(body []byte) []pcp.Instance {
	list, _ := decodeChanges(body)
	return list
}

// decodeChanges decodes the instances of a checked record, ascending by identifier; gone holds the
// identifiers of those that are deleted.
func decodeChanges(body []byte) (list []pcp.Instance, gone map[int32]bool) {
	r := wire.NewReader(body)
	n := r.Count(8)
	ids, offsets := wire.NewReader(r.Bytes(4*n)), wire.NewReader(r.Bytes(4*n))
	names := r.String(r.Len())
	list = make([]pcp.Instance, 0, n)
	sorted := true
	for range n {
		id, off := ids.Int32(), int(offsets.Int32())
		var name string
		if off < 0 {
			if gone == nil {
				gone = make(map[int32]bool)
			}
			gone[id] = true
		} else if off < len(names) {
			name = names[off:]
			if end := strings.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
		}
		sorted = sorted && (len(list) == 0 || list[len(list)-1].ID < id)
		list = append(list, pcp.Instance{ID: id, Name: name})
	}
	if !sorted {
		slices.SortStableFunc(list, byID)
	}
	return list, gone
}

// AppendInDom appends the metadata record that lists all instances of a domain, in the order given.
func AppendInDom(dst []byte, version int, t pcp.Timestamp, d pcp.InDom, insts []pcp.Instance) []byte {
	start := len(dst)
	kind := uint32(recInDom)
	if version == 2 {
		kind = recInDomV2
	}
	dst = be.AppendUint32(beginRecord(dst), kind)
	dst = appendTime(dst, version, t)
	dst = be.AppendUint32(dst, uint32(d))
	dst = appendInsts(dst, insts, nil)
	return endRecord(dst, start)
}

// AppendInDomDelta appends the version 3 metadata record of the instances that a domain has gained
// and lost. Its entries ascend by identifier.
func AppendInDomDelta(dst []byte, t pcp.Timestamp, d pcp.InDom, added []pcp.Instance, deleted []int32) []byte {
	start := len(dst)
	all := slices.Clone(added)
	gone := make(map[int32]bool, len(deleted))
	for _, id := range deleted {
		gone[id] = true
		all = append(all, pcp.Instance{ID: id})
	}
	slices.SortStableFunc(all, func(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) })
	dst = be.AppendUint32(beginRecord(dst), recInDomDelta)
	dst = appendTime(dst, 3, t)
	dst = be.AppendUint32(dst, uint32(d))
	dst = appendInsts(dst, all, gone)
	return endRecord(dst, start)
}

// appendInsts appends the number of instances, their identifiers, the offsets of their names and
// the names; a deleted one has offset -1 and no name.
func appendInsts(dst []byte, insts []pcp.Instance, gone map[int32]bool) []byte {
	dst = be.AppendUint32(dst, uint32(len(insts)))
	for _, in := range insts {
		dst = be.AppendUint32(dst, uint32(in.ID))
	}
	offset := uint32(0)
	for _, in := range insts {
		if gone[in.ID] {
			dst = be.AppendUint32(dst, ^uint32(0))
			continue
		}
		dst = be.AppendUint32(dst, offset)
		offset += uint32(len(in.Name)) + 1
	}
	for _, in := range insts {
		if !gone[in.ID] {
			dst = append(dst, in.Name...)
			dst = append(dst, 0)
		}
	}
	return dst
}
