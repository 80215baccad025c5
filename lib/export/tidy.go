package export

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"pmtools/lib/safefile"
)

// tidy removes the work of compactions that were interrupted. All manifests know what these have done.
func (c *compaction) tidy() error {
	if c.dry {
		return nil
	}
	old, err := begin(c.root.Name(compactDir), "run-")
	for _, dir := range old {
		e := c.tidyRun(dir)
		err = cmp.Or(err, e)
	}
	return err
}

// tidyRun removes a work directory. The old files that it has are removed after the late ones among them are back.
func (c *compaction) tidyRun(dir string) error {
	swapped := filepath.Join(dir, swapFile)
	s, err := readSwap(swapped)
	if err == nil {
		if _, err = os.Lstat(c.root.Name(s.Merges[0].Files[0])); err == nil {
			if err := s.late(c.root, filepath.Join(dir, "new")); err != nil {
				return err
			}
			if manifest := c.unread(s); manifest != "" {
				return fmt.Errorf("%s: an interrupted compaction has to change %s, which cannot be read: restore it first", dir, manifest)
			}
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := safefile.Forget([]string{swapped}); err != nil {
		return err
	}
	return removeWork(dir)
}

// unread returns a directory with a manifest that a swap has to change and that cannot be read, "" if there is none.
func (c *compaction) unread(s *swap) string {
	for _, set := range s.Merges {
		for host := range set.Of {
			if dir := path.Dir(manifestPath(host)); slices.Contains(c.left, dir) {
				return dir
			}
		}
	}
	return ""
}

// removeWork removes a work directory, and the directory in it.
func removeWork(dir string) error {
	if err := safefile.RemoveAll(filepath.Join(dir, "new")); err != nil {
		return err
	}
	return safefile.RemoveAll(dir)
}
