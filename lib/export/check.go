package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Check reads a recording again and compares it with the tables that Write has made of it with the
// same Config. The error names the file and the first row that differs.
func Check(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config) error {
	r, err := newReader(ctx, src, recs, cfg)
	if err != nil {
		return err
	}
	p := cfg.place(r.host)
	c := &checker{}
	defer c.close()
	if c.files, err = tableFiles(cfg.Dir, "values", p); err != nil {
		return err
	}
	if c.event.files, err = tableFiles(cfg.Dir, "events", p); err != nil {
		return err
	}
	damage, err := r.read(ctx, c)
	if err != nil {
		return err
	}
	if c.group != len(c.groups) || c.next != len(c.files) {
		return fmt.Errorf("%s: there are more rows than the recording has values", c.name())
	}
	if err := c.event.ended(); err != nil {
		return err
	}
	return checkMetrics(r, filepath.Join(cfg.Dir, p.file(p.dir("metrics"))), damage)
}

// A checker is a sink that compares groups with those in files.
type checker struct {
	unwatched
	files  []string
	next   int // file
	file   *os.File
	groups []parquet.RowGroup // of the file
	group  int                // the next one
	want   valueWriter        // has the columns of a chunk as they should be
	got    [chunk]parquet.Row
	event  eventChecker
}

// unwatched is the part of a sink that sees what changes beside the values, and does nothing.
type unwatched struct{}

// instances implements sink.
func (unwatched) instances(pcp.InDom, int64, []pcp.Instance, []pcp.Instance) error { return nil }

// labels implements sink.
func (unwatched) labels(context.Context, int64) error { return nil }

// missing implements sink.
func (unwatched) missing(string, int64, int32, pmerr.Code) error { return nil }

// turn implements sink.
func (unwatched) turn() error { return nil }

// events implements sink.
func (c *checker) events(e *eventValue, records []pcp.EventRecord) error {
	return c.event.compare(e, records)
}

// name returns the file that is read.
func (c *checker) name() string {
	if len(c.files) == 0 {
		return "values"
	}
	return c.files[min(max(c.next-1, 0), len(c.files)-1)]
}

// close closes the file.
func (c *checker) close() {
	if c.file != nil {
		c.file.Close()
	}
	c.event.close()
}

// open opens the next file.
func (c *checker) open() (err error) {
	if c.file != nil {
		c.file.Close()
		c.file = nil
	}
	if c.next == len(c.files) {
		return fmt.Errorf("%s: there are fewer rows than the recording has values", c.name())
	}
	c.next++
	var f *parquet.File
	if c.file, f, err = openTable(c.name()); err != nil {
		return err
	}
	c.groups, c.group = f.RowGroups(), 0
	defer recoverTable(c.name(), &err)
	if !parquet.EqualNodes(f.Schema(), parquet.SchemaOf(valueRow{})) {
		return fmt.Errorf("%s: the columns are not those of values", c.name())
	}
	return nil
}

// rows implements sink: it compares a group with the next one in the files.
func (c *checker) rows(g *group, metrics []metric) (err error) {
	for c.group == len(c.groups) {
		if err := c.open(); err != nil {
			return err
		}
	}
	c.group++
	defer recoverTable(c.name(), &err)
	rows := c.groups[c.group-1].Rows()
	defer rows.Close()
	if n := c.groups[c.group-1].NumRows(); n != int64(g.len()) {
		return fmt.Errorf("%s: row group %d has %d rows, want %d", c.name(), c.group, n, g.len())
	}
	for from := 0; from < len(g.sorted); {
		n, err := rows.ReadRows(c.got[:min(chunk, len(g.sorted)-from)])
		if n == 0 && err != nil {
			return fmt.Errorf("%s: row group %d: %w", c.name(), c.group, cmpEOF(err))
		}
		c.want.fill(g, metrics, g.sorted[from:from+n])
		for i, row := range c.got[:n] {
			for k, v := range row {
				if want := c.want.chunk[k][i]; !same(v, want) {
					return fmt.Errorf("%s: row group %d, row %d, %s: %v, want %v",
						c.name(), c.group, from+i+1, parquet.SchemaOf(valueRow{}).Columns()[k][0], v, want)
				}
			}
		}
		from += n
	}
	return nil
}

// An eventChecker compares the records of events with rows in files.
type eventChecker struct {
	files []string
	next  int // file
	file  *os.File
	rows  *parquet.GenericReader[eventRow]
	left  int64 // rows of the file
}

// close closes the file.
func (c *eventChecker) close() {
	if c.rows != nil {
		c.rows.Close()
	}
	if c.file != nil {
		c.file.Close()
	}
	c.rows, c.file = nil, nil
}

// name returns the file that is read.
func (c *eventChecker) name() string { return c.files[max(c.next-1, 0)] }

// open opens the next file.
func (c *eventChecker) open() (err error) {
	c.close()
	if c.next == len(c.files) {
		return errors.New("events: there are fewer rows than the recording has records")
	}
	c.next++
	var f *parquet.File
	if c.file, f, err = openTable(c.name()); err != nil {
		return err
	}
	defer recoverTable(c.name(), &err)
	if !parquet.EqualNodes(f.Schema(), parquet.SchemaOf(eventRow{})) {
		return fmt.Errorf("%s: the columns are not those of events", c.name())
	}
	c.rows, c.left = parquet.NewGenericReader[eventRow](f), f.NumRows()
	return nil
}

// read reads rows.
func (c *eventChecker) read(rows []eventRow) (n int, err error) {
	defer recoverTable(c.name(), &err)
	return c.rows.Read(rows)
}

// compare compares records with the next rows in the files.
func (c *eventChecker) compare(e *eventValue, records []pcp.EventRecord) error {
	want, err := e.rows(records)
	if err != nil {
		return err
	}
	for len(want) > 0 {
		for c.left == 0 {
			if err := c.open(); err != nil {
				return err
			}
		}
		got := make([]eventRow, min(int64(len(want)), c.left))
		n, err := c.read(got)
		if n == 0 && err != nil {
			return fmt.Errorf("%s: %w", c.name(), cmpEOF(err))
		}
		for i := range got[:n] {
			if !reflect.DeepEqual(got[i].bits(), want[i].bits()) {
				return fmt.Errorf("%s: %d rows before the end there is record %d of %s, want %d of %s, or another value of it",
					c.name(), c.left-int64(i), got[i].Record, got[i].Metric, want[i].Record, want[i].Metric)
			}
		}
		c.left -= int64(n)
		want = want[n:]
	}
	return nil
}

// bits returns a row that compares as its bits do: NaN equals itself.
func (row eventRow) bits() eventRow {
	if row.F64 != nil {
		n := int64(math.Float64bits(*row.F64))
		row.F64, row.I64 = new(float64), &n
	}
	return row
}

// ended returns an error if there are more rows.
func (c *eventChecker) ended() error {
	if c.left > 0 || c.next < len(c.files) {
		return fmt.Errorf("%s: there are more rows than the recording has records", c.name())
	}
	return nil
}

// cmpEOF returns an end of data as an error that is one.
func cmpEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// same reports whether values are equal to the bit.
func same(a, b parquet.Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsNull() && b.IsNull()
	case a.Kind() != b.Kind():
		return false
	case a.Kind() == parquet.Double:
		return math.Float64bits(a.Double()) == math.Float64bits(b.Double())
	case a.Kind() == parquet.ByteArray:
		return bytes.Equal(a.ByteArray(), b.ByteArray())
	case a.Kind() == parquet.Int32:
		return a.Int32() == b.Int32()
	}
	return a.Int64() == b.Int64()
}

// checkMetrics compares the table of metrics, and what it says of the export.
func checkMetrics(r *reader, name string, damage error) error {
	f, table, err := openTable(name)
	if err != nil {
		return err
	}
	defer f.Close()
	got, err := readMetrics(name, table)
	if err != nil {
		return err
	}
	want := r.table
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			return fmt.Errorf("%s: row %d is of %s and differs from what the recording says of %s", name, i+1, got[i].Metric, want[i].Metric)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d metrics, want %d", name, len(got), len(want))
	}
	for k, v := range r.meta(damage) {
		if text, _ := table.Lookup(k); text != utf8Text(v) {
			return fmt.Errorf("%s: the metadata says %s=%q, want %q", name, k, text, v)
		}
	}
	return nil
}
