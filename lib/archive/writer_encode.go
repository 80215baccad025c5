package archive

import (
	"cmp"
	"fmt"
	"slices"

	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
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

// maxText is the most text that the writer puts into one metadata record, far
// below what the length word could say.
const maxText = 1 << 28

// AppendDesc appends the metadata record that describes a metric. The identifier
// is written as it is.
func AppendDesc(dst []byte, d pcp.Desc, names ...string) []byte {
	start := len(dst)
	dst = beginRecord(dst)
	for _, word := range [...]uint32{
		recDesc, uint32(d.ID), uint32(d.Type), uint32(d.InDom), uint32(d.Sem), d.Units.Word(), uint32(len(names)),
	} {
		dst = be.AppendUint32(dst, word)
	}
	for _, n := range names {
		dst = be.AppendUint32(dst, uint32(len(n)))
		dst = append(dst, n...)
	}
	return endRecord(dst, start)
}

// AppendInDom appends the metadata record that lists all instances of a domain,
// in the order given.
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

// AppendInDomDelta appends the version 3 metadata record that says which
// instances a domain has gained and lost. Its entries ascend by identifier.
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

// appendInsts appends the number of instances, their identifiers, the offsets of
// their names and the names; a deleted one has offset -1 and no name.
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

// textType returns the number that stands for a kind of help text.
func textType(isInDom bool, kind pcp.TextKind) uint32 {
	if isInDom {
		return uint32(kind) | 8
	}
	return uint32(kind) | 4
}

// AppendText appends the metadata record of a help text.
func AppendText(dst []byte, ident uint32, isInDom bool, kind pcp.TextKind, text string) []byte {
	start := len(dst)
	dst = be.AppendUint32(beginRecord(dst), recText)
	dst = be.AppendUint32(dst, textType(isInDom, kind))
	dst = be.AppendUint32(dst, ident)
	dst = append(dst, text...)
	return endRecord(append(dst, 0), start)
}

// AppendLabels appends the metadata record of the labels of an object
// (archive.md A7.5). The labels of a set may come in any order. On an error dst
// is returned as it was.
func AppendLabels(dst []byte, version int, t pcp.Timestamp, kind pcp.LabelKind, ident uint32, sets []pcp.LabelSet) ([]byte, error) {
	start := len(dst)
	rec := uint32(recLabels)
	if version == 2 {
		rec = recLabelsV2
	}
	dst = be.AppendUint32(beginRecord(dst), rec)
	dst = appendTime(dst, version, t)
	dst = be.AppendUint32(dst, uint32(kind))
	dst = be.AppendUint32(dst, ident)
	dst = be.AppendUint32(dst, uint32(len(sets)))
	for i := range sets {
		var err error
		if dst, err = appendLabelSet(dst, kind, &sets[i]); err != nil {
			return dst[:start], fmt.Errorf("labels of %#x: %w", ident, err)
		}
	}
	return endRecord(dst, start), nil
}

// appendLabelSet appends the instance, the labels as JSON, and where in it each
// label is; or the code of the error instead of labels.
func appendLabelSet(dst []byte, kind pcp.LabelKind, s *pcp.LabelSet) ([]byte, error) {
	inst := pcp.NullInst
	if kind == pcp.InstanceLabels {
		inst = s.Inst
	}
	dst = be.AppendUint32(dst, uint32(inst))
	if s.Err != nil {
		dst = be.AppendUint32(dst, 0)
		return be.AppendUint32(dst, uint32(pmerr.Of(s.Err))), nil
	}
	json, where, err := wire.EncodeLabels(s.Labels)
	if err != nil {
		return dst, err
	}
	dst = be.AppendUint32(dst, uint32(len(json)))
	dst = append(dst, json...)
	dst = be.AppendUint32(dst, uint32(len(where)/wire.LabelSize))
	return append(dst, where...), nil
}
