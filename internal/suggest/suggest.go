// Package suggest finds the names that somebody may have meant.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

const most = 3 // names that are proposed for an unknown name

// Bounds of the work for one unknown name. A name that is longer is not compared with others, and after
// the last step names are compared only with the end of others.
const (
	maxName  = 256     // bytes
	maxSteps = 4 << 20 // comparisons of two letters: some 10 ms
)

// Names returns up to three of the known names that differ from a name by the fewest letters,
// if these are few, or that end in it.
func Names(name string, known []string) []string {
	if len(name) > maxName {
		return nil
	}
	type near struct {
		name string
		dist int
	}
	limit := 1 + len(name)/4
	lower := strings.ToLower(name)
	var list []near
	m := meter{steps: maxSteps}
	for _, k := range known {
		d, other := limit+1, k
		if len(k) > 2*maxName {
			other = k[len(k)-2*maxName:] // enough for the end
		}
		other = strings.ToLower(other)
		if n := len(k) - len(name); -limit <= n && n <= limit && m.steps > 0 {
			d = m.distance(lower, other, limit)
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

// A meter measures distances. It keeps the memory for that: three rows of distances between the
// beginnings of two texts. It counts the steps that are left.
type meter struct {
	two, one, row []int
	steps         int
}

// distance returns how many letters must be inserted, removed, replaced or swapped with their
// neighbour to make b of a; if that is more than limit, a larger number.
func (m *meter) distance(a, b string, limit int) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if max(len(a)-len(b), len(b)-len(a)) > limit {
		return limit + 1
	}
	if len(m.row) < len(b)+1 {
		m.two, m.one, m.row = make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	}
	two, one, row := m.two, m.one, m.row
	for j := range len(b) + 1 {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		// A cell farther from the diagonal than limit exceeds it.
		from, to := max(1, i-limit), min(len(b), i+limit)
		m.steps -= to - from + 1
		row[from-1] = i
		best := i
		for j := from; j <= to; j++ {
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
		if to < len(b) {
			row[to+1] = limit + 1
		}
		if best > limit {
			return limit + 1
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
