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

// A csvWriter writes RFC 4180 text: a line for each sample, or a line for each value.
type csvWriter struct {
	text
	h      *sampling.Header
	opt    Options
	long   bool
	before []byte     // the time and the metric of a line
	names  []prefixes // the fields of the instances of each metric
}

// NewCSV returns a Writer of CSV. Each value has a line if any metric has instances or Options.Long
// is set; otherwise each sample has one, and with Options.Wide always.
func NewCSV(w io.Writer, h *sampling.Header, opt *Options) (sampling.Writer, error) {
	if opt.Wide && !opt.Long {
		return newWide(w, h, opt)
	}
	c := &csvWriter{text: text{w: w}, h: h, opt: *opt, long: opt.Long || h.Hosts, names: make([]prefixes, len(h.Metrics))}
	if c.opt.Delimiter == 0 {
		c.opt.Delimiter = ','
	}
	for i := range h.Metrics {
		c.long = c.long || !h.Metrics[i].Singular()
	}
	if opt.Header == NoHeader {
		return c, nil
	}
	b := append(c.b, "time"...)
	if h.Hosts {
		b = append(append(b, c.opt.Delimiter), "host"...)
	}
	if c.long {
		names := ",metric,instance,value"
		if opt.Units {
			names += ",units"
		}
		b = append(b, strings.ReplaceAll(names, ",", string(c.opt.Delimiter))...)
	} else {
		for i := range h.Metrics {
			m := &h.Metrics[i]
			name := m.Name
			if units := m.Desc.Units.String(); opt.Units && units != "" {
				name += " [" + units + "]"
			}
			b = c.appendField(append(b, c.opt.Delimiter), name)
		}
	}
	c.b = append(b, "\r\n"...)
	return c, c.flush()
}

// Sample implements Writer.
func (c *csvWriter) Sample(ctx context.Context, s *sampling.Sample) error {
	if err := s.Sort(ctx); err != nil {
		return err
	}
	if c.long {
		return c.values(ctx, s)
	}
	c.b = c.opt.appendTime(c.b, c.h, s.Time)
	for i := range c.h.Metrics {
		c.b = append(c.b, c.opt.Delimiter)
		if s.Missing == "" && s.Sets[i].Len() > 0 {
			c.b = c.appendValue(c.b, s.Sets[i].Value(0))
		}
	}
	c.b = append(c.b, "\r\n"...)
	return c.flush()
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
		if column, ok := s.Sets[i].Column(); ok && (!c.h.Hosts || s.Sets[i].Host != "") {
			c.before = c.before[:stamp]
			if c.h.Hosts {
				c.before = append(c.appendField(c.before, s.Sets[i].Host), c.opt.Delimiter)
			}
			c.before = append(c.appendField(c.before, m.Name), c.opt.Delimiter)
			if err := c.column(ctx, m, &c.names[i], &column); err != nil {
				return err
			}
			continue
		}
		for j := range s.Sets[i].Len() {
			v := s.Sets[i].At(j)
			b := append(c.b, c.before[:stamp]...)
			if c.h.Hosts {
				b = append(c.appendField(b, v.Host), c.opt.Delimiter)
			}
			b = c.appendField(append(c.appendField(b, m.Name), c.opt.Delimiter), v.Instance)
			b = c.appendValue(append(b, c.opt.Delimiter), v.Value)
			c.b = append(b, c.end(m)...)
			if err := c.next(ctx, j); err != nil {
				return err
			}
		}
	}
	return c.flush()
}

// column writes a line for each number of a metric, whose name ends c.before.
func (c *csvWriter) column(ctx context.Context, m *sampling.Metric, names *prefixes, column *sampling.Column) error {
	end := c.end(m)
	for j, word := range column.Words {
		name, made := names.at(j, column)
		if !made {
			name.text = append(c.appendField(name.text, name.name), c.opt.Delimiter)
		}
		b := append(append(c.b, c.before...), name.text...)
		c.b = append(format.AppendExactWord(b, column.Type, word, c.opt.Precision), end...)
		if err := c.next(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// end returns the end of the lines of a metric.
func (c *csvWriter) end(m *sampling.Metric) string {
	if c.opt.Units {
		return string(c.appendField([]byte{c.opt.Delimiter}, m.Desc.Units.String())) + "\r\n"
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
