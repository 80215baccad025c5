package pagefile

import (
	"bytes"
	"hash/crc32"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Column takes the pages of a column of the row group.
type Column struct {
	w        *Writer
	number   int
	typ      parquet.Type // of the values, or of their numbers in the dictionary
	encoding encoding.Encoding
	optional bool
	dict     parquet.Dictionary // nil for none
	filter   parquet.BloomFilterColumn
	index    parquet.ColumnIndexer

	pages   bytes.Buffer
	rows    int64
	meta    format.ColumnMetaData
	offsets format.OffsetIndex
	levels  [2]int64 // how many rows have no value, and how many have one
	perPage []int64  // the same of each page
	scratch [3][]byte
}

func newColumn(w *Writer, leaf *parquet.LeafColumn, filters []parquet.BloomFilterColumn) *Column {
	c := &Column{w: w, number: leaf.ColumnIndex, typ: leaf.Node.Type(), encoding: leaf.Node.Encoding(), optional: leaf.MaxDefinitionLevel > 0}
	switch { // as the library does
	case c.encoding == nil && c.typ.Kind() == parquet.ByteArray:
		c.encoding = &parquet.DeltaLengthByteArray
	case c.encoding == nil:
		c.encoding = &parquet.Plain
	}
	c.meta = format.ColumnMetaData{Type: format.Type(c.typ.Kind()), PathInSchema: leaf.Path, Codec: w.codec.CompressionCodec()}
	encodings := []format.Encoding{c.encoding.Encoding()}
	if c.optional {
		encodings = append(encodings, format.RLE)
	}
	if c.encoding.Encoding() == format.RLEDictionary {
		encodings = append(encodings, format.Plain)
		c.dict = c.typ.NewDictionary(c.number, 0, c.typ.NewValues(nil, nil))
		c.typ = c.dict.Type()
	}
	slices.Sort(encodings)
	c.meta.Encoding = encodings
	for _, f := range filters {
		if len(leaf.Path) == 1 && f.Path()[0] == leaf.Path[0] {
			c.filter = f
		}
	}
	c.reset()
	return c
}

// Insert returns the numbers that values have in the dictionary.
func (c *Column) Insert(numbers []int32, values []parquet.Value) { c.dict.Insert(numbers, values) }

// Numbers adds a page of numbers in the dictionary. Distinct has each of them at least once; levels is those of Values.
func (c *Column) Numbers(numbers, distinct []int32, levels []byte) error {
	var low, high parquet.Value
	if len(distinct) > 0 {
		low, high = c.dict.Bounds(distinct)
	}
	data, err := c.encoding.EncodeInt32(c.scratch[1][:0], numbers)
	if err != nil {
		return err
	}
	return c.page(data, len(numbers), levels, low, high, len(distinct) > 0)
}

// Values adds a page of n values. Levels has a byte for each row of an optional column, 1 if it has a value, or
// else 0.
func (c *Column) Values(values encoding.Values, n int, levels []byte) error {
	low, high, ok := c.typ.NewPage(c.number, n, values).Bounds()
	data, err := c.typ.Encode(c.scratch[1][:0], values, c.encoding)
	if err != nil {
		return err
	}
	if values.Kind() == encoding.ByteArray {
		c.meta.SizeStatistics.UnencodedByteArrayDataBytes += values.Size()
	}
	return c.page(data, n, levels, low, high, ok && n > 0)
}

// page adds a page of n values that are encoded.
func (c *Column) page(data []byte, n int, levels []byte, low, high parquet.Value, bounded bool) (err error) {
	rows, defs := n, c.scratch[0][:0]
	if c.optional {
		rows = len(levels)
		if defs, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(defs, levels); err != nil {
			return err
		}
		c.levels[0], c.levels[1] = c.levels[0]+int64(rows-n), c.levels[1]+int64(n)
		c.perPage = append(c.perPage, int64(rows-n), int64(n))
	}
	at, size := int64(c.pages.Len()), int64(0)
	header := format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: int32(rows), NumNulls: int32(rows - n), NumRows: int32(rows), Encoding: c.encoding.Encoding(),
		DefinitionLevelsByteLength: int32(len(defs)), IsCompressed: thrift.New(true),
	})}
	if size, err = c.put(&c.pages, &header, defs, data); err != nil {
		return err
	}
	c.scratch[0], c.scratch[1] = defs, data
	c.index.IndexPage(int64(rows), int64(rows-n), low, high)
	if c.meta.Statistics.NullCount += int64(rows - n); bounded {
		c.bound(low, high)
	}
	c.meta.NumValues += int64(rows)
	c.offsets.PageLocations = append(c.offsets.PageLocations, format.PageLocation{Offset: at, CompressedPageSize: int32(size), FirstRowIndex: c.rows})
	c.rows += int64(rows)
	return nil
}

// bound widens the bounds of the column chunk to those of a page.
func (c *Column) bound(low, high parquet.Value) {
	s := &c.meta.Statistics
	kind := c.typ.Kind()
	if s.MaxValue == nil || c.typ.Compare(high, kind.Value(s.MaxValue)) > 0 {
		s.MaxValue = high.AppendBytes([]byte{})
	}
	if s.MinValue == nil || c.typ.Compare(low, kind.Value(s.MinValue)) < 0 {
		s.MinValue = low.AppendBytes([]byte{})
	}
}

// put writes a page, and returns its size in the file.
func (c *Column) put(to *bytes.Buffer, header *format.PageHeader, defs, data []byte) (int64, error) {
	packed, err := c.w.codec.Encode(c.scratch[2][:0], data)
	if err != nil {
		return 0, err
	}
	c.scratch[2] = packed
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(defs)+len(data)), int32(len(defs)+len(packed))
	header.CRC = int32(crc32.Update(crc32.ChecksumIEEE(defs), crc32.IEEETable, packed))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if err != nil {
		return 0, err
	}
	for _, part := range [][]byte{head, defs, packed} {
		to.Write(part)
	}
	c.meta.TotalUncompressedSize += int64(len(head) + len(defs) + len(data))
	c.meta.TotalCompressedSize += int64(len(head) + len(defs) + len(packed))
	return int64(len(head) + len(defs) + len(packed)), nil
}

// end writes the chunk of the column into the file, and returns its description.
func (c *Column) end() (chunk format.ColumnChunk, err error) {
	pages := len(c.offsets.PageLocations)
	if c.dict != nil {
		var dict bytes.Buffer
		page := c.dict.Page()
		data, err := page.Type().Encode(c.scratch[1][:0], page.Data(), &parquet.Plain)
		if err != nil {
			return chunk, err
		}
		header := format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
			NumValues: int32(c.dict.Len()), Encoding: format.Plain,
		})}
		if _, err := c.put(&dict, &header, nil, data); err != nil {
			return chunk, err
		}
		c.scratch[1], c.meta.DictionaryPageOffset = data, c.w.offset
		c.meta.EncodingStats = append(c.meta.EncodingStats, format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1})
		if err := c.w.write(dict.Bytes()); err != nil {
			return chunk, err
		}
	}
	c.meta.EncodingStats = append(c.meta.EncodingStats, format.PageEncodingStats{PageType: format.DataPageV2, Encoding: c.encoding.Encoding(), Count: int32(pages)})
	c.meta.DataPageOffset = c.w.offset
	for i := range c.offsets.PageLocations {
		c.offsets.PageLocations[i].Offset += c.w.offset
	}
	if c.optional {
		c.meta.SizeStatistics.DefinitionLevelHistogram = []int64{c.levels[0], c.levels[1]}
	}
	return format.ColumnChunk{MetaData: c.meta}, c.w.write(c.pages.Bytes())
}

// indexes returns the indexes of the pages.
func (c *Column) indexes() (format.ColumnIndex, format.OffsetIndex) {
	x := c.index.ColumnIndex()
	x.DefinitionLevelHistogram = c.perPage
	return x, c.offsets
}

// bloom returns the filter of the values in the dictionary, nil if there is to be none.
func (c *Column) bloom() ([]byte, error) {
	if c.filter == nil {
		return nil, nil
	}
	page := c.dict.Page()
	bits, err := page.Type().Encode(make([]byte, c.filter.Size(int64(c.dict.Len()))), page.Data(), c.filter.Encoding())
	if err != nil {
		return nil, err
	}
	header := format.BloomFilterHeader{NumBytes: int32(len(bits))}
	header.Algorithm.Value = &format.SplitBlockAlgorithm{}
	header.Hash.Value = &format.XxHash{}
	header.Compression.Value = &format.BloomFilterUncompressed{}
	head, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	return append(head, bits...), err
}

// reset begins another row group.
func (c *Column) reset() {
	c.pages.Reset()
	c.rows, c.levels, c.perPage, c.offsets = 0, [2]int64{}, nil, format.OffsetIndex{}
	m := &c.meta
	c.meta = format.ColumnMetaData{Type: m.Type, Encoding: m.Encoding, PathInSchema: m.PathInSchema, Codec: m.Codec}
	c.index = c.typ.NewColumnIndexer(parquet.DefaultColumnIndexSizeLimit)
	if c.dict != nil {
		c.dict.Reset()
	}
}
