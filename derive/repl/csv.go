package repl

import (
	"bytes"
	"encoding/csv"
	"io"
)

// csvSink writes RFC 4180 text: a line a sample, or in the long layout a line a value.
type csvSink struct {
	s       *Session
	w       io.Writer
	q       *query
	long    bool
	columns []csvColumn
	headed  bool
}

// A csvColumn is one value of one expression.
type csvColumn struct {
	expr int
	inst int32
}

func (c *csvSink) sample(smp *reading) error {
	if !c.long && c.headed && c.fresh(smp) {
		// The columns stand already: what follows has its own header.
		c.long, c.headed = true, false
	}
	var rows [][]string
	if c.long {
		rows = c.longRows(smp)
	} else {
		rows = c.wideRows(smp)
	}
	c.headed = true
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	_, err := c.w.Write(b.Bytes())
	return err
}

func (c *csvSink) end() error { return nil }

// fresh reports whether a sample has a value that there is no column for.
func (c *csvSink) fresh(smp *reading) bool {
	known := make(map[csvColumn]bool, len(c.columns))
	for _, col := range c.columns {
		known[col] = true
	}
	for i := range smp.Sets {
		for _, v := range smp.Sets[i].Values {
			if !known[csvColumn{i, v.ID}] {
				return true
			}
		}
	}
	return false
}

// wideRows returns a row for the sample, at first below a header.
func (c *csvSink) wideRows(smp *reading) [][]string {
	var rows [][]string
	if !c.headed {
		header := []string{"time"}
		for i := range smp.Sets {
			if c.q.exprs[i].info.Root.Singular() {
				c.columns = append(c.columns, csvColumn{i, -1})
				header = append(header, c.q.names[i])
				continue
			}
			for _, v := range smp.Sets[i].Values {
				c.columns = append(c.columns, csvColumn{i, v.ID})
				header = append(header, c.q.names[i]+"["+v.Instance+"]")
			}
		}
		rows = append(rows, header)
	}
	row := []string{c.s.iso(smp.Time)}
	values := make(map[csvColumn]string)
	for i := range smp.Sets {
		for _, v := range smp.Sets[i].Values {
			values[csvColumn{i, v.ID}] = c.s.plain(c.s.shownValue(c.q.exprs[i], v))
		}
	}
	for _, col := range c.columns {
		row = append(row, values[col])
	}
	return append(rows, row)
}

// longRows returns a row for each value, at first below a header.
func (c *csvSink) longRows(smp *reading) [][]string {
	var rows [][]string
	if !c.headed {
		rows = append(rows, []string{"time", "metric", "instance", "value"})
	}
	at := c.s.iso(smp.Time)
	for i := range smp.Sets {
		for _, v := range smp.Sets[i].Values {
			rows = append(rows, []string{at, c.q.names[i], v.Instance, c.s.plain(c.s.shownValue(c.q.exprs[i], v))})
		}
	}
	return rows
}
