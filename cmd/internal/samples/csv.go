package samples

import (
	"io"
	"strconv"
	"strings"
)

// A csvWriter writes RFC 4180 text: a line for each sample, or a line for each value.
type csvWriter struct {
	w    io.Writer
	h    *Header
	opt  Options
	long bool
	buf  []byte
}

// NewCSV returns a Writer of CSV. Each value has a line if any metric has instances or Options.Long
// is set; otherwise each sample has one.
func NewCSV(w io.Writer, h *Header, opt *Options) (Writer, error) {
	c := &csvWriter{w: w, h: h, opt: *opt, long: opt.Long || h.Hosts}
	if c.opt.Delimiter == 0 {
		c.opt.Delimiter = ','
	}
	for i := range h.Metrics {
		c.long = c.long || !h.Metrics[i].singular()
	}
	if opt.Header == NoHeader {
		return c, nil
	}
	b := append(c.buf, "time"...)
	if h.Hosts {
		b = append(append(b, c.opt.Delimiter), "host"...)
	}
	if c.long {
		b = append(b, strings.ReplaceAll(",metric,instance,value", ",", string(c.opt.Delimiter))...)
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
	return c, c.write(append(b, "\r\n"...))
}

// write writes text and keeps its memory.
func (c *csvWriter) write(b []byte) error {
	c.buf = b[:0]
	_, err := c.w.Write(b)
	return err
}

// Sample implements Writer.
func (c *csvWriter) Sample(s *Sample) error {
	s.sort()
	if c.long {
		return c.values(s)
	}
	b := c.opt.appendTime(c.buf, c.h, s.Time)
	for i := range c.h.Metrics {
		b = append(b, c.opt.Delimiter)
		if s.Missing == "" && len(s.Sets[i].Values) > 0 {
			b = c.appendValue(b, &s.Sets[i].Values[0])
		}
	}
	return c.write(append(b, "\r\n"...))
}

// values writes a line for each value.
func (c *csvWriter) values(s *Sample) error {
	b := c.buf
	if s.Missing != "" {
		return nil
	}
	for i := range s.Sets {
		for j := range s.Sets[i].Values {
			v := &s.Sets[i].Values[j]
			b = c.opt.appendTime(b, c.h, s.Time)
			if c.h.Hosts {
				b = c.appendField(append(b, c.opt.Delimiter), v.Host)
			}
			b = c.appendField(append(b, c.opt.Delimiter), c.h.Metrics[i].Name)
			b = c.appendField(append(b, c.opt.Delimiter), v.Instance)
			b = c.appendValue(append(b, c.opt.Delimiter), v)
			b = append(b, "\r\n"...)
		}
	}
	return c.write(b)
}

// appendValue appends the field of a value.
func (c *csvWriter) appendValue(b []byte, v *Value) []byte {
	if v.Value.Type().Arithmetic() {
		return c.h.appendValue(b, v.Value, c.opt.Precision)
	}
	return c.appendField(b, string(c.h.appendValue(nil, v.Value, c.opt.Precision)))
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
