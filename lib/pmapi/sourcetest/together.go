package sourcetest

import (
	"context"
	"fmt"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

func (k *kit) together() {
	k.walkNames()
	b, ok := k.src.(pmapi.Batcher)
	if !ok || k.bare {
		return
	}
	batch(k, "InstancesOf", append(slices.Clone(k.indoms), k.unknownInDom()), b.InstancesOf, k.src.Instances)
}

func batch[K, V any](k *kit, what string, keys []K, all func(context.Context, []K) ([]pcp.Answer[V], error), one func(context.Context, K) (V, error)) {
	found, err := all(k.ctx, keys)
	if err != nil || len(found) != len(keys) {
		k.errorf("%s: %d answers to %d questions, error %v", what, len(found), len(keys), err)
		return
	}
	for i, key := range keys {
		want, err := one(k.ctx, key)
		if got := found[i]; fmt.Sprintf("%v", got.Value) != fmt.Sprintf("%v", want) || pmerr.Of(got.Err) != pmerr.Of(err) {
			k.errorf("%s: %v has %v, error %v; alone it has %v, %v", what, key, got.Value, got.Err, want, err)
		}
	}
}

func (k *kit) walkNames() {
	for _, n := range []int{len(k.leaves), 1} {
		var names []string
		err := pmapi.WalkNames(k.ctx, k.src, "", func(name string) bool {
			names = append(names, name)
			return len(names) < n
		})
		var want []string
		for _, l := range k.leaves[:min(n, len(k.leaves))] {
			want = append(want, l.name)
		}
		if err != nil || !slices.Equal(names, want) {
			k.errorf("WalkNames, stopped at number %d: %v, error %v; Walk shows %v", n, names, err, want)
		}
	}
}
