package pmapi

import (
	"context"

	"pmtools/lib/pcp"
)

// WalkNames calls f for each leaf of src that is name or stands below it, in the order of the
// source, until f returns false.
func WalkNames(ctx context.Context, src Source, name string, f func(name string) bool) error {
	if b, ok := src.(Batcher); ok {
		return b.WalkNames(ctx, name, f)
	}
	return src.Walk(ctx, name, func(name string, _ pcp.ID) bool { return f(name) })
}

// InstancesOf returns the instances that one domain has at a time, or had ever (pmGetInDom,
// pmGetInDomArchive). Errors are those of [Source.Instances].
func InstancesOf(ctx context.Context, src Source, d pcp.InDom, at When) ([]pcp.Instance, error) {
	found, err := src.Instances(ctx, []pcp.InDom{d}, at)
	if err != nil {
		return nil, err
	}
	return found[0].Value, found[0].Err
}
