package export

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of tables that are read. Tables of Write stay far below.
const (
	maxFooter = 64 << 20 // bytes of the metadata
	maxItems  = 1 << 20  // fields and elements of the metadata
	maxHeader = 1 << 16  // bytes of a page's header
	maxPage   = 16 << 20 // bytes of a page, unpacked
	maxValues = 1 << 24  // of a page
)

// openTable opens a table after checks of all that the library believes: the lengths in the metadata, and
// the size of each unpacked page. The caller closes the file.
func openTable(ctx context.Context, from Store, path string) (f File, table *parquet.File, err error) {
	name := from.Name(path)
	opened, err := from.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			opened.Close()
			f, table = nil, nil
		}
	}()
	defer recoverTable(name, &err)
	if table, err = checkTable(opened, opened.Size()); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return opened, table, nil
}

func checkTable(f io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	// Rows are read in their order, for which no index is needed.
	table, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	return table, checkPages(f, size, table.Metadata())
}

// recoverTable turns a panic into an error: the library panics on some damaged tables (docs/dependencies.md).
func recoverTable(name string, err *error) {
	if x := recover(); x != nil {
		*err = fmt.Errorf("%s: damaged table: %v", name, x)
	}
}

func checkFooter(f io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return fmt.Errorf("%d bytes are not a Parquet file", size)
	}
	if _, err := f.ReadAt(end[:], size-8); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != "PAR1" {
		return errors.New("not a Parquet file")
	}
	if n > size-12 || n > maxFooter {
		return fmt.Errorf("%w: %d bytes in a file of %d", errThrift, n, size)
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	if got, err := thriftLen(footer, maxItems); err != nil || int64(got) != n {
		return fmt.Errorf("%w: %d of %d bytes", errThrift, got, n)
	}
	return nil
}

func checkPages(f io.ReaderAt, size int64, meta *format.FileMetaData) error {
	c, err := newPageChecker(f)
	if err != nil {
		return err
	}
	defer c.unpack.Close()
	rows := int64(0)
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		rows += g.NumRows
		for k := range g.Columns {
			values, err := c.column(&g.Columns[k].MetaData, size)
			if want := g.Columns[k].MetaData.NumValues; err == nil && values != want {
				err = fmt.Errorf("%w: pages of %d values, and %d values", errThrift, values, want)
			}
			if err != nil {
				return fmt.Errorf("row group %d, column %d: %w", i+1, k+1, err)
			}
		}
	}
	if rows != meta.NumRows {
		return fmt.Errorf("%w: row groups of %d rows, and %d rows", errThrift, rows, meta.NumRows)
	}
	return nil
}

type pageChecker struct {
	f          io.ReaderAt
	unpack     *zstd.Decoder
	head       []byte
	data, text []byte // of a page, packed and not
}

func newPageChecker(f io.ReaderAt) (*pageChecker, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecoderConcurrency(1))
	return &pageChecker{f: f, unpack: d, head: make([]byte, maxHeader)}, err
}

// column checks the pages of a column in a row group, and returns how many values they have.
func (c *pageChecker) column(m *format.ColumnMetaData, size int64) (values int64, err error) {
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	if at < 0 || m.TotalCompressedSize < 0 || at > size || m.TotalCompressedSize > size-at {
		return 0, fmt.Errorf("%w: %d bytes of pages at %#x in a file of %d", errThrift, m.TotalCompressedSize, at, size)
	}
	for end := at + m.TotalCompressedSize; at < end; {
		n, data, err := c.page(m.Codec, at, end)
		if err != nil {
			return 0, fmt.Errorf("page at %#x: %w", at, err)
		}
		at, values = at+n, values+data
	}
	return values, nil
}

// page checks a page, and returns its length in the file and how many of the column's values it has.
func (c *pageChecker) page(codec format.CompressionCodec, at, end int64) (length, values int64, err error) {
	head := c.head[:min(maxHeader, end-at)]
	if _, err := c.f.ReadAt(head, at); err != nil {
		return 0, 0, err
	}
	n, err := thriftLen(head, 1000)
	if err != nil {
		return 0, 0, err
	}
	var h format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), head[:n], &h); err != nil {
		return 0, 0, err
	}
	packed, unpacked := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	length = int64(n) + packed
	if packed < 0 || unpacked < 0 || length > end-at || packed > maxPage || unpacked > maxPage {
		return 0, 0, fmt.Errorf("%w: %d bytes, %d when unpacked, in %d", errThrift, packed, unpacked, end-at-int64(n))
	}
	levels, values, err := checkHeader(&h)
	if err != nil {
		return 0, 0, err
	}
	if levels > packed || codec == format.Uncompressed {
		return length, values, nil // the library refuses the former
	}
	if int64(cap(c.data)) < packed {
		c.data = make([]byte, packed)
	}
	c.data = c.data[:packed]
	if _, err := c.f.ReadAt(c.data, at+int64(n)); err != nil {
		return 0, 0, err
	}
	return length, values, c.content(codec, c.data[levels:])
}

// checkHeader checks the header of a page, and returns the number of bytes of levels, which are not packed,
// before the values, and how many of the column's values it has.
func checkHeader(h *format.PageHeader) (levels, data int64, err error) {
	values, encoding := int32(0), format.Plain
	switch h.Type {
	case format.DataPage:
		values, encoding = h.DataPageHeader.V.NumValues, h.DataPageHeader.V.Encoding
	case format.DataPageV2:
		v := &h.DataPageHeaderV2.V
		values, encoding = v.NumValues, v.Encoding
		if v.DefinitionLevelsByteLength < 0 || v.RepetitionLevelsByteLength < 0 {
			return 0, 0, fmt.Errorf("%w: levels of %d and %d bytes", errThrift, v.DefinitionLevelsByteLength, v.RepetitionLevelsByteLength)
		}
		levels = int64(v.DefinitionLevelsByteLength) + int64(v.RepetitionLevelsByteLength)
	case format.DictionaryPage:
		values, encoding = h.DictionaryPageHeader.V.NumValues, h.DictionaryPageHeader.V.Encoding
	}
	switch {
	case values < 0 || values > maxValues:
		return 0, 0, fmt.Errorf("%w: %d values in a page", errThrift, values)
	case encoding == format.DeltaByteArray: // a few bytes may stand for any number
		return 0, 0, fmt.Errorf("values are encoded as %v, which is not supported", encoding)
	}
	if h.Type != format.DictionaryPage {
		data = int64(values)
	}
	return levels, data, nil
}

// content unpacks the values of a page, to bound the memory that they take.
func (c *pageChecker) content(codec format.CompressionCodec, b []byte) error {
	var err error
	switch codec {
	case format.Zstd:
		c.text, err = c.unpack.DecodeAll(b, c.text[:0])
		return err
	case format.Snappy:
		n, err := snappy.DecodedLen(b)
		if err == nil && n > maxPage {
			err = fmt.Errorf("%w: %d bytes in a page", errThrift, n)
		}
		return err
	}
	return fmt.Errorf("compressed by %v; want ZSTD, SNAPPY or UNCOMPRESSED", codec)
}
