package derive

import "pmtools/lib/pcp"

// The space of identifiers for derived metrics (derived.md D6.1): items run from 1 to maxItem,
// clusters from 0 to maxCluster.
const (
	maxItem    = 1023
	maxCluster = 2047
	maxMetrics = (maxCluster + 1) * maxItem
)

// globalID returns the identifier of global definition number i, counted from 0.
func globalID(i int) pcp.ID {
	return pcp.NewID(pcp.DynamicDomain, uint32(i/maxItem), uint32(i%maxItem)+1)
}

func localID(i int) pcp.ID {
	return pcp.NewID(pcp.DynamicDomain, uint32(maxCluster-i/maxItem), uint32(maxItem-i%maxItem))
}

// number returns the position of id in the order of globalID.
func number(id pcp.ID) int { return int(id.Cluster())*maxItem + int(id.Item()) - 1 }

// localNumber returns the position of id in the order of localID.
func localNumber(id pcp.ID) int {
	return int(maxCluster-id.Cluster())*maxItem + int(maxItem-id.Item())
}
