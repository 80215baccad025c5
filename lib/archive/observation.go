package archive

import (
	"slices"

	"pmtools/lib/pcp"
)

// observation is a timed record: body begins after the identification.
type observation struct {
	at    pcp.Timestamp
	body  []byte
	delta bool // a delta: it lists only changes
}

type indomRecord struct {
	indom pcp.InDom
	observation
}

type labelsRecord struct {
	labelIdent
	observation
}

type labelIdent struct {
	kind  pcp.LabelKind
	ident uint32
}

// latest returns the position of the last observation up to at, or -1. The list is sorted by time.
func latest(list []observation, at pcp.Timestamp) int {
	i, _ := slices.BinarySearchFunc(list, at, func(o observation, at pcp.Timestamp) int {
		if o.at.Compare(at) <= 0 {
			return -1
		}
		return 1
	})
	return i - 1
}
