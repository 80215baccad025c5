package lint

import (
	"fmt"

	"pmtools/derive/check"
	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// rounds reports whether a conversion rounds integers to a larger unit, and which that is.
func rounds(r *syntax.RescaleExpr, info *check.Info) (to pcp.Units, ok bool) {
	typ, known := info.Types[r.X]
	if !known || typ.Type == pcp.Float || typ.Type == pcp.Double {
		return to, false
	}
	to = info.Rescale[r]
	one, err := pcp.DoubleValue(1).ConvScale(typ.Units, to)
	f, _ := one.Float64()
	return to, err == nil && f < 1
}

func roundedText(text string, to pcp.Units) string {
	return fmt.Sprintf("%s is an integer, and is rounded to whole %s", text, to)
}

// roundings returns the findings of the rule rounded in an expression, each with what to write instead.
func roundings(x syntax.Expr, info *check.Info) (list []string) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.RescaleExpr); ok {
			if to, ok := rounds(r, info); ok {
				text := syntax.Print(r.X)
				why := roundedText(text, to)
				if _, name := r.X.(*syntax.MetricRef); !name {
					text = "(" + text + ")"
				}
				list = append(list, why+"; "+text+" * 1.0 keeps the fraction")
			}
		}
		return true
	})
	return list
}

// Compared describes the counters whose values an expression compares, or has as conditions.
func Compared(x syntax.Expr, info *check.Info) (list []string) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if _, call := n.(*syntax.CallExpr); !call {
			where, counters := compared(n, info)
			for _, c := range counters {
				text := syntax.Print(c)
				list = append(list, fmt.Sprintf("the value of a counter is %s: %s; rate(%s) is how fast it grows", where, text, text))
			}
		}
		_, inner := n.(*syntax.NestExpr)
		return !inner
	})
	return list
}

// ExplainZeros makes a stream tell why a value is 0 if a conversion to a larger unit has rounded it,
// once for each expression. Nil for note is allowed.
func ExplainZeros(st *query.Stream, note func(line string)) {
	why := make([][]string, len(st.Exprs))
	found := false
	for i, e := range st.Exprs {
		why[i] = roundings(e.Tree, e.Info)
		found = found || why[i] != nil
	}
	if !found || note == nil {
		return
	}
	samples := st.Samples
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		samples(func(smp *sampling.Sample, err error) bool {
			for i := range why {
				if err == nil && why[i] != nil && i < len(smp.Sets) && hasZero(&smp.Sets[i]) {
					for _, line := range why[i] {
						note("note: " + line)
					}
					why[i] = nil
				}
			}
			return yield(smp, err)
		})
	}
}

func hasZero(set *sampling.Set) bool {
	for i := range set.Len() {
		if f, err := set.Value(i).Float64(); err == nil && f == 0 {
			return true
		}
	}
	return false
}
