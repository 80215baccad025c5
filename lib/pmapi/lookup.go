package pmapi

import (
	"context"

	"pmtools/lib/pcp"
)

// LookupName returns the identifier of a metric (pmLookupName for one name).
func LookupName(ctx context.Context, src Source, name string) (pcp.ID, error) {
	found, err := src.Lookup(ctx, []string{name})
	if err != nil {
		return pcp.NullID, err
	}
	return found[0].Value, found[0].Err
}

// LookupDesc returns the description of a metric (pmLookupDesc).
func LookupDesc(ctx context.Context, src Source, id pcp.ID) (pcp.Desc, error) {
	found, err := src.Describe(ctx, []pcp.ID{id})
	if err != nil {
		return pcp.Desc{}, err
	}
	return found[0].Value, found[0].Err
}
