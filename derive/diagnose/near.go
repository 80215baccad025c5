package diagnose

import (
	"cmp"
	"slices"
	"strings"
)

// maxNear is how many names are proposed for an unknown one.
const maxNear = 3

// DidYouMean returns the note that proposes the names most like an unknown one, or nothing.
func DidYouMean(unknown string, known []string) []string {
	if near := Nearest(unknown, known); len(near) > 0 {
		return []string{"did you mean " + OrList(near) + "?"}
	}
	return nil
}

// Nearest returns up to maxNear of the known names that differ from a name by the fewest letters,
// if these are few, or that end in it.
func Nearest(name string, known []string) []string {
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
	for _, n := range list[:min(len(list), maxNear)] {
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
