package export

import (
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

// A rowWriter writes rows to a file.
type rowWriter[T any] interface {
	Write(rows []T) (int, error)
	Flush() error
	Close() error
	SetKeyValueMetadata(key, value string)
}

func newRowWriter[T any](file io.Writer, p place) rowWriter[T] {
	var row T
	convert := p.conversions(row)
	if !p.NoHost && convert == nil {
		return parquet.NewGenericWriter[T](file, p.options()...)
	}
	s := parquet.SchemaOf(row)
	w := &changedWriter[T]{GenericWriter: parquet.NewGenericWriter[any](file, p.options(p.schema(row))...), rows: s, convert: convert}
	if p.NoHost {
		w.host = append(w.host, p.hostValue(len(s.Columns())))
	}
	return w
}

// A changedWriter converts columns of rows, and adds that of the host.
type changedWriter[T any] struct {
	*parquet.GenericWriter[any]
	rows    *parquet.Schema
	convert []conversion
	host    []parquet.Value // or none
	list    []parquet.Row
}

func (w *changedWriter[T]) Write(rows []T) (int, error) {
	w.list = slices.Grow(w.list[:0], len(rows))[:len(rows)]
	for i := range rows {
		w.list[i] = w.rows.Deconstruct(w.list[i][:0], &rows[i])
		for k, c := range w.convert {
			w.list[i][k] = c.value(w.list[i][k], new([decimalBytes]byte))
		}
		w.list[i] = append(w.list[i], w.host...)
	}
	return w.WriteRows(w.list)
}
