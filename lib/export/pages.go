package export

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Limits of the metadata of tables that are read. Those of Write stay far below.
const (
	maxFooter = 64 << 20 // bytes
	maxItems  = 1 << 20  // fields and elements
)

// openTable opens a table after a check of the lengths in its metadata, which the library believes. The caller closes
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
	return parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
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
