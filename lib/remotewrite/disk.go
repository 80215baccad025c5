package remotewrite

import (
	"cmp"
	"os"

	"pmtools/lib/safefile"
)

// A disk is the file system as far as a spool changes it. Tests have one that fails, and one that notes what a loss of power may
// leave.
type disk interface {
	// create makes a new file, whose content is on the disk when it returns if sync is set.
	create(path string, text []byte, sync bool) error
	rename(from, to string) error
	remove(path string) error
	// syncDir makes the names in a directory last.
	syncDir(dir string) error
}

// systemDisk is that of the system.
type systemDisk struct{}

func (systemDisk) create(path string, text []byte, sync bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && sync {
		err = safefile.Sync(f)
	}
	return cmp.Or(err, f.Close())
}

func (systemDisk) rename(from, to string) error { return os.Rename(from, to) }
func (systemDisk) remove(path string) error     { return os.Remove(path) }
func (systemDisk) syncDir(dir string) error     { return safefile.SyncDir(dir) }
