package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/safefile"
)

const swapVersion = 2

// A swap is a directory that is replaced, and the files that were merged there.
type swap struct {
	Version int         `json:"version"`
	Dir     string      `json:"dir"`
	Merges  []mergedSet `json:"merges"`
	Check   string      `json:"check"` // sum of the file with this field empty

	path string
}

// A mergedSet is files of one table that were merged into others.
type mergedSet struct {
	Files  []string            `json:"files"` // in the order of their rows
	Of     map[string][]string `json:"of"`    // what they replace, by host
	Shared bool                `json:"shared,omitempty"`
}

// late moves files that came into the old directory just before it was exchanged, from a new host.
func (s *swap) late(root Dir, old string) error {
	merged := make(map[string]bool)
	for _, set := range s.Merges {
		for _, files := range set.Of {
			for _, file := range files {
				merged[path.Base(file)] = true
			}
		}
	}
	entries, err := os.ReadDir(old)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is removed already
	}
	into := root.Name(s.Dir)
	for _, e := range entries {
		if err == nil && !merged[e.Name()] {
			err = moveLate(filepath.Join(old, e.Name()), filepath.Join(into, e.Name()))
		}
	}
	if err != nil {
		return err
	}
	return safefile.SyncDir(into)
}

// moveLate renames a file, unless there is one of the new name: that is the same, under both names.
func moveLate(from, to string) error {
	_, err := os.Lstat(to)
	if errors.Is(err, fs.ErrNotExist) {
		return safefile.RenameFile(from, to)
	}
	return err
}

// write makes the swap last.
func (s *swap) write() error {
	text, err := s.encode()
	if err != nil {
		return err
	}
	return safefile.Replace(s.path, text)
}

func (s *swap) encode() ([]byte, error) { return sealed(s, &s.Check) }

func readSwap(path string) (*swap, error) {
	text, err := safefile.Read(path, maxManifest)
	if err != nil {
		return nil, err
	}
	s := &swap{path: path}
	err = json.Unmarshal(text, s)
	if err == nil && s.Version > swapVersion {
		return nil, fmt.Errorf("%s: an interrupted compaction has version %d, this pmderive knows versions up to %d: update it", path, s.Version, swapVersion)
	}
	if want, e := s.encode(); err == nil && (e != nil || !bytes.Equal(want, text)) {
		err = errors.New("its check does not fit")
	}
	if err == nil && (len(s.Merges) == 0 || len(s.Merges[0].Files) == 0) {
		err = errors.New("it names no files")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: what an interrupted compaction says is damaged: %w; restore the file from a copy, or export into another directory", path, err)
	}
	for _, set := range s.Merges {
		for _, file := range set.Files {
			if !filepath.IsLocal(filepath.FromSlash(file)) {
				return nil, fmt.Errorf("%s: the path %q leaves the directory", path, file)
			}
		}
	}
	return s, nil
}

// settle tells a manifest, which must be locked, what an interrupted compaction has done.
func (d Dir) settle(ctx context.Context, m *manifest) error {
	runs, err := begin(d.Name(compactDir), "run-")
	for _, dir := range runs {
		s, err := readSwap(filepath.Join(dir, swapFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if _, err := os.Lstat(d.Name(s.Merges[0].Files[0])); errors.Is(err, fs.ErrNotExist) {
			continue // the directories were not exchanged
		} else if err != nil {
			return err
		}
		if m.told(s) {
			if err := m.write(ctx); err != nil {
				return err
			}
		}
	}
	return err
}

// told puts merged files in the place of those that they replace. It reports whether there are such.
func (m *manifest) told(s *swap) (changed bool) {
	for _, set := range s.Merges {
		old := make(map[string]bool)
		for _, file := range set.Of[m.Host] {
			old[file] = true
		}
		for i := range m.Exports {
			u := &m.Exports[i]
			n := len(u.Files)
			u.Files = slices.DeleteFunc(slices.Clone(u.Files), func(file string) bool { return old[file] })
			if len(u.Files) == n {
				continue
			}
			u.Files, changed = append(u.Files, set.Files...), true
			if strings.HasPrefix(s.Dir, "values") {
				u.Merged, u.Shared = true, u.Shared || set.Shared
			}
		}
		for file := range old {
			m.number(file)
		}
	}
	if changed {
		m.join()
		m.Commit = change{}
	}
	return changed
}

// number notes that a file of a name has been, so that none gets it again.
func (m *manifest) number(file string) {
	table, _, _ := strings.Cut(file, "/")
	base, text, ok := cutLast(strings.TrimSuffix(path.Base(file), ".parquet"), "-")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || strings.HasPrefix(base, compacted) {
		return
	}
	if m.Next == nil {
		m.Next = make(map[string]int)
	}
	key := table + "/" + base
	m.Next[key] = max(m.Next[key], n+1)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
