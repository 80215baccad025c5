package archive

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"slices"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func checkLabels(body []byte) bool {
	r := wire.NewReader(body)
	for range r.Count(12) {
		r.Skip(4)
		if !skipLabelSet(&r) {
			return false
		}
	}
	return r.Err() == nil
}

func skipLabelSet(r *wire.Reader) bool {
	size := r.Int32()
	if size < 0 || size > wire.MaxLabelJSON {
		return false
	}
	r.Skip(int(size))
	n := r.Int32()
	if n > wire.MaxLabels {
		return false
	}
	r.Skip(wire.LabelSize * int(max(n, 0)))
	return r.Err() == nil
}

// decodeLabels decodes a checked record. It omits sets that hold an error.
func decodeLabels(body []byte) []pcp.LabelSet {
	r := wire.NewReader(body)
	sets := make([]pcp.LabelSet, 0, r.Count(12))
	for range cap(sets) {
		set := pcp.LabelSet{Inst: r.Int32()}
		json := r.String(int(r.Int32()))
		n := int(r.Int32())
		if r.Err() != nil {
			break
		}
		if n < 0 {
			continue
		}
		set.Labels, _ = wire.DecodeLabels(json, r.Bytes(wire.LabelSize*n))
		sets = append(sets, set)
	}
	return sets
}

// appendLabels appends a record of labels (archive.md A7.5), which may come in any order. On an error dst
// is returned as it was.
func appendLabels(dst []byte, version int, t pcp.Timestamp, kind pcp.LabelKind, ident uint32, sets []pcp.LabelSet) ([]byte, error) {
	start := len(dst)
	rec := uint32(recLabels)
	if version == 2 {
		rec = recLabelsV2
	}
	dst = binary.BigEndian.AppendUint32(beginRecord(dst), rec)
	dst = appendTime(dst, version, t)
	dst = binary.BigEndian.AppendUint32(dst, uint32(kind))
	dst = binary.BigEndian.AppendUint32(dst, ident)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(sets)))
	for i := range sets {
		var err error
		if dst, err = appendLabelSet(dst, kind, &sets[i]); err != nil {
			return dst[:start], fmt.Errorf("labels of %#x: %w", ident, err)
		}
	}
	return endRecord(dst, start), nil
}

// appendLabelSet appends the instance, the labels as JSON, and the place of each label in it; or an error code.
func appendLabelSet(dst []byte, kind pcp.LabelKind, s *pcp.LabelSet) ([]byte, error) {
	inst := pcp.NullInst
	if kind == pcp.InstanceLabels {
		inst = s.Inst
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(inst))
	if s.Err != nil {
		dst = binary.BigEndian.AppendUint32(dst, 0)
		return binary.BigEndian.AppendUint32(dst, uint32(pmerr.Of(s.Err))), nil
	}
	json, where, err := wire.EncodeLabels(s.Labels)
	if err != nil {
		return dst, err
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(json)))
	dst = append(dst, json...)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(where)/wire.LabelSize))
	return append(dst, where...), nil
}

// Labels returns the labels that an object of one level had at a time: one set, or one for each
// instance of a domain for pcp.InstanceLabels. ident is a domain number, an instance domain or a
// metric's identifier; pcp.ContextLabels ignore it. Without a record of context labels the recorded
// host is the only label.
func (s *Set) Labels(kind pcp.LabelKind, ident uint32, at pcp.Timestamp) (sets []pcp.LabelSet, err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	list := s.labelled(kind, ident)
	if len(list) == 0 && kind == pcp.ContextLabels {
		host := `"` + s.Label().Host + `"`
		return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "hostname", Value: host, Flags: uint8(pcp.ContextLabels)}}}}, nil
	}
	i := latest(list, at)
	if i < 0 {
		return nil, nil
	}
	// The first record of a time counts.
	i, _ = slices.BinarySearchFunc(list, list[i].at, func(o observation, at pcp.Timestamp) int { return o.at.Compare(at) })
	return decodeLabels(list[i].body), nil
}

// LabelsHold returns the time from which on an object has the labels that it has at a time, and the one at which it gets
// others. They are zero if none were recorded by then, and if none come.
func (s *Set) LabelsHold(kind pcp.LabelKind, ident uint32, at pcp.Timestamp) (since, until pcp.Timestamp) {
	list := s.labelled(kind, ident)
	i := latest(list, at)
	if i >= 0 {
		since = list[i].at
	}
	if i+1 < len(list) {
		until = list[i+1].at
	}
	return since, until
}

// labelled returns the records of the labels of an object.
func (s *Set) labelled(kind pcp.LabelKind, ident uint32) []observation {
	switch kind {
	case pcp.ContextLabels:
		ident = 0xffffffff
	case pcp.ClusterLabels:
		ident &^= 0x3ff
	}
	return s.labels[labelIdent{kind, ident}]
}
