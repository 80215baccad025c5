package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// The host of rows is a directory, or without that partition the last column. Each file has it in its
// metadata as well.

type hostColumn struct {
	Host string `parquet:"host,dict"`
}

// schema returns the schema of rows.
func (p place) schema(row any) *parquet.Schema {
	s, convert := parquet.SchemaOf(row), p.conversions(row)
	if !p.NoHost && convert == nil {
		return s
	}
	fields := slices.Clone(s.Fields())
	if p.NoHost {
		fields = append(fields, parquet.SchemaOf(hostColumn{}).Fields()...)
	}
	g := &orderedGroup{Group: make(parquet.Group), fields: fields}
	for i, f := range fields {
		if g.Group[f.Name()] = f; i < len(convert) && convert[i] != asItIs {
			g.Group[f.Name()] = convert[i].node(f)
			fields[i] = parquet.Group{f.Name(): g.Group[f.Name()]}.Fields()[0]
		}
	}
	return parquet.NewSchema(s.Name(), g)
}

// hostValue returns the value of the column of the given number.
func (p place) hostValue(column int) parquet.Value {
	return parquet.ByteArrayValue([]byte(utf8Text(p.host))).Level(0, 0, column)
}

// options are those of all files.
func (p place) options(more ...parquet.WriterOption) []parquet.WriterOption {
	return options(append(more, parquet.KeyValueMetadata("pmtools.host", utf8Text(p.host)), parquet.KeyValueMetadata("pmtools.schema", strconv.Itoa(versionOf(p.micros))))...)
}

// A rowMaker makes rows of the library of those of a table: it converts columns, and adds that of the host.
type rowMaker struct {
	rows    *parquet.Schema
	convert []conversion
	host    []parquet.Value // or none
}

func (p place) maker(row any) *rowMaker {
	m := &rowMaker{rows: parquet.SchemaOf(row), convert: p.conversions(row)}
	if p.NoHost {
		m.host = append(m.host, p.hostValue(len(m.rows.Columns())))
	}
	return m
}

// row returns a row, in the memory of another one.
func (m *rowMaker) row(into parquet.Row, from any) parquet.Row {
	into = m.rows.Deconstruct(into[:0], from)
	for k, c := range m.convert {
		into[k] = c.value(into[k], new([decimalBytes]byte))
	}
	return append(into, m.host...)
}

// A rowWriter writes rows to a file.
type rowWriter[T any] struct {
	*parquet.GenericWriter[any]
	*rowMaker
	list []parquet.Row
}

func newRowWriter[T any](file io.Writer, p place) *rowWriter[T] {
	var row T
	return &rowWriter[T]{GenericWriter: parquet.NewGenericWriter[any](file, p.options(p.schema(row))...), rowMaker: p.maker(row)}
}

func (w *rowWriter[T]) write(rows []T) error {
	w.list = slices.Grow(w.list[:0], len(rows))[:len(rows)]
	for i := range rows {
		w.list[i] = w.row(w.list[i], &rows[i])
	}
	_, err := w.WriteRows(w.list)
	return err
}

// eachRows reads so many rows of a file at a time, which must have the columns of T that are not optional.
func eachRows[T any](name, what string, table *parquet.File, n int, visit func([]T) error) (err error) {
	defer recoverTable(name, &err)
	schema := parquet.SchemaOf(*new(T))
	for _, column := range schema.Columns() {
		want, _ := schema.Lookup(column...)
		got, ok := table.Schema().Lookup(column...)
		if !ok && want.Node.Optional() {
			continue
		}
		if !ok {
			return fmt.Errorf("%s: there is no column %s: it is not a table of %s", name, column[0], what)
		}
		if got, want := got.Node.Type().Kind(), want.Node.Type().Kind(); got != want {
			return fmt.Errorf("%s: column %s has the type %v, want %v", name, column[0], got, want)
		}
	}
	r := parquet.NewGenericReader[T](table)
	defer r.Close()
	for buf := make([]T, n); ; clear(buf) {
		n, err := r.Read(buf)
		if bad := visit(buf[:n]); bad != nil {
			return bad
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil || n == 0:
			return fmt.Errorf("%s: %w", name, cmp.Or(err, io.ErrNoProgress))
		}
	}
}
