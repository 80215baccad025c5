package pmapi

import (
	"context"

	"pmtools/lib/pcp"
)

// InstancesOf returns the instances that one domain has at a time, or had ever (pmGetInDom,
// pmGetInDomArchive). Errors are those of [Source.Instances].
func InstancesOf(ctx context.Context, src Source, d pcp.InDom, at When) ([]pcp.Instance, error) {
	found, err := src.Instances(ctx, []pcp.InDom{d}, at)
	if err != nil {
		return nil, err
	}
	return found[0].Value, found[0].Err
}
