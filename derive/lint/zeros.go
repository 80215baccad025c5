package lint

import (
	"pmtools/derive/query"
	"pmtools/lib/sampling"
)

// ExplainZeros makes a stream tell why a value is 0 if a conversion to a larger unit has rounded it,
// once for each expression. Nil for note is allowed.
func ExplainZeros(st *query.Stream, note func(line string)) {
	why := make([][]string, len(st.Exprs))
	found := false
	for i, e := range st.Exprs {
		why[i] = Rounded(e.Tree, e.Info)
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
