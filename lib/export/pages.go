package export

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of the metadata of tables that are read. Those of Write stay far below.
const (
	maxFooter = 64 << 20 // bytes
	maxItems  = 1 << 20  // fields and elements
	maxHeader = 1 << 16  // bytes of a page's header
	maxPage   = 16 << 20 // bytes of a page, packed and unpacked, and values in it
)

// openTable opens a table after a check of the lengths in its metadata and its pages, which the library believes. The caller closes
// the file.
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
	for i, g := range table.Metadata().RowGroups {
		for k := range g.Columns {
			if err := checkPages(f, size, &g.Columns[k].MetaData); err != nil {
				return nil, fmt.Errorf("row group %d, column %d: %w", i+1, k+1, err)
			}
		}
	}
	return table, nil
}

// checkPages checks the lengths in the headers of a column's pages: the library takes as much memory as they say.
func checkPages(f io.ReaderAt, size int64, m *format.ColumnMetaData) error {
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	if at < 0 || m.TotalCompressedSize < 0 || at > size || m.TotalCompressedSize > size-at {
		return fmt.Errorf("%w: %d bytes of pages at %#x in a file of %d", errThrift, m.TotalCompressedSize, at, size)
	}
	buf := make([]byte, min(maxHeader, m.TotalCompressedSize))
	for end := at + m.TotalCompressedSize; at < end; {
		head := buf[:min(int64(len(buf)), end-at)]
		if _, err := f.ReadAt(head, at); err != nil {
			return err
		}
		var h format.PageHeader
		n, err := thriftLen(head, 1000)
		if err == nil {
			err = thrift.Unmarshal(new(thrift.CompactProtocol), head[:n], &h)
		}
		if err != nil {
			return fmt.Errorf("page at %#x: %w", at, err)
		}
		sizes := []int32{h.CompressedPageSize, h.UncompressedPageSize, h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues}
		packed := int64(h.CompressedPageSize)
		if slices.Min(sizes) < 0 || slices.Max(sizes) > maxPage || packed > end-at-int64(n) {
			return fmt.Errorf("page at %#x: %w: %d bytes, %d when unpacked", at, errThrift, packed, h.UncompressedPageSize)
		}
		at += int64(n) + packed
	}
	return nil
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
