package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
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
	list := func(table string) rowReader {
		return rowReader{from: cfg.store(), place: p, table: table, files: sum.tables[table]}
	}
	c := &checker{values: list("values"), event: list("events"), maker: p.maker(eventRow{})}
	c.want[colHost] = p.hostValue(colHost)
	defer c.values.close()
	defer c.event.close()
	damage, err := r.read(ctx, c)
	if err != nil {
		return err
	}
	if err := errors.Join(c.values.ended(), c.event.ended()); err != nil {
		return err
	}
	return checkMetrics(ctx, r, sum.tables["metrics"][0], damage)
}

// A checker is a sink that compares rows with those of files.
type checker struct {
	unwatched
	values, event rowReader
	want          [cols]parquet.Value // as the row of values should be
	digits        [decimalBytes]byte
	maker         *rowMaker // of rows of events
}

// unwatched ignores the calls of a sink about changes beside the values.
type unwatched struct{}

func (unwatched) instances(pcp.InDom, int64, []pcp.Instance, []pcp.Instance) error { return nil }

func (unwatched) labels(context.Context, record, bool) error { return nil }

func (unwatched) missing(string, record, pmerr.Code) error { return nil }

func (unwatched) turn() error { return nil }

func (c *checker) rows(g *group, metrics []metric) error {
	series, column := int32(-1), func(i int) parquet.Value { return c.want[i] }
	for i := range g.sorted {
		r := &g.sorted[i]
		if r.series != series {
			series = r.series
			for _, k := range seriesColumns {
				c.want[k] = seriesValue(k, &g.keys[series], metrics)
			}
		}
		c.take(g, r)
		if err := c.values.compare(column); err != nil {
			return err
		}
	}
	return nil
}

// take makes the columns that do not belong to the series those of a row.
func (c *checker) take(g *group, r *row) {
	micros, rec := c.values.place.micros, g.record(r)
	c.want[colTime] = parquet.Int64Value(floor(rec.time, tick(micros)))
	c.want[colSeg], c.want[colRecord], c.want[colPosition] = parquet.Int32Value(rec.seg), parquet.Int32Value(rec.nth), parquet.Int32Value(r.place)
	clear(c.want[colI64:colSeg])
	v := &c.want[colI64+int(r.kind())]
	if *v = g.value(r.kind(), r.word); micros && r.kind() == unsigned {
		*v = decimalValue(r.word, &c.digits)
	}
}

func (c *checker) events(e *eventValue, records []pcp.EventRecord) error {
	rows, err := e.rows(records)
	for i := range rows {
		want := c.maker.row(nil, &rows[i])
		if err := c.event.compare(func(column int) parquet.Value { return want[column] }); err != nil {
			return err
		}
	}
	return err
}

// A rowReader reads the rows of the files of a table, one after the other.
type rowReader struct {
	from  Store
	place place
	table string
	files []string
	next  int      // file
	in    *reading // nil before the first file
	rows  []parquet.Row
	at    int // in rows
	count int // of the rows of the file that were read
}

// name returns the file that is read, or the table if it has no files.
func (t *rowReader) name() string {
	if len(t.files) == 0 {
		return t.table
	}
	return t.from.Name(t.files[max(t.next-1, 0)])
}

func (t *rowReader) close() {
	if t.in != nil {
		t.in.close()
	}
	t.in = nil
}

// open opens the next file, whose columns must be those of the table.
func (t *rowReader) open() (err error) {
	t.close()
	if t.next == len(t.files) {
		return fmt.Errorf("%s: there are fewer rows than the recording has %s", t.name(), t.table)
	}
	t.next, t.count, t.rows, t.at = t.next+1, 0, nil, 0
	if t.in, err = openRun(t.from, run{path: t.files[t.next-1], group: -1}, make(map[string]*tableFile)); err != nil {
		return err
	}
	defer recoverTable(t.name(), &err)
	if !parquet.EqualNodes(t.in.file.table.Schema(), t.place.schema(rowsOf(t.table))) {
		return fmt.Errorf("%s: the columns are not those of %s", t.name(), t.table)
	}
	return nil
}

// more goes to the next row of the file, and reports whether there is one.
func (t *rowReader) more() (bool, error) {
	if t.in == nil {
		return false, nil
	}
	t.count++
	if t.at++; t.at < len(t.rows) {
		return true, nil
	}
	t.rows = slices.Grow(t.rows[:0], chunk)[:chunk]
	n, err := t.in.ReadRows(t.rows)
	if t.rows, t.at = t.rows[:n], 0; errors.Is(err, io.EOF) {
		return false, nil
	}
	return n > 0, err
}

// compare compares the next row with what its columns should have.
func (t *rowReader) compare(want func(column int) parquet.Value) error {
	for {
		ok, err := t.more()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if err := t.open(); err != nil {
			return err
		}
	}
	for k, v := range t.rows[t.at] {
		if want := want(k); !same(v, want) {
			return fmt.Errorf("%s: row %d, %s: %v, want %v", t.name(), t.count, t.in.file.table.Schema().Columns()[k][0], v, want)
		}
	}
	return nil
}

// ended returns an error if there are more rows.
func (t *rowReader) ended() error {
	ok, err := t.more()
	if err == nil && (ok || t.next < len(t.files)) {
		err = fmt.Errorf("%s: there are more rows than the recording has %s", t.name(), t.table)
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
	for i := range got {
		got[i].Since = nil
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
