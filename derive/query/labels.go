package query

import (
	"context"
	"maps"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// LabelNames returns the names of the labels by which the instances of a domain can be put into groups, ascending.
func (s *Source) LabelNames(ctx context.Context, d pcp.InDom) ([]string, error) {
	found, err := pmapi.ReadLabels(ctx, s, pmapi.LabelObjects(pcp.Desc{ID: pcp.NullID, InDom: d}))
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for i := range found {
		for _, set := range found[i].Sets {
			for _, l := range set.Labels {
				known[l.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(known)), nil
}
