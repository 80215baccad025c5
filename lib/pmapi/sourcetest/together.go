package sourcetest

import (
	"slices"

	"pmtools/lib/pmapi"
)

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
