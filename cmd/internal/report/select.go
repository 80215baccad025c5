package report

import (
	"slices"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
)

// Wanted returns which values of an expression the reports want, by its name, or nil for all. Ranks are
// about samples, see Rank.
func (x *Expansion) Wanted(name string) func(instance string, value float64) bool {
	i := slices.IndexFunc(x.bounds, func(b *Bound) bool { return b.by[name] != nil })
	if i < 0 {
		return nil
	}
	c := x.bounds[i].by[name]
	if !c.filters() {
		return nil
	}
	selected := make(map[string]bool) // what is known of instances
	return func(instance string, value float64) bool {
		wanted, known := selected[instance]
		if !known {
			wanted = c.wants(instance)
			selected[instance] = wanted
		}
		return wanted && limited(c.limit, value)
	}
}

// Rank returns how many instances of each metric a report ranks in a sample, those with the largest values
// first; 0 for all. A summary cannot have those with the smallest values, or two numbers.
func (x *Expansion) Rank() (n int, err error) {
	for _, b := range x.bounds {
		switch r := b.ranking(); {
		case r.top == 0 || r.top == n && r.sign < 0:
		case n > 0 || r.sign > 0:
			p := query.Problemf("report %s ranks the instances of each sample (rank = %s), for which a summary has no place", b.Name, b.Options.Get("rank"))
			p.Notes = []string{"--top N chooses the N instances with the largest means, or other numbers by --by"}
			return 0, p
		default:
			n = r.top
		}
	}
	return n, nil
}

// Unselected names the reports whose filters of instances do not apply to tables, which hold all recorded
// values.
func (x *Expansion) Unselected() (list []*diagnose.Problem) {
	for _, b := range x.bounds {
		var which []string
		for _, c := range b.Columns {
			if s := b.by[c.Metric]; s != nil && s.filters() {
				which = append(which, c.Metric)
			}
		}
		if r := b.ranking(); r.top != 0 {
			which = append(which, "rank = "+b.Options.Get("rank"))
		}
		if which != nil {
			list = append(list, query.Problemf("report %s: the tables have all instances and values, also those that the report leaves out: %s", b.Name, strings.Join(which, ", ")))
		}
	}
	return list
}
