package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go/bloom/xxhash"
)

const (
	manifestDir  = "_pmtools" // holds a directory for each host
	manifestFile = "_pmtools.json"
	maxManifest  = 256 << 20
)

// A manifest says what the tables of a host hold.
type manifest struct {
	Version int    `json:"version"`
	Host    string `json:"host"`
	Machine string `json:"machineid,omitempty"` // of the host, "" if no recording has named it
	Metrics string `json:"metrics,omitempty"`   // the table of metrics
	Exports []unit `json:"exports"`
	// Next has the numbers of the next files by their table and the beginning of their names, as in
	// values/demo, where compaction has merged the ones before.
	Next map[string]int `json:"next,omitempty"`
	// Commit is the last change. Its files are moved and removed after the manifest says so; a process that
	// finds some left, because another was killed, does the rest.
	Commit change `json:"commit"`
	Check  string `json:"check"` // sum of the file with this field empty

	path    string // below the store
	version string // of the file
	store   Store
}

// A unit is what one export wrote.
type unit struct {
	Name   string   `json:"name"` // begins the names of the files
	Form   form     `json:"form"`
	Values int64    `json:"values"`
	Damage string   `json:"incomplete,omitempty"` // why reading ended early
	Pieces []piece  `json:"archives,omitempty"`   // nil for live values
	Files  []string `json:"files"`                // below the directory of all tables
	Merged bool     `json:"merged,omitempty"`     // compaction has merged some files of values, or some have expired
	Shared bool     `json:"shared,omitempty"`     // with those of other units
	Labels string   `json:"labels,omitempty"`     // labelsOfRecords, or "" for those of earlier versions and live sources
}

// A form is what was asked for. Units of another form hold other values of the same records, or hold them
// elsewhere.
type form struct {
	Metrics   []string `json:"metrics,omitempty"` // nil for all
	Partition string   `json:"partition"`
	Wide      bool     `json:"wide,omitempty"`
	Period    int64    `json:"period,omitempty"` // not 0 if the archive was growing: its files are replaced when it is complete
}

// A piece is a stretch of records of one archive, all of which were read.
type piece struct {
	Archive string `json:"archive"`
	Label   string `json:"label"` // sum of the label: host, process, start, zone
	From    stamp  `json:"from"`  // of the first record
	To      stamp  `json:"to"`    // of the last one
	Records int64  `json:"records"`
	First   sum    `json:"first"` // of the first record
	Times   sum    `json:"times"` // of the times of all records
	Sum     sum    `json:"sum"`   // of all records
}

// A change lists files by their paths below the directory of all tables.
type change struct {
	Move   [][2]string `json:"move,omitempty"` // from, to
	Remove []string    `json:"remove,omitempty"`
}

// A stamp is a time in nanoseconds since 1970, in JSON a text that people can read.
type stamp int64

func (t stamp) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func (t stamp) String() string { return time.Unix(0, int64(t)).UTC().Format(stampLayout) }

func (t *stamp) UnmarshalText(text []byte) error {
	at, err := time.Parse(stampLayout, string(text))
	*t = stamp(at.UnixNano())
	return err
}

const stampLayout = "2006-01-02T15:04:05.999999999Z07:00"

// A sum is a checksum, in JSON hexadecimal digits.
type sum uint64

func (s sum) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(s)), nil }

func (s *sum) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	*s = sum(n)
	return err
}

// openManifest locks the tables of a host against other exports and returns their manifest, an empty one if
// there is none. It finishes a change that was interrupted. unlock ends the lock.
func openManifest(ctx context.Context, in Store, host string) (m *manifest, unlock func() error, err error) {
	if unlock, err = in.Lock(ctx, path.Dir(manifestPath(host))); err != nil {
		return nil, nil, err
	}
	if m, err = readManifest(ctx, in, host); err == nil {
		err = m.Commit.apply(ctx, in)
	}
	if d, ok := in.(Dir); ok && err == nil {
		err = d.settle(ctx, m)
	}
	if err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	return m, unlock, nil
}

// seeManifest is openManifest, or readManifest without a lock if dry.
func seeManifest(ctx context.Context, in Store, host string, dry bool) (m *manifest, unlock func() error, err error) {
	if dry {
		m, err = readManifest(ctx, in, host)
		return m, func() error { return nil }, err
	}
	return openManifest(ctx, in, host)
}

func manifestPath(host string) string {
	return path.Join(manifestDir, "host="+partition(host), manifestFile)
}

func readManifest(ctx context.Context, in Store, host string) (*manifest, error) {
	m := &manifest{Version: versionNanos, Host: host, Exports: []unit{}, path: manifestPath(host), store: in}
	text, version, err := in.Read(ctx, m.path, maxManifest)
	m.version = version
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	} else if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s; restore it from a copy, or export into another directory: without it, what the tables hold is not known",
			m.name(), fmt.Sprintf(format, args...))
	}
	var head headManifest
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, bad("the manifest is damaged: %v", err)
	}
	if err := checkVersion(m.name(), head.Version); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		return nil, bad("the manifest is damaged: %v", err)
	}
	check := m.Check
	if want, err := m.encode(); err != nil {
		return nil, err
	} else if m.Check != check || !bytes.Equal(want, text) {
		return nil, bad("the manifest was changed since it was written (its check is %q, want %q)", check, m.Check)
	}
	if m.Host != host {
		return nil, bad("the manifest is that of host %q, not of %q", m.Host, host)
	}
	return m, m.valid(bad)
}

// valid returns an error if a path of the manifest leaves the directory.
func (m *manifest) valid(bad func(string, ...any) error) error {
	paths := slices.Concat(m.Commit.Remove, []string{cmp.Or(m.Metrics, "metrics")})
	for _, u := range m.Exports {
		paths = append(paths, u.Files...)
	}
	for _, move := range m.Commit.Move {
		paths = append(paths, move[:]...)
	}
	for _, path := range paths {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return bad("the path %q leaves the directory", path)
		}
	}
	return nil
}

// encode returns the text of the file, and sets Check.
func (m *manifest) encode() ([]byte, error) { return sealed(m, &m.Check) }

// sealed returns a file in JSON, and makes check, one of its fields, the sum of the file with this field empty.
func sealed(file any, check *string) ([]byte, error) {
	*check = ""
	text, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return nil, err
	}
	*check = fmt.Sprintf("%016x", xxhash.Sum64(text))
	text, err = json.MarshalIndent(file, "", " ")
	return append(text, '\n'), err
}

// write puts the manifest in the place of the one before. From then on its change counts as done.
func (m *manifest) write(ctx context.Context) error {
	text, err := m.encode()
	if err != nil {
		return err
	}
	return m.store.Replace(ctx, m.path, text, m.version)
}

// micros reports whether the tables have microseconds.
func (m *manifest) micros() bool { return m.Version == versionMicros }

func (m *manifest) name() string { return m.store.Name(m.path) }

// apply does what is left of a change.
func (c *change) apply(ctx context.Context, in Store) error {
	if err := in.Move(ctx, c.Move); err != nil {
		return err
	}
	return in.Remove(ctx, c.Remove)
}

// same reports whether forms differ in nothing but their period.
func (f *form) same(other *form) bool {
	a, b := *f, *other
	a.Period, b.Period = 0, 0
	return reflect.DeepEqual(a, b)
}

func (f *form) describe() string {
	text := "all metrics"
	if f.Metrics != nil {
		text = strings.Join(f.Metrics, " ")
	}
	return fmt.Sprintf("%s, --partition %s", text, f.Partition)
}

// next returns the number after those of the files of a table that begin with base.
func (m *manifest) next(table, base string) int {
	n := m.Next[table+"/"+base]
	for _, u := range m.Exports {
		for _, file := range u.Files {
			name := file[strings.LastIndexByte(file, '/')+1:]
			if name == base+".parquet" && strings.HasPrefix(file, table+"/") {
				n = max(n, 1)
			}
			if text, ok := strings.CutPrefix(name, base+"-"); ok && strings.HasPrefix(file, table+"/") {
				if i, err := strconv.Atoi(strings.TrimSuffix(text, ".parquet")); err == nil {
					n = max(n, i+1)
				}
			}
		}
	}
	return n
}

// join makes one unit of those that are alike and began in the same month. Live values stay apart: what is exported of an
// archive never replaces them.
func (m *manifest) join() {
	list := []unit{}
	for i := range m.Exports {
		u := &m.Exports[i]
		if n := slices.IndexFunc(list, u.alike); n >= 0 && len(u.Pieces) > 0 {
			list[n].add(u)
		} else {
			list = append(list, *u)
		}
	}
	m.Exports = list
}

func (u *unit) alike(v unit) bool {
	return len(v.Pieces) > 0 && v.month() == u.month() && v.Labels == u.Labels && reflect.DeepEqual(v.Form, u.Form)
}

// month returns when the records of a unit begin, "" if its files have expired.
func (u *unit) month() string {
	if len(u.Files) == 0 {
		return ""
	}
	return time.Unix(0, int64(u.Pieces[0].From)).UTC().Format("2006-01")
}

// add adds the pieces and the files of another unit, of which both may have some.
func (u *unit) add(v *unit) {
	u.Values += v.Values
	u.Damage = cmp.Or(v.Damage, u.Damage)
	u.Merged, u.Shared = u.Merged || v.Merged, u.Shared || v.Shared
	u.Pieces = append(u.Pieces, v.Pieces...)
	known := make(map[string]bool, len(u.Files))
	for _, file := range u.Files {
		known[file] = true
	}
	for _, file := range v.Files {
		if !known[file] {
			u.Files = append(u.Files, file)
		}
	}
}

// has reports whether a table has files.
func (m *manifest) has(table string) bool {
	return m.find(func(u *unit) bool {
		return slices.ContainsFunc(u.Files, func(file string) bool { return strings.HasPrefix(file, table+"/") })
	}) != nil
}
