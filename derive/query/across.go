package query

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
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

// AcrossForms are the values of Query.Across.
const AcrossForms = "sum, avg, min, max, count, 'top N' and 'bottom N'"

// CheckAcross checks a value of Query.Across.
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
	return nil, Problemf("values of hosts cannot be combined by '%s'; use %s", text, AcrossForms)
}

// describe makes a Header that of the results.
func (x *across) describe(h *sampling.Header) {
	if x.most > 0 {
		return
	}
	h.Hosts = nil
	for i := range h.Metrics {
		m := &h.Metrics[i]
		m.Counter = nil
		m.Desc.Type = pcp.Double
		if x.count {
			m.Desc.Type, m.Desc.Units, m.Desc.Sem = pcp.Uint32, pcp.Units{}, pcp.Instant
		}
	}
}

// apply combines a sample of all hosts as requested.
func (x *across) apply(ctx context.Context, smp *sampling.Sample) error {
	for i := range smp.Sets {
		set := &smp.Sets[i]
		if x.most > 0 {
			if err := set.SortByValue(ctx, x.sign, x.most); err != nil {
				return err
			}
			continue
		}
		*set = x.reduce(set)
	}
	return nil
}

// reduce makes one value of those of each instance, in the order in which the instances come.
func (x *across) reduce(set *sampling.Set) sampling.Set {
	var out []sampling.Value
	var lists [][]float64
	at := make(map[string]int)
	for i := range set.Len() {
		v := set.At(i)
		k, ok := at[v.Instance]
		if !ok {
			k = len(out)
			at[v.Instance] = k
			out, lists = append(out, sampling.Value{ID: int32(k), Instance: v.Instance}), append(lists, nil)
			if v.ID == pcp.NullInst {
				out[k].ID = v.ID
			}
		}
		f := v.Number()
		if x.count && (v.Value.IsSet() || v.Counter.IsSet()) {
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
	return sampling.SetOf(out...)
}
