package wire

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Limits of a label set (values.md V23).
const (
	MaxLabels    = 255
	MaxLabelJSON = 65535
	maxLabelName = 254
)

// LabelSize is the size of the index entry of a label in JSON text: offset of the name in two
// bytes, its length in one, flags in one, then offset and length of the value in two each (wire.md
// W5.12, archive.md A7.5).
const LabelSize = 8

// EncodeLabels returns labels as a JSON object, and an index of them.
func EncodeLabels(labels []pcp.Label) (json, where []byte, err error) {
	labels = slices.Clone(labels)
	slices.SortStableFunc(labels, byName)
	json = []byte{'{'}
	for i, l := range labels {
		switch {
		case l.Name == "" || len(l.Name) > maxLabelName || i > 0 && l.Name == labels[i-1].Name:
			return nil, nil, fmt.Errorf("%w: label name %.80q", pmerr.EINVAL, l.Name)
		case len(json)+len(l.Name)+len(l.Value)+5 > MaxLabelJSON || i >= MaxLabels:
			return nil, nil, fmt.Errorf("%w: label set", pmerr.TooBig)
		case l.Value == "":
			return nil, nil, fmt.Errorf("%w: label %s without value", pmerr.EINVAL, l.Name)
		}
		if i > 0 {
			json = append(json, ',')
		}
		where = AppendUint16(where, uint16(len(json)+1))
		where = append(where, byte(len(l.Name)), l.Flags)
		json = append(json, '"')
		json = append(json, l.Name...)
		json = append(json, '"', ':')
		where = AppendUint16(where, uint16(len(json)))
		where = AppendUint16(where, uint16(len(l.Value)))
		json = append(json, l.Value...)
	}
	return append(json, '}'), where, nil
}

// DecodeLabels returns the labels in a JSON object by their index, ascending by name. Labels
// outside the object are skipped and reported as an error.
func DecodeLabels(json string, where []byte) ([]pcp.Label, error) {
	var err error
	labels := make([]pcp.Label, 0, min(len(where)/LabelSize, MaxLabels))
	for ; len(where) >= LabelSize; where = where[LabelSize:] {
		name, nameLen := int(binary.BigEndian.Uint16(where)), int(where[2])
		value, valueLen := int(binary.BigEndian.Uint16(where[4:])), int(binary.BigEndian.Uint16(where[6:]))
		if name+nameLen > len(json) || value+valueLen > len(json) {
			err = fmt.Errorf("%w: label outside its text", ErrFormat)
			continue
		}
		labels = append(labels, pcp.Label{Name: json[name : name+nameLen], Value: json[value : value+valueLen], Flags: where[3]})
	}
	slices.SortStableFunc(labels, byName)
	return labels, err
}

func byName(a, b pcp.Label) int { return cmp.Compare(a.Name, b.Name) }
