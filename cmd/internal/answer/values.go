package answer

import (
	"context"

	"pmtools/lib/format"
	"pmtools/lib/sampling"
)

// Values returns a table of values: instances, the values and their unit or, of rates, the counters
// and the rates below their units.
func Values(ctx context.Context, m *sampling.Metric, set *sampling.Set, form format.NumberForm) (*Table, error) {
	numbers, width, err := set.Numbers(ctx, form, m)
	if err != nil {
		return nil, err
	}
	var counters format.Numbers
	before := 0
	if m.Counter != nil {
		set := set.Counters()
		if counters, before, err = set.Numbers(ctx, form, &sampling.Metric{Desc: *m.Counter}); err != nil {
			return nil, err
		}
	}
	t := &Table{}
	for i := range set.Len() {
		if err := sampling.Ended(ctx, i); err != nil {
			return nil, err
		}
		v := set.At(i)
		var row []string
		if !m.Singular() {
			row = append(row, v.Instance)
		}
		if m.Counter != nil {
			row = append(row, string(counters.AppendAligned(nil, v.Counter, before)))
		}
		cell := string(numbers.AppendAligned(nil, v.Value, width))
		if m.Counter == nil && numbers.Unit != "" {
			cell += " " + numbers.Unit
		}
		t.Rows = append(t.Rows, append(row, cell))
	}
	if !m.Singular() {
		t.Right = append(t.Right, false)
	}
	t.Right = append(t.Right, m.Desc.Type.Arithmetic(), true)
	if m.Counter == nil {
		return t, nil
	}
	t.Header, t.Units = []string{"value", "rate"}, []string{counters.Unit, numbers.Unit}
	if !m.Singular() {
		t.Header, t.Units = append([]string{"instance"}, t.Header...), append([]string{""}, t.Units...)
	}
	return t, nil
}
