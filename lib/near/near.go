// Package near finds the names that somebody may have meant.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// most is how many names are proposed for an unknown one.
const most = 3

// Names returns up to three of the known names that differ from a name by the fewest letters,
// if these are few, or that end in it.
func Names(name string, known []string) []string {
	type near struct {
		name string
		dist int
	}
	limit := 1 + len(name)/4
	lower := strings.ToLower(name)
	var list []near
	for _, k := range known {
		d := limit + 1
		other := strings.ToLower(k)
		if n := len(k) - len(name); -limit <= n && n <= limit {
			d = distance(lower, other, limit)
		}
		if d > limit && name != "" && strings.HasSuffix(other, "."+lower) {
			d = limit
		}
		if d <= limit {
			list = append(list, near{k, d})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.dist, b.dist) })
	var names []string
	for _, n := range list[:min(len(list), most)] {
		if n.dist == list[0].dist {
			names = append(names, n.name)
		}
	}
	return names
}

// distance returns how many letters must be inserted, removed, replaced or swapped with their
// neighbour to make b of a; if that is more than limit, a larger number.
func distance(a, b string, limit int) int {
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			d := one[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, one[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, two[j-2]+1)
			}
			row[j] = d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
