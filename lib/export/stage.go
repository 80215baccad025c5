package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
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
	micros bool // see Config
}

func (p place) dir(table string) string {
	if p.NoHost {
		return table
	}
	return path.Join(table, "host="+partition(p.host))
}

// dated returns the directory of a table for a date, in days since 1970.
func (p place) dated(table string, date int64) string {
	if p.NoDate {
		return p.dir(table)
	}
	return path.Join(p.dir(table), "date="+time.Unix(date*86400, 0).UTC().Format(time.DateOnly))
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

// noValue is Hive's name for the directory of rows without a value.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// longest is how many bytes the name of a file has at most, and mostFiles how many files of a table have numbers in their names.
const (
	longest   = 255
	mostFiles = 1e6
)

// fits returns an error if names of the files of an export are longer than file systems have: they would be refused after the manifest
// has named them.
func (p place) fits() error {
	for _, name := range []string{"host=" + partition(p.host), (&output{}).path(p.base(), mostFiles-1)} {
		if len(name) > longest {
			return fmt.Errorf("%s: a name is too long for a file: give the host another one (--label host=NAME), or the archive", name)
		}
	}
	return nil
}

// partition returns a value as a directory's name has it: characters with a meaning become %XX, as does the
// first one of what engines take for no value, and an empty value gets Hive's name.
func partition(value string) string {
	absent := value == noValue || strings.EqualFold(value, "null")
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i]; {
		case absent && i == 0:
			fmt.Fprintf(&b, "%%%02X", c)
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return cmp.Or(b.String(), noValue)
}

// partitioned returns the value that partition has made a name of.
func partitioned(name string) (string, error) {
	if name == noValue {
		return "", nil
	}
	return url.PathUnescape(name)
}

// A stage has the files of an export until they are part of the tables.
type stage struct {
	place   place
	form    form
	m       *manifest // as it was when the stage was made, or changed last
	key     string    // a file of the unit to which the stage has added last
	files   Stage
	outputs []*output           // that have not been moved
	count   int                 // of those there were
	numbers map[string]int      // of the next file of each table
	moved   map[string][]string // files by table
	end     context.Context     // of the export: files do not get their names for long after that
	kept    bool                // the manifest may name files that are not moved, which the next export does
}

type output struct {
	*safefile.File
	table  string
	dir    string // below the store
	number int    // -1 if the table has one file
	to     string // its path, as far as is known before
	store  Store
	stage  Stage
	synced chan error
}

// close allows the file to be moved. It is written to the disk meanwhile.
func (o *output) close() error {
	o.synced = make(chan error, 1)
	go func() { o.synced <- o.stage.Close(o.File) }()
	return nil
}

func (o *output) path(base string, number int) string {
	name := base + ".parquet"
	if number >= 0 {
		name = fmt.Sprintf("%s-%04d.parquet", base, number)
	}
	return path.Join(o.dir, name)
}

// newStage makes a stage beside the manifest, which must be locked.
func newStage(ctx context.Context, p place, m *manifest) (*stage, error) {
	files, err := m.store.Stage(ctx, path.Dir(m.path))
	return &stage{place: p, m: m, files: files, end: ctx, numbers: make(map[string]int), moved: make(map[string][]string)}, err
}

// createNext begins the next file of a table, in a directory below the store.
func (s *stage) createNext(table, dir string) (*output, error) {
	if _, ok := s.numbers[table]; !ok {
		s.numbers[table] = s.m.next(table, s.place.base())
	}
	s.numbers[table]++
	return s.create(table, dir, s.numbers[table]-1)
}

// create begins a file of a table in a directory below the store. The number may be -1 for none.
func (s *stage) create(table, dir string, number int) (*output, error) {
	o := &output{table: table, dir: dir, number: number, store: s.m.store, stage: s.files}
	o.to = o.path(s.place.base(), o.number)
	f, err := safefile.OpenFile(filepath.Join(s.files.Dir(), fmt.Sprintf("%d.tmp", s.count)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, o.failed(err)
	}
	o.File = f
	s.outputs, s.count = append(s.outputs, o), s.count+1
	return o, nil
}

// failed adds the name of the file to an error.
func (o *output) failed(err error) error {
	if err != nil {
		err = &os.PathError{Op: "write", Path: o.store.Name(o.to), Err: reason(err)}
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
	return s.files.Remove(context.Background(), s.kept)
}

// namesOf returns the files of a table that were moved, as messages have them.
func (s *stage) namesOf(table string) (names []string) {
	for _, file := range s.moved[table] {
		names = append(names, s.m.store.Name(file))
	}
	return names
}

// reason returns an error without the name of the temporary file.
func reason(err error) error {
	if bad, ok := errors.AsType[*os.PathError](err); ok {
		return bad.Err
	}
	return err
}
