package samples

import (
	"context"
	"io"
	"strconv"
	"strings"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// A csvWriter writes RFC 4180 text: a line for each value.
type csvWriter struct {
	text
	h      *sampling.Header
	opt    Options
	before []byte     // the time and the metric of a line
	names  []prefixes // the fields of the instances of each metric
}

// NewCSV returns a Writer of CSV. Each value has a line if any metric has instances or Options.Long
// is set; otherwise each sample has one, and with Options.Wide always.
func NewCSV(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	c := csvWriter{text: text{w: w}, h: h, opt: *opt, names: make([]prefixes, len(h.Metrics))}
	if c.opt.Delimiter == 0 {
		c.opt.Delimiter = ','
	}
	long := opt.Long || h.Hosts != nil
	for i := range h.Metrics {
		long = long || !h.Metrics[i].Singular()
	}
	if opt.Wide && !opt.Long || !long {
		return newWide(c)
	}
	if opt.Header == NoHeader {
		return &c, nil
	}
	names := "time,metric,instance,value"
	if h.Hosts != nil {
		names = "time,host,metric,instance,value"
	}
	if opt.Units {
		names += ",units"
	}
	c.b = append(c.b, strings.ReplaceAll(names, ",", string(c.opt.Delimiter))+"\r\n"...)
	return &c, c.flush()
}

// Sample implements Writer.
func (c *csvWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	return c.values(ctx, s)
}

// values writes a line for each value.
func (c *csvWriter) values(ctx context.Context, s *sampling.Sample) error {
	if s.Missing != "" {
		return nil
	}
	c.before = append(c.opt.appendTime(c.before[:0], c.h, s.Time), c.opt.Delimiter)
	stamp := len(c.before)
	for i := range s.Sets {
		m := &c.h.Metrics[i]
		if column, ok := s.Sets[i].Column(); ok {
			c.before = append(c.appendField(c.before[:stamp], m.Name), c.opt.Delimiter)
			if err := c.column(ctx, i, &column); err != nil {
				return err
			}
			continue
		}
		host, end := "", c.end(m)
		for j := range s.Sets[i].Len() {
			v := s.Sets[i].At(j)
			if j == 0 || v.Host != host {
				host, c.before = v.Host, c.before[:stamp]
				if c.h.Hosts != nil {
					c.before = append(c.appendField(c.before, host), c.opt.Delimiter)
				}
				c.before = append(c.appendField(c.before, m.Name), c.opt.Delimiter)
			}
			b := append(append(c.b, c.before...), c.field(i, j, v.ID, v.Instance).text...)
			c.b = append(c.appendValue(b, v.Value), end...)
			if err := c.next(ctx, j); err != nil {
				return err
			}
		}
	}
	return c.flush()
}

// column writes a line for each number of a metric, whose name ends c.before.
func (c *csvWriter) column(ctx context.Context, metric int, column *sampling.Column) error {
	end := c.end(&c.h.Metrics[metric])
	for j, word := range column.Words {
		b := append(append(c.b, c.before...), c.field(metric, j, column.Insts[j], column.Name(j)).text...)
		c.b = append(format.AppendExactWord(b, column.Type, word, c.opt.Precision), end...)
		if err := c.next(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// field returns the field of the instance at a place.
func (c *csvWriter) field(metric, place int, id int32, name string) *prefix {
	x, made := c.names[metric].at(place, id, name)
	if !made {
		x.text = append(c.appendField(x.text, name), c.opt.Delimiter)
	}
	return x
}

// end returns the end of the lines of a metric.
func (c *csvWriter) end(m *sampling.Metric) string {
	if c.opt.Units {
		return string(c.appendField([]byte{c.opt.Delimiter}, m.Units())) + "\r\n"
	}
	return "\r\n"
}

// appendValue appends the field of a value.
func (c *csvWriter) appendValue(b []byte, v pcp.Value) []byte {
	if v.Type().Arithmetic() {
		return format.AppendExact(b, v, c.opt.Precision, c.h.Location())
	}
	return c.appendField(b, string(format.AppendExact(nil, v, c.opt.Precision, c.h.Location())))
}

// appendField appends a field, in quotes if it needs them. With Options.Safe a field that a
// spreadsheet would take for a formula gets an apostrophe in front.
func (c *csvWriter) appendField(b []byte, field string) []byte {
	formula := c.opt.Safe && field != "" && strings.IndexByte("=+-@\t\r", field[0]) >= 0
	if formula {
		_, err := strconv.ParseFloat(field, 64)
		formula = err != nil
	}
	switch {
	case formula:
		field = "'" + field
	case !strings.ContainsAny(field, ",\"\r\n") && strings.IndexByte(field, c.opt.Delimiter) < 0 && !strings.HasPrefix(field, " "):
		return append(b, field...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(field, `"`, `""`)...), '"')
}

// Close implements Writer.
func (c *csvWriter) Close() error { return nil }
