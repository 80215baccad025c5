package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pmtools/lib/safefile"
)

// The rows of a compacted file of values are sorted by metric, host, inst and time. A row group ends with
// a metric, unless it has few rows: engines read a whole group for one row of it, and the footers of all.
const (
	mergedRows = 1 << 18 // at most, in a group
	mergedLow  = 1 << 14 // enough for a group of its own
)

// The sources that are read at the same time: files are open, and a page of each column is in memory.
const (
	mergeFiles = 256
	mergeRows  = 1 << 20 // of their pages
	pageRows   = 1 << 16 // of a page, at most
)

// A run is sorted rows: all of a file, or a row group of it.
type run struct {
	path  string
	group int // -1 for all
	rows  int64
}

// A merger merges files of one table.
type merger struct {
	dir   string // for complete files
	temp  string // for others
	name  string // begins the names of complete files
	table string
	row   any // of the table
	place place
	many  bool // hosts
	count int  // of complete files
	temps int
	infos map[string]fs.FileInfo // of the files that were read
	rows  int64                  // that were written
	key   []int                  // columns by which rows are sorted
	w     *mergeWriter
}

// rowsOf returns an example of the rows of a table.
func rowsOf(table string) any {
	switch table {
	case "values":
		return valueRow{}
	case "events":
		return eventRow{}
	case "instances":
		return instanceRow{}
	case "labels":
		return labelRow{}
	case "missing":
		return missingRow{}
	case "records":
		return recordRow{}
	}
	return nil
}

// merge writes the rows of files into few, and returns the names of these.
func (m *merger) merge(ctx context.Context, paths []string) (files []string, err error) {
	m.row = rowsOf(m.table)
	var runs []run
	total := int64(0)
	for _, p := range paths {
		more, err := m.runsOf(p)
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			total += r.rows
		}
		runs = append(runs, more...)
	}
	if m.table == "values" {
		m.keys()
		if runs, err = m.reduce(ctx, runs); err != nil {
			return nil, err
		}
	}
	m.w = &mergeWriter{m: m}
	at := 1 // a time: other tables are in the order of the exports
	if m.table == "values" {
		at = max(len(runs), 1)
	}
	for list := range slices.Chunk(runs, at) {
		if err == nil {
			err = m.mergeRuns(ctx, list, m.w.write)
		}
	}
	if err = errors.Join(err, m.w.close()); err == nil && m.rows != total {
		err = fmt.Errorf("%s: %d rows of %d were merged", m.dir, m.rows, total)
	}
	return m.w.files, err
}

// runsOf returns the runs of a file, and checks that it is one of the table.
func (m *merger) runsOf(name string) (list []run, err error) {
	if m.infos[name], err = os.Stat(name); err != nil {
		return nil, err
	}
	f, table, err := openTable(context.Background(), Dir(""), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer recoverTable(name, &err)
	if _, err := hostOrMany(name, table); err != nil {
		return nil, err
	}
	if !parquet.EqualNodes(table.Schema(), m.place.schema(m.row)) {
		return nil, fmt.Errorf("%s: the columns are not those of %s", name, m.table)
	}
	if _, sorted := table.Lookup(sortedKey); sorted || m.table != "values" {
		return []run{{name, -1, table.NumRows()}}, nil
	}
	for i, g := range table.RowGroups() {
		list = append(list, run{name, i, g.NumRows()})
	}
	return list, nil
}

// sortedKey is in the metadata of files whose rows are sorted as a whole, and manyKey in those of files of several
// hosts.
const (
	sortedKey = "pmtools.sorted"
	manyKey   = "pmtools.hosts"
)

// hostOrMany is hostOf for files that may be of several hosts.
func hostOrMany(name string, table *parquet.File) (string, error) {
	if _, many := table.Lookup(manyKey); many {
		return "", nil
	}
	return hostOf(name, table)
}

// keys finds the columns of the order: metric, host, inst, time, record.
func (m *merger) keys() {
	m.key = []int{colMetric, -1, colInst, colTime, colRecord}
	if m.place.NoHost {
		m.key[1] = colHost
	}
}

func (m *merger) compare(a, b parquet.Row) int {
	for _, k := range m.key {
		if k < 0 {
			continue
		}
		x, y := a[k], b[k]
		c := 0
		switch {
		case x.IsNull() || y.IsNull():
			c = cmp.Compare(bit(y.IsNull()), bit(x.IsNull()))
		case x.Kind() == parquet.ByteArray:
			if s, t := x.ByteArray(), y.ByteArray(); !shared(s, t) {
				c = bytes.Compare(s, t)
			}
		case x.Kind() == parquet.Int32:
			c = cmp.Compare(x.Int32(), y.Int32())
		default:
			c = cmp.Compare(x.Int64(), y.Int64())
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// shared reports whether slices are the same memory, or empty: values of a dictionary are.
func shared(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// batch returns how many of the runs can be read at the same time.
func batch(runs []run) int {
	rows, files := int64(0), make(map[string]bool)
	for i, r := range runs {
		rows += min(r.rows, pageRows)
		files[r.path] = true
		if i > 1 && (rows > mergeRows || len(files) > mergeFiles) {
			return i
		}
	}
	return len(runs)
}

// reduce merges runs into longer ones, until what is left can be read at the same time.
func (m *merger) reduce(ctx context.Context, runs []run) ([]run, error) {
	for batch(runs) < len(runs) {
		var longer []run
		for len(runs) > 0 {
			n := batch(runs)
			if n == 1 {
				longer, runs = append(longer, runs[0]), runs[1:]
				continue
			}
			t := &merger{dir: m.temp, name: fmt.Sprintf("temporary-%d", m.temps), table: m.table, row: m.row, place: m.place, many: true, key: m.key}
			m.temps++
			t.w = &mergeWriter{m: t, whole: true}
			err := t.mergeRuns(ctx, runs[:n], t.w.write)
			if err = errors.Join(err, t.w.close()); err != nil {
				return nil, err
			}
			for _, r := range runs[:n] {
				if filepath.Dir(r.path) == m.temp {
					safefile.RemoveFile(r.path)
				}
			}
			longer, runs = append(longer, run{filepath.Join(m.temp, t.w.files[0]), -1, t.rows}), runs[n:]
		}
		runs = longer
	}
	return runs, nil
}

// A reading is a run that is read. It implements parquet.RowReader; rows are valid until more are read.
type reading struct {
	run
	file   *tableFile
	groups []parquet.RowGroup
	rows   parquet.Rows
}

// A tableFile is shared by the runs of a file.
type tableFile struct {
	File
	table    *parquet.File
	kinds    []parquet.Kind // of the columns
	optional []bool
	users    int
}

func (f *tableFile) release() {
	if f.users--; f.users == 0 {
		f.File.Close()
	}
}

func openRun(from Store, r run, files map[string]*tableFile) (*reading, error) {
	f := files[r.path]
	if f == nil {
		file, table, err := openTable(context.Background(), from, r.path)
		if err != nil {
			return nil, err
		}
		f = &tableFile{File: file, table: table}
		files[r.path] = f
	}
	f.users++
	groups := f.table.RowGroups()
	if r.group >= 0 {
		groups = groups[r.group : r.group+1]
	}
	r.path = from.Name(r.path)
	return &reading{run: r, file: f, groups: groups}, nil
}

// ReadRows implements parquet.RowReader.
func (r *reading) ReadRows(rows []parquet.Row) (n int, err error) {
	defer recoverTable(r.path, &err)
	for {
		if r.rows == nil {
			if len(r.groups) == 0 {
				return 0, io.EOF
			}
			r.rows, r.groups = r.groups[0].Rows(), r.groups[1:]
		}
		if n, err = r.rows.ReadRows(rows); n > 0 {
			if err := r.whole(rows[:n]); err != nil {
				return 0, err
			}
			return n, nil
		} else if !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("%s: %w", r.path, cmp.Or(err, io.ErrNoProgress))
		}
		if err = r.rows.Close(); err != nil {
			return 0, fmt.Errorf("%s: %w", r.path, err)
		}
		r.rows = nil
	}
}

// whole returns an error if a row that was read does not have a value of its type for each column: the library panics where such a row
// is written.
func (r *reading) whole(rows []parquet.Row) error {
	if f := r.file; f.kinds == nil {
		for _, column := range f.table.Schema().Fields() {
			f.kinds, f.optional = append(f.kinds, column.Type().Kind()), append(f.optional, column.Optional())
		}
	}
	for _, row := range rows {
		bad := len(row) != len(r.file.kinds)
		for i := 0; i < len(row) && !bad; i++ {
			v := &row[i]
			bad = v.Column() != i || v.IsNull() && !r.file.optional[i] || !v.IsNull() && v.Kind() != r.file.kinds[i]
		}
		if bad {
			return fmt.Errorf("%s: damaged table: a row does not have the values of the columns", r.path)
		}
	}
	return nil
}

func (r *reading) close() {
	if r.rows != nil {
		r.rows.Close()
	}
	r.file.release()
}

// mergeRuns hands over the rows of runs in order.
func (m *merger) mergeRuns(ctx context.Context, runs []run, to func([]parquet.Row) error) error {
	files := make(map[string]*tableFile)
	var readers []parquet.RowReader
	for _, r := range runs {
		in, err := openRun(Dir(""), r, files)
		if err != nil {
			return err
		}
		defer in.close()
		readers = append(readers, in)
	}
	merged, buf := parquet.MergeRowReaders(readers, m.compare), make([]parquet.Row, chunk)
	for ctx.Err() == nil {
		n, err := merged.ReadRows(buf)
		if n > 0 {
			if err := to(buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return ctx.Err()
}
