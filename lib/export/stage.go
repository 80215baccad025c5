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
)

// A place is where the files of a recording go.
type place struct{ host, name string }

// dir returns the directory of a table.
func (p place) dir(table string) string { return filepath.Join(table, "host="+partition(p.host)) }

// partition returns a value as names of directories have it: what could be mistaken for syntax is
// %XX. The name for none is that of Hive.
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

// A stage is a directory beside the tables where files are until they are complete.
type stage struct {
	root, dir string
	moves     [][2]string // from, to; to is below root
}

// newStage makes a stage.
func newStage(root string) (*stage, error) {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(root, ".export-*")
	return &stage{root: root, dir: dir}, err
}

// create creates what will be the file to, a path below the root.
func (s *stage) create(to string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, fmt.Sprintf("%d.tmp", len(s.moves))), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		s.moves = append(s.moves, [2]string{f.Name(), to})
	}
	return f, err
}

// commit moves all files to their places, and removes those that an earlier export has left.
func (s *stage) commit(p place) error {
	current := make(map[string]bool)
	for _, m := range s.moves {
		to := filepath.Join(s.root, m[1])
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.Rename(m[0], to); err != nil {
			return err
		}
		current[to] = true
	}
	old, err := valueFiles(s.root, p)
	for _, name := range old {
		if !current[name] {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}

// remove removes the stage with what is left in it.
func (s *stage) remove() error { return os.RemoveAll(s.dir) }

// valueFiles returns the files of values of a recording, in the order of their numbers.
func valueFiles(root string, p place) ([]string, error) {
	host := filepath.Join(root, p.dir("values"))
	dates, err := os.ReadDir(host)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	pattern := regexp.MustCompile("^" + regexp.QuoteMeta(p.name) + `-\d{4,}\.parquet$`)
	var list []string
	for _, d := range dates {
		files, e := os.ReadDir(filepath.Join(host, d.Name()))
		err = errors.Join(err, e)
		for _, f := range files {
			if pattern.MatchString(f.Name()) {
				list = append(list, filepath.Join(host, d.Name(), f.Name()))
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		a, b = filepath.Base(a), filepath.Base(b)
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return list, err
}
