package export

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"pmtools/lib/safefile"
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

// String returns the text that ParsePartition reads.
func (p Partition) String() string {
	switch p {
	case Partition{}:
		return "host,date"
	case Partition{NoDate: true}:
		return "host"
	case Partition{NoHost: true}:
		return "date"
	}
	return "none"
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
	name := p.name
	if !utf8.ValidString(name) {
		name = partition(name)
	}
	if p.NoHost {
		return partition(p.host) + "-" + name
	}
	return name
}

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
	form      form
	m         *manifest           // as it was when the stage was made, or changed last
	key       string              // a file of the unit to which the stage has added last
	lock      *os.File            // of dir, as long as the process lives
	outputs   []*output           // that have not been moved
	count     int                 // of those there were
	numbers   map[string]int      // of the next file of each table
	files     map[string][]string // that were moved, by table
	kept      bool                // dir has files that the next export moves
}

type output struct {
	*os.File
	table  string
	dir    string // below the root
	number int    // -1 if the table has one file
	to     string // where it goes, as far as is known before
	synced chan error
}

// close allows the file to be moved. It is written to the disk meanwhile.
func (o *output) close() error {
	o.synced = make(chan error, 1)
	go func() { o.synced <- errors.Join(safefile.Sync(o.File), o.File.Close()) }()
	return nil
}

func (o *output) path(base string, number int) string {
	name := base + ".parquet"
	if number >= 0 {
		name = fmt.Sprintf("%s-%04d.parquet", base, number)
	}
	return filepath.ToSlash(filepath.Join(o.dir, name))
}

// newStage makes a stage in the directory of the manifest, which must be locked, and removes those whose
// processes are gone.
func newStage(root string, p place, m *manifest) (*stage, error) {
	above := filepath.Dir(m.path)
	old, _ := filepath.Glob(filepath.Join(globText(above), "export-*"))
	for _, dir := range old {
		if f, err := safefile.Lock(dir); err == nil {
			f.Close()
			if safefile.Locks {
				os.RemoveAll(dir)
			}
		}
	}
	dir, err := os.MkdirTemp(above, "export-*")
	if err != nil {
		return nil, err
	}
	lock, err := safefile.Lock(dir)
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	s := &stage{root: root, dir: dir, place: p, m: m, lock: lock, numbers: make(map[string]int), files: make(map[string][]string)}
	return s, nil
}

// createNext begins the next file of a table, in a directory below the root.
func (s *stage) createNext(table, dir string) (*output, error) {
	if _, ok := s.numbers[table]; !ok {
		s.numbers[table] = s.m.next(table, s.place.base())
	}
	s.numbers[table]++
	return s.create(table, dir, s.numbers[table]-1)
}

// create begins a file of a table in a directory below the root. The number may be -1 for none.
func (s *stage) create(table, dir string, number int) (*output, error) {
	o := &output{table: table, dir: dir, number: number}
	o.to = filepath.Join(s.root, o.path(s.place.base(), o.number))
	f, err := os.OpenFile(filepath.Join(s.dir, fmt.Sprintf("%d.tmp", s.count)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, &os.PathError{Op: "write", Path: o.to, Err: reason(err)}
	}
	o.File = f
	s.outputs, s.count = append(s.outputs, o), s.count+1
	return o, nil
}

// failed adds the name of the file to an error.
func (o *output) failed(err error) error {
	if err != nil {
		err = &os.PathError{Op: "write", Path: o.to, Err: reason(err)}
	}
	return err
}

// remove removes what is not complete. Files that the manifest names stay until the next export moves them.
func (s *stage) remove() error {
	for _, o := range s.outputs {
		if o.synced == nil {
			o.File.Close()
		} else {
			<-o.synced
		}
	}
	err := s.lock.Close()
	if s.kept {
		return err
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// reason returns an error without the name of the temporary file.
func reason(err error) error {
	if bad, ok := errors.AsType[*os.PathError](err); ok {
		return bad.Err
	}
	return err
}
