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

// InstancesOf returns the instances of several domains.
func InstancesOf(ctx context.Context, src Source, ds []pcp.InDom) ([]pcp.Answer[[]pcp.Instance], error) {
	if b, ok := src.(Batcher); ok {
		return b.InstancesOf(ctx, ds)
	}
	return eachOf(ctx, ds, src.Instances)
}

// InstancesAt returns the instances that a domain of src had at a time of a recording, or those that it has now.
func InstancesAt(ctx context.Context, src Source, d pcp.InDom, at pcp.Timestamp) ([]pcp.Instance, error) {
	if past, ok := As[Past](src); ok {
		return past.InstancesAt(ctx, d, at)
	}
	return src.Instances(ctx, d)
}

// AllInstances returns the instances that a domain of src had at any time of a recording, or those that it has now.
func AllInstances(ctx context.Context, src Source, d pcp.InDom) ([]pcp.Instance, error) {
	if past, ok := As[Past](src); ok {
		return past.AllInstances(ctx, d)
	}
	return src.Instances(ctx, d)
}

// eachOf asks one question after the other. The error result is that of ctx.
func eachOf[K, V any](ctx context.Context, keys []K, ask func(context.Context, K) (V, error)) ([]pcp.Answer[V], error) {
	answers := make([]pcp.Answer[V], len(keys))
	for i, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answers[i].Value, answers[i].Err = ask(ctx, key)
	}
	return answers, ctx.Err()
}
