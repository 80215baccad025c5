package safefile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked is the error of a directory that another process has locked.
var ErrLocked = errors.New("in use by another process")

// A Rename is a file and the name that it gets.
type Rename struct{ From, To string }

// Move gives complete files, which are on the disk, their names, and makes the directories that are
// missing. The new names are on the disk when it returns. A file that is not there is left out: after a
// crash in the middle, Move does the rest.
func Move(list []Rename) error {
	dirs := make(map[string]bool)
	var failed error
	for _, r := range list {
		dir := filepath.Dir(r.To)
		_, err := os.Lstat(r.From)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(dir); err == nil {
				dirs[dir] = true // the name may not be on the disk yet
			}
			continue
		}
		if err == nil {
			err = makeDir(dir, 0o777, dirs)
		}
		if err == nil {
			err = RenameFile(r.From, r.To)
		}
		if failed = cmp.Or(failed, err); err == nil {
			dirs[dir] = true
		}
	}
	err := syncDirs(dirs)
	failed = cmp.Or(failed, err)
	return failed
}

// makeDir makes a directory and those above it, and notes the directories that get new names.
func makeDir(dir string, perm fs.FileMode, changed map[string]bool) error {
	if changed[dir] {
		return nil
	}
	err := mkdir(dir, perm)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err = makeDir(filepath.Dir(dir), perm, changed); err == nil {
			err = mkdir(dir, perm)
		}
	}
	if err == nil {
		changed[filepath.Dir(dir)] = true
	} else if info, e := os.Stat(dir); e == nil && info.IsDir() {
		return nil
	}
	return err
}

// syncDirs makes the names in directories last, all at the same time: each waits for the disk.
func syncDirs(dirs map[string]bool) error {
	results := make(chan error, len(dirs))
	for dir := range dirs {
		go func() { results <- SyncDir(dir) }()
	}
	var failed error
	for range dirs {
		err := <-results
		failed = cmp.Or(failed, err)
	}
	return failed
}

// SyncDir makes the names in a directory last.
func SyncDir(dir string) error { return syncDir(filepath.Join(dir, "x")) }

// MakeDir is os.MkdirAll, and the names of new directories are on the disk when it returns.
func MakeDir(dir string, perm fs.FileMode) error {
	changed := make(map[string]bool)
	err := makeDir(dir, perm, changed)
	bad := syncDirs(changed)
	err = cmp.Or(err, bad)
	return err
}

// Forget removes files, and their names are gone from the disk when it returns. A file that is not there is
// left out.
func Forget(names []string) error {
	dirs := make(map[string]bool)
	var failed error
	for _, name := range names {
		if err := RemoveFile(name); err == nil {
			dirs[filepath.Dir(name)] = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			failed = cmp.Or(failed, err)
		}
	}
	err := syncDirs(dirs)
	failed = cmp.Or(failed, err)
	return failed
}

// Tidy removes the temporary files of writers of this package from a directory. Nobody else may write there.
func Tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && name[0] == '.' && strings.TrimRight(name, "0123456789") != name {
			bad := RemoveFile(filepath.Join(dir, name))
			err = cmp.Or(err, bad)
		}
	}
	return err
}
