package summary

import (
	"cmp"
	"math"
	"slices"
)

// An Order says which rows are wanted, and how they follow each other.
type Order struct {
	Top  int    // that many instances of each metric, those with the largest values of By; 0 for all
	By   string // one of Ranks
	Sort string // one of Sorts; "" for as they are
}

// figures are the numbers by which instances are ranked, and rows sorted.
var figures = map[string]func(r *Row) float64{
	"samples": func(r *Row) float64 { return float64(r.Samples) },
	"gaps":    func(r *Row) float64 { return float64(r.Gaps) },
	"marks":   func(r *Row) float64 { return float64(r.Marks) },
	"min":     func(r *Row) float64 { return r.Min },
	"max":     func(r *Row) float64 { return r.Max },
	"mean":    func(r *Row) float64 { return r.Mean },
	"p50":     func(r *Row) float64 { return r.P50 },
	"p95":     func(r *Row) float64 { return r.P95 },
	"p99":     func(r *Row) float64 { return r.P99 },
	"last":    func(r *Row) float64 { return r.Last },
	"change":  func(r *Row) float64 { return math.Abs(r.Change()) },
}

// Ranks returns the names of what instances are ranked by, the usual one first.
func Ranks() []string { return []string{"mean", "max", "p95", "last", "change"} }

// Sorts returns the names of the orders of rows.
func Sorts() []string {
	return []string{"name", "samples", "gaps", "marks", "min", "max", "mean", "p50", "p95", "p99", "last", "change"}
}

// compare returns a function that compares rows: by name, or the largest number first, and those
// without a number at the end.
func compare(by string) func(a, b Row) int {
	value := figures[by]
	if value == nil {
		return func(a, b Row) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Instance, b.Instance)) }
	}
	return func(a, b Row) int { return cmp.Compare(value(&b), value(&a)) } // NaN is less than all others
}

// Rows returns the rows that are wanted, in their order. A metric stands above its instances, and in
// its interval.
func (o *Order) Rows(rows []Row) []Row {
	if o.Top == 0 && o.Sort == "" {
		return rows
	}
	var groups [][]Row // a metric and its instances
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].One {
			n++
		}
		groups = append(groups, o.group(rows[:n:n]))
		rows = rows[n:]
	}
	if o.Sort != "" {
		less := compare(o.Sort)
		slices.SortStableFunc(groups, func(a, b []Row) int {
			return cmp.Or(a[0].From.Compare(b[0].From), less(a[0], b[0]))
		})
	}
	return slices.Concat(groups...)
}

// group returns a metric and those of its instances that are wanted.
func (o *Order) group(rows []Row) []Row {
	instances := rows[1:]
	if o.Top > 0 {
		slices.SortStableFunc(instances, compare(o.By))
		instances = instances[:min(len(instances), o.Top)]
		rows = rows[:1+len(instances)]
	}
	if o.Sort != "" {
		slices.SortStableFunc(instances, compare(o.Sort))
	}
	return rows
}
