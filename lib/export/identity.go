package export

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// A recordRow identifies a record that was exported: its time, and a sum of its time and all of its values as
// the archive stores them. An export finds out by these rows what is left of an archive.
type recordRow struct {
	Time int64  `parquet:"time,timestamp(nanosecond:utc),delta"`
	Sum  uint64 `parquet:"sum"`
}

// identities returns the rows of a unit between two times. It returns nil if a file has been removed, or the rows have expired.
func identities(ctx context.Context, in Store, u *unit, from, to int64) (map[recordRow]bool, error) {
	var list map[recordRow]bool
	for _, file := range u.Files {
		if !strings.HasPrefix(file, "records/") {
			continue
		}
		if list == nil {
			list = make(map[recordRow]bool)
		}
		err := eachIdentity(ctx, in, file, func(row recordRow) {
			if from <= row.Time && row.Time <= to {
				list[row] = true
			}
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func eachIdentity(ctx context.Context, from Store, file string, visit func(recordRow)) (err error) {
	name := from.Name(file)
	f, table, err := openTable(ctx, from, file)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachRows(name, "records", table, 1024, func(rows []recordRow) error {
		for _, row := range rows {
			visit(row)
		}
		return nil
	})
}

// An identityWriter writes the identities of the records that were read.
type identityWriter struct {
	growing[recordRow]
	recs *Records
}

func newIdentityWriter(st *stage, recs *Records) identityWriter {
	return identityWriter{newGrowing[recordRow](st, "records"), recs}
}

func (w *identityWriter) write() error {
	t := &w.recs.tally
	err := w.growing.write(t.rows...)
	t.rows = t.rows[:0]
	return err
}

func (w *identityWriter) close() error { return errors.Join(w.write(), w.growing.close()) }
