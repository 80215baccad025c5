package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"sort"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// Check reads the records that Write has exported with the same Config again, and compares them with
// the tables. The error names the file and the first row that differs.
func Check(ctx context.Context, src pmapi.Source, recs *Records, cfg *Config, sum *Summary) error {
	r, err := newReader(ctx, src, recs, cfg)
	if err != nil || sum.cover == nil || len(sum.tables) == 0 {
		return err
	}
	if err := r.attach(ctx, nil, nil, sum.cover.until(sum.end)); err != nil {
		return err
	}
	p := cfg.place(r.host)
	list := func(table string) fileList {
		return fileList{from: cfg.store(), place: p, table: table, files: sum.tables[table]}
	}
	c := &checker{fileList: list("values")}
	c.event.fileList = list("events")
	c.want.of(p)
	defer c.close()
	defer c.event.close()
	damage, err := r.read(ctx, c)
	if err != nil {
		return err
	}
	if err := errors.Join(c.ended(len(c.groups)-c.group), c.event.ended(int(c.event.left))); err != nil {
		return err
	}
	return checkMetrics(ctx, r, sum.tables["metrics"][0], damage)
}

// A checker is a sink that compares groups with files.
type checker struct {
	unwatched
	fileList
	groups []parquet.RowGroup // of the file
	group  int                // the next one
	want   rowChunk           // as the rows should be
	got    [chunk]parquet.Row
	event  eventChecker
}

// unwatched ignores the calls of a sink about changes beside the values.
type unwatched struct{}

func (unwatched) instances(pcp.InDom, int64, []pcp.Instance, []pcp.Instance) error { return nil }

func (unwatched) labels(context.Context, record, bool) error { return nil }

func (unwatched) missing(string, record, pmerr.Code) error { return nil }

func (unwatched) turn() error { return nil }

func (c *checker) events(e *eventValue, records []pcp.EventRecord) error {
	return c.event.compare(e, records)
}

// A fileList opens the files of a table one after the other.
type fileList struct {
	from  Store
	place place
	table string
	files []string
	next  int
	file  File
}

// name returns the file that is read, or the table if it has no files.
func (l *fileList) name() string {
	if len(l.files) == 0 {
		return l.table
	}
	return l.from.Name(l.files[max(l.next-1, 0)])
}

func (l *fileList) close() {
	if l.file != nil {
		l.file.Close()
	}
	l.file = nil
}

// open opens the next file, whose columns must be those of a row.
func (l *fileList) open(row any) (f *parquet.File, err error) {
	l.close()
	if l.next == len(l.files) {
		return nil, fmt.Errorf("%s: there are fewer rows than the recording has %s", l.name(), l.table)
	}
	l.next++
	if l.file, f, err = openTable(context.Background(), l.from, l.files[l.next-1]); err != nil {
		return nil, err
	}
	defer recoverTable(l.name(), &err)
	if !parquet.EqualNodes(f.Schema(), l.place.schema(row)) {
		return nil, fmt.Errorf("%s: the columns are not those of %s", l.name(), l.table)
	}
	return f, nil
}

// ended returns an error if rows are left in the file, or other files.
func (l *fileList) ended(left int) error {
	if left > 0 || l.next < len(l.files) {
		return fmt.Errorf("%s: there are more rows than the recording has %s", l.name(), l.table)
	}
	return nil
}

func (c *checker) rows(g *group, metrics []metric) (err error) {
	for c.group == len(c.groups) {
		f, err := c.open(valueRow{})
		if err != nil {
			return err
		}
		c.groups, c.group = f.RowGroups(), 0
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
			return fmt.Errorf("%s: row group %d: %w", c.name(), c.group, unexpectedEOF(err))
		}
		c.want.fill(g, metrics, g.sorted[from:from+n])
		for i, row := range c.got[:n] {
			for k, v := range row {
				if want := c.want.columns[k][i]; !same(v, want) {
					return fmt.Errorf("%s: row group %d, row %d, %s: %v, want %v",
						c.name(), c.group, from+i+1, c.place.schema(valueRow{}).Columns()[k][0], v, want)
				}
			}
		}
		from += n
	}
	return nil
}

// An eventReader reads rows of events.
type eventReader interface {
	Read(rows []eventRow) (int, error)
	Close() error
}

// microEvents reads rows of a table of microseconds.
type microEvents struct {
	*parquet.Reader
	convert []conversion
}

func (r *microEvents) Read(rows []eventRow) (int, error) {
	list := make([]parquet.Row, len(rows))
	n, err := r.ReadRows(list)
	for i, row := range list[:n] {
		for k, c := range r.convert {
			row[k] = c.back(row[k])
		}
		if bad := parquet.SchemaOf(eventRow{}).Reconstruct(&rows[i], row[:len(r.convert)]); bad != nil {
			return i, bad
		}
	}
	return n, err
}

type eventChecker struct {
	fileList
	rows eventReader
	left int64 // rows of the file
}

func (c *eventChecker) close() {
	if c.rows != nil {
		c.rows.Close()
	}
	c.rows = nil
	c.fileList.close()
}

func (c *eventChecker) begin() (err error) {
	c.close()
	f, err := c.open(eventRow{})
	if err != nil {
		return err
	}
	defer recoverTable(c.name(), &err)
	if c.left = f.NumRows(); c.place.micros {
		c.rows = &microEvents{parquet.NewReader(f), c.place.conversions(eventRow{})}
	} else {
		c.rows = parquet.NewGenericReader[eventRow](f)
	}
	return nil
}

func (c *eventChecker) read(rows []eventRow) (n int, err error) {
	defer recoverTable(c.name(), &err)
	return c.rows.Read(rows)
}

func (c *eventChecker) compare(e *eventValue, records []pcp.EventRecord) error {
	want, err := e.rows(records)
	if err != nil {
		return err
	}
	for len(want) > 0 {
		for c.left == 0 {
			if err := c.begin(); err != nil {
				return err
			}
		}
		got := make([]eventRow, min(int64(len(want)), c.left))
		n, err := c.read(got)
		if n == 0 && err != nil {
			return fmt.Errorf("%s: %w", c.name(), unexpectedEOF(err))
		}
		for i := range got[:n] {
			if c.place.micros {
				want[i].Time, want[i].Recorded = 1000*floor(want[i].Time, 1000), 1000*floor(want[i].Recorded, 1000)
			}
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

func unexpectedEOF(err error) error {
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
	case a.Kind() == parquet.ByteArray, a.Kind() == parquet.FixedLenByteArray:
		return bytes.Equal(a.ByteArray(), b.ByteArray())
	case a.Kind() == parquet.Int32:
		return a.Int32() == b.Int32()
	}
	return a.Int64() == b.Int64()
}

func checkMetrics(ctx context.Context, r *reader, file string, damage error) error {
	name := r.cfg.store().Name(file)
	f, table, err := openTable(ctx, r.cfg.store(), file)
	if err != nil {
		return err
	}
	defer f.Close()
	got, err := readMetrics(name, table)
	if err != nil {
		return err
	}
	for _, want := range r.table {
		i := sort.Search(len(got), func(i int) bool { return got[i].Metric >= want.Metric })
		for i < len(got) && got[i].Metric == want.Metric && !reflect.DeepEqual(got[i], want) {
			i++
		}
		if i == len(got) || got[i].Metric != want.Metric {
			return fmt.Errorf("%s: there is no row of %s with what the recording says", name, want.Metric)
		}
	}
	meta := r.meta(damage)
	delete(meta, "pmtools.values") // those of earlier exports are counted too
	for k, v := range meta {
		if text, _ := table.Lookup(k); text != utf8Text(v) {
			return fmt.Errorf("%s: the metadata says %s=%q, want %q", name, k, text, v)
		}
	}
	return nil
}
