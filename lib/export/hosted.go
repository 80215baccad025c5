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
	s := parquet.SchemaOf(row)
	if !p.NoHost {
		return s
	}
	g := &orderedGroup{Group: make(parquet.Group), fields: append(slices.Clone(s.Fields()), parquet.SchemaOf(hostColumn{}).Fields()...)}
	for _, f := range g.fields {
		g.Group[f.Name()] = f
	}
	return parquet.NewSchema(s.Name(), g)
}

// hostValue returns the value of the column of the given number.
func (p place) hostValue(column int) parquet.Value {
	return parquet.ByteArrayValue([]byte(utf8Text(p.host))).Level(0, 0, column)
}

// options are those of all files.
func (p place) options(more ...parquet.WriterOption) []parquet.WriterOption {
	return options(append(more, parquet.KeyValueMetadata("pmtools.host", utf8Text(p.host)), parquet.KeyValueMetadata("pmtools.schema", strconv.Itoa(schema)))...)
}

// A rowWriter writes rows to a file.
type rowWriter[T any] interface {
	Write(rows []T) (int, error)
	Flush() error
	Close() error
	SetKeyValueMetadata(key, value string)
}

func newRowWriter[T any](file io.Writer, p place) rowWriter[T] {
	if !p.NoHost {
		return parquet.NewGenericWriter[T](file, p.options()...)
	}
	var row T
	s := parquet.SchemaOf(row)
	return &hostedWriter[T]{
		GenericWriter: parquet.NewGenericWriter[any](file, p.options(p.schema(row))...),
		rows:          s, host: p.hostValue(len(s.Columns())),
	}
}

// A hostedWriter adds the column of the host to rows.
type hostedWriter[T any] struct {
	*parquet.GenericWriter[any]
	rows *parquet.Schema
	host parquet.Value
	list []parquet.Row
}

func (w *hostedWriter[T]) Write(rows []T) (int, error) {
	w.list = slices.Grow(w.list[:0], len(rows))[:len(rows)]
	for i := range rows {
		w.list[i] = append(w.rows.Deconstruct(w.list[i][:0], &rows[i]), w.host)
	}
	return w.WriteRows(w.list)
}
