package answer

import (
	"context"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// Values returns a table of values: instances, the values and their unit or, of rates, the counters
// and the rates below their units.
func Values(ctx context.Context, m *sampling.Metric, set *sampling.Set, form format.NumberForm) (*Table, error) {
	numbers, err := newColumn(ctx, m, set, form)
	if err != nil {
		return nil, err
	}
	var counters column
	if m.Counter != nil {
		set := set.Counters()
		if counters, err = newColumn(ctx, &sampling.Metric{Desc: *m.Counter}, &set, form); err != nil {
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
			row = append(row, counters.cell(v.Counter))
		}
		cell := numbers.cell(v.Value)
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

// A column is the numbers of a table, or other values.
type column struct {
	format.Numbers
	width int
}

func newColumn(ctx context.Context, m *sampling.Metric, set *sampling.Set, form format.NumberForm) (c column, err error) {
	c.Numbers, c.width, err = set.Numbers(ctx, form, m)
	return c, err
}

func (c *column) cell(v pcp.Value) string {
	return string(c.AppendAligned(nil, v, c.width))
}
