package export

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Partition says which properties of rows are directories. The zero Partition is by host and date.
type Partition struct{ NoHost, NoDate bool }

// ParsePartition reads the names of properties, separated by commas: host, date; or none.
func ParsePartition(text string) (p Partition, err error) {
	p = Partition{NoHost: true, NoDate: true}
	if text == "none" {
		return p, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		switch {
		case name == "host" && p.NoHost:
			p.NoHost = false
		case name == "date" && p.NoDate:
			p.NoDate = false
		default:
			return p, fmt.Errorf("unknown partitions %q: use host, date, host,date for both, or none", text)
		}
	}
	return p, nil
}

type place struct {
	host, name string
	Partition
}

func (p place) dir(table string) string {
	if p.NoHost {
		return table
	}
	return filepath.Join(table, "host="+partition(p.host))
}

// dated returns the directory of a table for a date, in days since 1970.
func (p place) dated(table string, date int64) string {
	if p.NoDate {
		return p.dir(table)
	}
	return filepath.Join(p.dir(table), "date="+time.Unix(date*86400, 0).UTC().Format(time.DateOnly))
}

// base returns the beginning of file names. It contains the host if no directory does, because archives of
// hosts may share a name.
func (p place) base() string {
	if p.NoHost {
		return partition(p.host) + "-" + p.name
	}
	return p.name
}

// file returns the file of a recording in a table of one file per recording.
func (p place) file(dir string) string { return filepath.Join(dir, p.base()+".parquet") }

// partition returns a value as a directory's name has it: characters with a meaning become %XX, and an
// empty value gets Hive's name.
func partition(value string) string {
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return cmp.Or(b.String(), "__HIVE_DEFAULT_PARTITION__")
}

// A stage is a directory for files that are not complete yet.
type stage struct {
	root, dir string
	place     place
	outputs   []*output      // that have not been moved
	count     int            // of those there were
	numbers   map[string]int // of the next file of each table
	tidy      bool           // files of earlier exports have been removed
}

type output struct {
	*os.File
	to   string // where it goes
	done bool
}

// close allows the file to be moved.
func (o *output) close() error {
	o.done = true
	return o.File.Close()
}

func newStage(root string, p place) (*stage, error) {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(root, ".export-*")
	return &stage{root: root, dir: dir, place: p, numbers: make(map[string]int)}, err
}

// create begins a file that commit moves to the path to below the root.
func (s *stage) create(to string) (*output, error) {
	to = filepath.Join(s.root, to)
	f, err := os.OpenFile(filepath.Join(s.dir, fmt.Sprintf("%d.tmp", s.count)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, &os.PathError{Op: "write", Path: to, Err: reason(err)}
	}
	o := &output{File: f, to: to}
	s.outputs, s.count = append(s.outputs, o), s.count+1
	return o, nil
}

func (s *stage) createNext(table, dir string) (*output, error) {
	o, err := s.create(filepath.Join(dir, fmt.Sprintf("%s-%04d.parquet", s.place.base(), s.numbers[table])))
	s.numbers[table]++
	return o, err
}

// numbered are the tables with numbered files; others have one file per recording.
var numbered = []string{"values", "events", "instances", "labels", "missing"}

// failed adds the name of the file to an error.
func (o *output) failed(err error) error {
	if err != nil {
		err = &os.PathError{Op: "write", Path: o.to, Err: reason(err)}
	}
	return err
}

// commit moves complete files to their places. The first call removes the files of an earlier export, but
// with more, not those that will be replaced.
func (s *stage) commit(more bool) error {
	current := make(map[string]bool)
	for _, o := range s.outputs {
		current[o.to] = true
	}
	if err := s.move(); err != nil || s.tidy {
		return err
	}
	s.tidy = true
	return s.removeOld(current, more)
}

func (s *stage) move() error {
	rest := s.outputs[:0]
	for _, o := range s.outputs {
		if !o.done {
			rest = append(rest, o)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(o.to), 0o777); err != nil {
			return err
		}
		if err := os.Rename(o.Name(), o.to); err != nil {
			return err
		}
	}
	s.outputs = rest
	return nil
}

func (s *stage) removeOld(current map[string]bool, more bool) error {
	var failed error
	for _, table := range numbered {
		old, err := tableFiles(s.root, table, s.place)
		next := fmt.Sprintf("%s-%04d.parquet", s.place.base(), s.numbers[table])
		for _, name := range old {
			if !current[name] && !(more && filepath.Base(name) == next) {
				err = errors.Join(err, os.Remove(name))
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

func (s *stage) remove() error {
	for _, o := range s.outputs {
		if !o.done {
			o.File.Close()
		}
	}
	return os.RemoveAll(s.dir)
}

// tableFiles returns the files of a recording in a table, in their order.
func tableFiles(root, table string, p place) ([]string, error) {
	dir := filepath.Join(root, p.dir(table))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	pattern := regexp.MustCompile("^" + regexp.QuoteMeta(p.base()) + `-\d{4,}\.parquet$`)
	var list []string
	add := func(dir string, entries []os.DirEntry) {
		for _, f := range entries {
			if pattern.MatchString(f.Name()) {
				list = append(list, filepath.Join(dir, f.Name()))
			}
		}
	}
	add(dir, entries)
	for _, d := range entries {
		if d.IsDir() && strings.HasPrefix(d.Name(), "date=") {
			below := filepath.Join(dir, d.Name())
			files, e := os.ReadDir(below)
			err = errors.Join(err, e)
			add(below, files)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		a, b = filepath.Base(a), filepath.Base(b)
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return list, err
}

// reason returns an error without the name of the temporary file.
func reason(err error) error {
	if bad, ok := errors.AsType[*os.PathError](err); ok {
		return bad.Err
	}
	return err
}
