package summary

import (
	"slices"

	"pmtools/lib/pcp"
)

// This file keeps the values of discrete operands, such as hinv.ncpu, which loggers record once: beside
// operands that are in each record they hold until the next record that has them, or a mark.

// mixed reports whether some operands of an expression are discrete, and others are not.
func (s *Summary) mixed(operands []pcp.ID) bool {
	n := 0
	for _, id := range operands {
		if s.traits[id].discrete {
			n++
		}
	}
	return n > 0 && n < len(operands)
}

// keep takes over the values of a discrete operand.
func (s *Summary) keep(u use, set *pcp.Values) {
	kept := s.kept[set.ID]
	if kept == nil {
		kept = new(pcp.Values)
		s.kept[set.ID] = kept
	}
	kept.Reset(set.ID, set.Type)
	kept.Err = set.Err
	for i := range set.Len() {
		inst := set.Insts[i]
		if u.singular {
			inst = pcp.NullInst
		}
		v := set.Value(i)
		if v.IsSet() && !v.Type().Arithmetic() {
			v = pcp.BlobValue(v.Type(), slices.Clone(v.Bytes()))
		}
		kept.Append(inst, v)
	}
}

// fill puts the values that are kept into the columns of a metric.
func (s *Summary) fill(m *Metric) {
	for _, u := range s.discrete[m] {
		m.columns[u.column] = s.kept[u.id]
	}
}
