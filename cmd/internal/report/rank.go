package report

import (
	"context"
	"math"
	"slices"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A ranking says how many instances are wanted, and their order.
type ranking struct {
	top        int // how many instances of each metric; 0 for all
	sign       int // -1 for the largest values first, 1 for the smallest
	predicates []string
	sort       []string // metrics, those with ascending values after a minus sign
}

// ranking returns that of the options.
func (b *Bound) ranking() ranking {
	r := ranking{
		top: b.Options.Number("rank", 0), sign: -1,
		predicates: names(b.Options.Get("predicate")), sort: names(b.Options.Get("sort_metric")),
	}
	if r.top < 0 {
		r.top, r.sign = -max(r.top, -math.MaxInt), 1
	}
	return r
}

// names returns the metrics of a list.
func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || strings.ContainsRune(blanks+"\n", r) })
}

// doubts returns which metrics of the options about ranks the report does not have.
func (b *Bound) doubts() (list []*diagnose.Problem) {
	r := b.ranking()
	for option, metrics := range map[string][]string{"predicate": r.predicates, "sort_metric": r.sort} {
		for _, name := range metrics {
			name = strings.TrimPrefix(name, "-")
			switch s := b.by[name]; {
			case s == nil:
				list = append(list, query.Problemf("report %s: %s = %s: the report has no column of this metric", b.Name, option, name))
			case s.indom == pcp.NullInDom && option == "predicate":
				list = append(list, query.Problemf("report %s: %s = %s: the metric has no instances", b.Name, option, name))
			}
		}
	}
	slices.SortFunc(list, func(a, b *diagnose.Problem) int { return strings.Compare(a.Msg, b.Msg) })
	return list
}

// An instance is one of a host.
type instance struct {
	host string
	id   int32
}

func instanceOf(v *sampling.Value) instance { return instance{v.Host, v.ID} }

// rank keeps the largest values of each metric with instances, or the smallest. If there are predicates,
// these alone are ranked in their instance domains, and the others there have the instances of theirs.
func (c *choice) rank(ctx context.Context, smp *sampling.Sample) error {
	if c.top == 0 {
		return nil
	}
	smp.Ordered = true
	wanted := make(map[pcp.InDom]map[instance]bool)
	for _, s := range c.columns {
		if s != nil && s.indom != pcp.NullInDom && slices.Contains(c.predicates, s.Metric) {
			wanted[s.indom] = make(map[instance]bool)
		}
	}
	for i, s := range c.columns {
		if s == nil || s.indom == pcp.NullInDom || wanted[s.indom] != nil && !slices.Contains(c.predicates, s.Metric) {
			continue
		}
		set := &smp.Sets[i]
		if err := set.SortByValue(ctx, c.sign, c.top); err != nil {
			return err
		}
		for j := range set.Len() {
			if ranked := wanted[s.indom]; ranked != nil {
				v := set.At(j)
				ranked[instanceOf(&v)] = true
			}
		}
	}
	for i, s := range c.columns {
		if s == nil || wanted[s.indom] == nil || slices.Contains(c.predicates, s.Metric) {
			continue
		}
		if err := smp.Sets[i].Filter(ctx, func(v *sampling.Value) bool { return wanted[s.indom][instanceOf(v)] }); err != nil {
			return err
		}
	}
	return nil
}

// order sorts the values of each instance domain by those of the first metric in it that the report
// sorts by. Instances without such a value come last.
func (c *choice) order(ctx context.Context, smp *sampling.Sample) error {
	places := make(map[pcp.InDom]map[instance]int)
	for _, name := range c.sort {
		name, ascending := strings.CutPrefix(name, "-")
		i := slices.IndexFunc(c.columns, func(s *shown) bool { return s != nil && s.Metric == name })
		if i < 0 || places[c.columns[i].indom] != nil {
			continue
		}
		set, sign := smp.Sets[i], -1
		if ascending {
			sign = 1
		}
		if err := set.SortByValue(ctx, sign, 0); err != nil {
			return err
		}
		at := make(map[instance]int, set.Len())
		for j := range set.Len() {
			v := set.At(j)
			at[instanceOf(&v)] = j
		}
		places[c.columns[i].indom] = at
	}
	for i, s := range c.columns {
		if s == nil || places[s.indom] == nil {
			continue
		}
		smp.Ordered = true
		err := smp.Sets[i].SortByNumber(ctx, func(v *sampling.Value) float64 {
			if place, known := places[s.indom][instanceOf(v)]; known {
				return float64(place)
			}
			return math.Inf(1)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
