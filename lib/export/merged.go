package export

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/safefile"
	"pmtools/lib/version"
)

// A mergeWriter writes sorted rows into files.
type mergeWriter struct {
	m      *merger
	whole  bool // one file
	file   *safefile.File
	out    *parquet.GenericWriter[any]
	rows   int    // in the group
	groups int    // in the file
	metric []byte // of the group's last row
	files  []string
}

func (w *mergeWriter) write(rows []parquet.Row) error {
	for len(rows) > 0 {
		n := min(len(rows), mergedRows-w.rows)
		if w.m.table == "values" {
			if n = w.sameMetric(rows[:n]); n == 0 {
				w.metric = bytes.Clone(rows[0][colMetric].ByteArray())
				if w.rows >= mergedLow {
					n = -1
				}
			}
		}
		if n < 0 || w.rows == mergedRows {
			if err := w.flush(); err != nil {
				return err
			}
			continue
		}
		if w.file == nil {
			if err := w.create(); err != nil {
				return err
			}
		}
		if _, err := w.out.WriteRows(rows[:n]); err != nil {
			return w.failed(err)
		}
		w.rows += n
		w.m.rows += int64(n)
		rows = rows[n:]
	}
	return nil
}

// sameMetric returns how many of sorted rows have the metric of the last one that was written.
func (w *mergeWriter) sameMetric(rows []parquet.Row) int {
	if len(rows) == 0 || bytes.Equal(rows[len(rows)-1][colMetric].ByteArray(), w.metric) {
		return len(rows)
	}
	return sort.Search(len(rows), func(i int) bool { return !bytes.Equal(rows[i][colMetric].ByteArray(), w.metric) })
}

func (w *mergeWriter) failed(err error) error {
	if err != nil {
		return &os.PathError{Op: "write", Path: w.file.Name(), Err: reason(err)}
	}
	return nil
}

// flush ends a row group, and the file if it has enough of them.
func (w *mergeWriter) flush() error {
	w.rows = 0
	if w.groups++; w.groups == fileGroups && !w.whole {
		return w.close()
	}
	return w.failed(w.out.Flush())
}

func (w *mergeWriter) create() (err error) {
	name := fmt.Sprintf("%s-%04d.parquet", w.m.name, w.m.count)
	w.m.count++
	if w.file, err = safefile.OpenFile(filepath.Join(w.m.dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return err
	}
	w.files = append(w.files, name)
	w.rows, w.groups = 0, 0
	w.out = parquet.NewGenericWriter[any](w.file, w.m.options()...)
	return nil
}

func (m *merger) options() []parquet.WriterOption {
	more := []parquet.WriterOption{m.place.schema(m.row)}
	if m.table == "values" {
		columns := []parquet.SortingColumn{parquet.Ascending("metric"), parquet.NullsFirst(parquet.Ascending("inst")), parquet.Ascending("time")}
		if m.place.NoHost {
			columns = slices.Insert(columns, 1, parquet.Ascending("host"))
		}
		more = append(more, parquet.BloomFilters(parquet.SplitBlockFilter(10, "metric")),
			parquet.SortingWriterConfig(parquet.SortingColumns(columns...)), parquet.KeyValueMetadata(sortedKey, "metric, host, inst, time"))
	}
	if m.many {
		return options(append(more, parquet.KeyValueMetadata(manyKey, "in the column host"), parquet.KeyValueMetadata("pmtools.schema", fmt.Sprint(versionOf(m.place.micros))),
			parquet.CreatedBy("pmtools", version.Version, ""))...)
	}
	return m.place.options(more...)
}

// close ends the file, and writes it to the disk.
func (w *mergeWriter) close() error {
	if w.file == nil {
		return nil
	}
	err := w.failed(w.out.Close())
	if !w.whole {
		e := w.failed(w.file.Sync())
		err = cmp.Or(err, e)
	}
	e := w.failed(w.file.Close())
	err = cmp.Or(err, e)
	w.file = nil
	return err
}
