package eval_test

import (
	"math"
	"slices"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// over evaluates a function over time from all samples that there ever were.
func (s *naive) over(e *syntax.CallExpr, x naiveColumn) naiveColumn {
	if s.past == nil {
		s.past = make(map[syntax.Expr][]naiveSample)
	}
	all := append(s.past[e], naiveSample{x, s.in.Time})
	s.past[e] = all
	age := func(p naiveSample) int64 {
		return (s.in.Time.Sec-p.time.Sec)*1e9 + int64(s.in.Time.Nsec) - int64(p.time.Nsec)
	}
	if e.Fun == "shift" {
		for _, p := range slices.Backward(all) {
			if age(p) >= e.Over.Nanoseconds {
				return p.col
			}
		}
		return naiveColumn{}
	}
	var out naiveColumn
	for _, v := range x.vals {
		var values []any // of the instance, the oldest first
		var smooth float64
		begun := false
		for i, p := range all {
			w := p.col.find(v.inst)
			if w == nil {
				begun = false
				continue
			}
			if age(p) < e.Over.Nanoseconds {
				values = append(values, w)
			}
			f := goConvert(w, pcp.Double).(float64)
			if !begun || math.IsNaN(smooth-smooth) {
				smooth, begun = f, true
				continue
			}
			gone := float64(age(all[i-1])-age(p)) / 1e9
			share := gone / (float64(e.Over.Nanoseconds)/1e9 + gone)
			smooth += float64((f - smooth) * share)
		}
		if e.Fun == "smooth" {
			out.vals = append(out.vals, naiveValue{v.inst, smooth})
			continue
		}
		out.vals = append(out.vals, naiveValue{v.inst, naiveOf(e, values)})
	}
	return out
}

// naiveOf makes one value of several.
func naiveOf(e *syntax.CallExpr, values []any) any {
	if e.Fun == "quantile_over" {
		var list naiveColumn
		for _, v := range values {
			list.vals = append(list.vals, naiveValue{0, v})
		}
		quantile := &syntax.CallExpr{Fun: "quantile", N: e.N}
		return new(naive).extension(quantile, list, pcp.Double).vals[0].v
	}
	best, total := values[0], 0.0
	for _, v := range values {
		total += goConvert(v, pcp.Double).(float64)
		if e.Fun == "max_over" && truth(apply(syntax.GT, v, best)) || e.Fun == "min_over" && truth(apply(syntax.LT, v, best)) {
			best = v
		}
	}
	if e.Fun == "avg_over" {
		return total / float64(len(values))
	}
	return best
}
