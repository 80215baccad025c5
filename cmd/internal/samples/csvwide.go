package samples

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/internal/textwidth"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A wideWriter writes CSV with a line for each sample and a column for each instance: those that the
// source knows, and those of the first sample. A value that comes without a column is an error at the end.
type wideWriter struct {
	csvWriter
	columns []map[int32]int // of each metric, by instance; nil before the first sample
	places  [][]place       // of the values of each metric, as they stood in the sample before
	fields  [][]byte        // of a line
	late    []string
}

// A place is the column of an instance.
type place struct {
	id     int32
	column int
}

// place returns the column of the value at place j of a metric.
func (c *wideWriter) place(metric, j int, id int32) (column int, ok bool) {
	list := c.places[metric]
	if j < len(list) && list[j].id == id {
		return list[j].column, true
	}
	column, ok = c.columns[metric][id]
	if x := (place{id, column}); ok && j < len(list) {
		list[j] = x
	} else if ok && j == len(list) {
		c.places[metric] = append(list, x)
	}
	return column, ok
}

// newWide returns a Writer of CSV with a column for each instance. Only Options.Wide makes it wait for these.
func newWide(c csvWriter) (sampling.Writer, error) {
	if c.h.Hosts != nil {
		return nil, errors.New("csv has columns for the instances of one source: several hosts need a line for each value, --long")
	}
	wide := &wideWriter{csvWriter: c}
	if c.opt.Wide {
		return wide, nil
	}
	if err := wide.begin(context.Background(), &sampling.Sample{}); err != nil {
		return nil, err
	}
	return wide, wide.flush()
}

// begin chooses the columns and writes the header.
func (c *wideWriter) begin(ctx context.Context, s *sampling.Sample) error {
	b, n := append(c.b, "time"...), 0
	head := func(i int, id int32, instance string) {
		if _, known := c.columns[i][id]; known {
			return
		}
		m := &c.h.Metrics[i]
		name := m.Name
		if !m.Singular() {
			name += "[" + instance + "]"
		}
		if units := m.Units(); c.opt.Units && units != "" {
			name += " [" + units + "]"
		}
		b = c.appendField(append(b, c.opt.Delimiter), name)
		c.columns[i][id] = n
		n++
	}
	known := make(map[pcp.InDom][]pcp.Instance)
	c.columns, c.places = make([]map[int32]int, len(c.h.Metrics)), make([][]place, len(c.h.Metrics))
	for i := range c.h.Metrics {
		c.columns[i] = make(map[int32]int)
		m := &c.h.Metrics[i]
		if m.Singular() {
			head(i, -1, "")
			continue
		}
		if _, asked := known[m.Desc.InDom]; !asked && c.h.Instances != nil && c.h.Samples != 1 {
			list, err := c.h.Instances(ctx, i)
			if ctx.Err() != nil {
				return err
			}
			slices.SortFunc(list, func(a, b pcp.Instance) int { return cmp.Compare(a.ID, b.ID) })
			known[m.Desc.InDom] = list // beside an error there are those of the sample
		}
		for _, in := range known[m.Desc.InDom] {
			head(i, in.ID, in.Name)
		}
		for j := 0; s.Missing == "" && j < s.Sets[i].Len(); j++ {
			v := s.Sets[i].At(j)
			head(i, v.ID, v.Instance)
		}
	}
	if c.fields = make([][]byte, n); c.opt.Header != NoHeader {
		c.b = append(b, "\r\n"...)
	}
	return nil
}

// Sample implements Writer.
func (c *wideWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	if c.columns == nil {
		if err := c.begin(ctx, s); err != nil {
			return err
		}
	}
	for i := range c.fields {
		c.fields[i] = c.fields[i][:0]
	}
	for i := range s.Sets {
		set, m := &s.Sets[i], &c.h.Metrics[i]
		for j := 0; s.Missing == "" && j < set.Len(); j++ {
			if err := sampling.Ended(ctx, j); err != nil {
				return err
			}
			id := set.ID(j)
			if m.Singular() {
				id = -1
			}
			if k, ok := c.place(i, j, id); ok {
				c.fields[k] = c.appendValue(c.fields[k], set.Value(j))
			} else if label := m.Label(set.At(j).Instance, true); len(c.late) < maxLate && !slices.Contains(c.late, label) {
				c.late = append(c.late, label)
			}
		}
	}
	c.b = c.opt.appendTime(c.b, c.h, s.Time)
	for _, f := range c.fields {
		c.b = append(append(c.b, c.opt.Delimiter), f...)
	}
	c.b = append(c.b, "\r\n"...)
	return c.flush()
}

// Close implements Writer.
func (c *wideWriter) Close() error {
	if len(c.late) == 0 {
		return nil
	}
	return fmt.Errorf("instances that came after the header have no column, --long has their values: %s", textwidth.Cut(strings.Join(c.late, ", "), 200))
}
