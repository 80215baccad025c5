// Package pagefile writes files of Parquet from pages. Columns that are at hand as numbers in memory, or as runs of
// equal values, are encoded as they are, where the library's writer looks at each value. Types, encodings,
// dictionaries, bounds and the metadata of a file are those of the library.
package pagefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Options are choices of a file. Schema has columns of single values, which may be optional.
type Options struct {
	Schema  *parquet.Schema
	Codec   compress.Codec
	Sorting []parquet.SortingColumn
	Filters []parquet.BloomFilterColumn // of columns with dictionaries
	More    []parquet.WriterOption      // about the metadata of the file
}

// A Writer writes a file: the pages of each column of a row group, then EndGroup, and Close after the last one.
type Writer struct {
	out     io.Writer
	offset  int64
	codec   compress.Codec
	columns []*Column
	sorting []format.SortingColumn
	meta    format.FileMetaData
	indexes [][]format.ColumnIndex // of the columns of each row group
	offsets [][]format.OffsetIndex
}

// New returns a Writer.
func New(out io.Writer, o *Options) (*Writer, error) {
	w := &Writer{out: out, codec: o.Codec}
	for _, path := range o.Schema.Columns() {
		leaf, ok := o.Schema.Lookup(path...)
		if !ok || leaf.MaxRepetitionLevel > 0 || leaf.MaxDefinitionLevel > 1 {
			return nil, fmt.Errorf("the column %q has not a single value", path)
		}
		w.columns = append(w.columns, newColumn(w, &leaf, o.Filters))
	}
	for _, s := range o.Sorting {
		leaf, _ := o.Schema.Lookup(s.Path()...)
		w.sorting = append(w.sorting, format.SortingColumn{ColumnIdx: int32(leaf.ColumnIndex), Descending: s.Descending(), NullsFirst: s.NullsFirst()})
	}
	if err := w.describe(o); err != nil {
		return nil, err
	}
	return w, w.write([]byte("PAR1"))
}

// describe takes the metadata from a file without rows that the library writes.
func (w *Writer) describe(o *Options) error {
	var empty bytes.Buffer
	if err := parquet.NewGenericWriter[any](&empty, append([]parquet.WriterOption{o.Schema}, o.More...)...).Close(); err != nil {
		return err
	}
	b := empty.Bytes()
	end := len(b) - 8
	return thrift.Unmarshal(new(thrift.CompactProtocol), b[end-int(binary.LittleEndian.Uint32(b[end:])):end], &w.meta)
}

// Column returns a column by its place in the schema.
func (w *Writer) Column(i int) *Column { return w.columns[i] }

func (w *Writer) write(b []byte) error {
	n, err := w.out.Write(b)
	w.offset += int64(n)
	return err
}

// EndGroup ends a row group. Each column has had pages of all rows.
func (w *Writer) EndGroup() error {
	group := format.RowGroup{NumRows: w.columns[0].rows, SortingColumns: w.sorting, FileOffset: w.offset, Ordinal: int16(len(w.meta.RowGroups))}
	for i, c := range w.columns {
		if c.rows != group.NumRows {
			return fmt.Errorf("column %d has %d rows, want %d", i+1, c.rows, group.NumRows)
		}
		chunk, err := c.end()
		if err != nil {
			return err
		}
		group.Columns = append(group.Columns, chunk)
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
	}
	indexes, offsets := make([]format.ColumnIndex, len(w.columns)), make([]format.OffsetIndex, len(w.columns))
	for i, c := range w.columns {
		filter, err := c.bloom()
		if err != nil {
			return err
		}
		if m := &group.Columns[i].MetaData; filter != nil {
			m.BloomFilterOffset, m.BloomFilterLength = w.offset, int32(len(filter))
		}
		if err := w.write(filter); err != nil {
			return err
		}
		indexes[i], offsets[i] = c.indexes()
		c.reset()
	}
	w.indexes, w.offsets = append(w.indexes, indexes), append(w.offsets, offsets)
	w.meta.RowGroups = append(w.meta.RowGroups, group)
	w.meta.NumRows += group.NumRows
	return nil
}

// Close writes the indexes and the metadata.
func (w *Writer) Close() error {
	for i, list := range w.indexes {
		for j := range list {
			n, err := w.structure(&list[j])
			if err != nil {
				return err
			}
			chunk := &w.meta.RowGroups[i].Columns[j]
			chunk.ColumnIndexOffset, chunk.ColumnIndexLength = w.offset-n, int32(n)
		}
	}
	for i, list := range w.offsets {
		for j := range list {
			n, err := w.structure(&list[j])
			if err != nil {
				return err
			}
			chunk := &w.meta.RowGroups[i].Columns[j]
			chunk.OffsetIndexOffset, chunk.OffsetIndexLength = w.offset-n, int32(n)
		}
	}
	n, err := w.structure(&w.meta)
	if err != nil {
		return err
	}
	return w.write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), "PAR1"...))
}

// structure writes a structure of Thrift, and returns its size.
func (w *Writer) structure(x any) (int64, error) {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), x)
	if err != nil {
		return 0, err
	}
	return int64(len(b)), w.write(b)
}
