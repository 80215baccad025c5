package repl

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
)

// An across puts the values of several hosts together: all of an instance to one by a function, or
// the largest or smallest of all.
type across struct {
	fn    func(list []float64) float64
	count bool
	units bool // the result has the units of the values
	most  int  // of top and bottom; 0 for a function
	sign  int  // of the order
}

// acrossFunctions are the functions of --across.
var acrossFunctions = map[string]func(list []float64) float64{
	"sum":   sum,
	"avg":   func(list []float64) float64 { return sum(list) / float64(len(list)) },
	"min":   slices.Min[[]float64],
	"max":   slices.Max[[]float64],
	"count": func(list []float64) float64 { return float64(len(list)) },
}

// sum adds numbers.
func sum(list []float64) (total float64) {
	for _, f := range list {
		total += f
	}
	return total
}

// acrossForms are the values of Settings.Across.
const acrossForms = "sum, avg, min, max, count, 'top N' and 'bottom N'"

// CheckAcross checks a value of Settings.Across.
func CheckAcross(text string) error {
	_, err := parseAcross(text)
	return err
}

// parseAcross reads the text of an across; "" is nil.
func parseAcross(text string) (*across, error) {
	if text == "" {
		return nil, nil
	}
	words := strings.Fields(text)
	if len(words) == 1 && acrossFunctions[words[0]] != nil {
		return &across{fn: acrossFunctions[words[0]], count: words[0] == "count", units: words[0] != "count"}, nil
	}
	sign := map[string]int{"top": -1, "bottom": 1}
	if len(words) == 2 && sign[words[0]] != 0 {
		if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
			return &across{most: n, sign: sign[words[0]], units: true}, nil
		}
	}
	return nil, problemf("values of hosts cannot be combined by '%s'; use %s", text, acrossForms)
}

// describe makes a Run that of the results.
func (x *across) describe(run *Run) {
	if x.most > 0 {
		return
	}
	run.Hosts = false
	for i := range run.Exprs {
		e := &run.Exprs[i]
		if e.Rate != nil {
			e.Desc = *e.Rate
			e.Rate = nil
		}
		e.Desc.Type = pcp.Double
		if x.count {
			e.Desc.Type, e.Desc.Units, e.Desc.Sem = pcp.Uint32, pcp.Units{}, pcp.Instant
		}
	}
}

// apply makes of a sample of all hosts what was asked for.
func (x *across) apply(ctx context.Context, smp *Sample, run *Run) error {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		if x.most > 0 {
			if err := set.byValue(ctx, x.sign, x.most, run.Exprs[i].Rate != nil); err != nil {
				return err
			}
			continue
		}
		x.reduce(set)
	}
	return nil
}

// shown returns the number of a value that is shown, NaN if it has none.
func shown(v *Value, rate bool) float64 {
	x := v.Value
	if rate {
		x = v.Rate
	}
	if f, err := x.Float64(); err == nil && x.Type().Arithmetic() {
		return f
	}
	return math.NaN()
}

// reduce makes one value of those of each instance, in the order in which the instances come.
func (x *across) reduce(set *Set) {
	var out []Value
	var lists [][]float64
	at := make(map[string]int)
	for _, v := range set.list {
		k, ok := at[v.Instance]
		if !ok {
			k = len(out)
			at[v.Instance] = k
			out, lists = append(out, Value{ID: int32(k), Instance: v.Instance}), append(lists, nil)
			if v.ID == pcp.NullInst {
				out[k].ID = v.ID
			}
		}
		f := shown(&v, v.Rate.IsSet())
		if x.count && v.Value.IsSet() {
			f = 0 // text counts too
		}
		if !math.IsNaN(f) {
			lists[k] = append(lists[k], f)
		}
	}
	for k := range out {
		switch {
		case x.count:
			out[k].Value = pcp.WordValue(pcp.Uint32, uint64(len(lists[k])))
		case len(lists[k]) > 0:
			out[k].Value = pcp.DoubleValue(x.fn(lists[k]))
		}
	}
	set.list = out
}
