package remotewrite

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pmtools/lib/safefile"
)

// A spool is the directory of a queue, locked against other processes. A request is a file, which gets its
// name when it is complete.
type spool struct {
	dir  string
	sync bool // files and their names are on the disk when write returns
	lock *os.File
}

// The name of a request has its number, its number of samples, and the checksum of the file.
const (
	fileName   = "%016x-%d-%08x" + written
	written    = ".write"
	unfinished = ".tmp"
	damaged    = ".damaged"
)

const (
	maxFile    = 64 << 20 // bytes
	maxSamples = 1 << 24
	maxNumber  = 1 << 60 // its number is below it
)

var (
	// ErrLocked is the error of a queue that another process uses.
	ErrLocked  = errors.New("the queue is in use by another process")
	errDamaged = errors.New("not as it was written")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func openSpool(dir string, sync bool) (*spool, error) {
	for {
		_, missing := os.Stat(dir)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		f, err := safefile.Lock(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its last user has just removed it
		} else if errors.Is(err, safefile.ErrLocked) {
			return nil, &os.PathError{Op: "lock", Path: dir, Err: ErrLocked}
		} else if err != nil {
			return nil, err
		}
		if !current(f, dir) {
			f.Close()
			continue
		}
		if sync && missing != nil {
			err = syncParent(dir)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return &spool{dir, sync, f}, nil
	}
}

func syncParent(dir string) error {
	f, err := os.Open(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return err
	}
	defer f.Close()
	return syncDir(f)
}

// requests returns the requests of an earlier process in their order. It removes incomplete files; warn
// gets strange ones.
func (s *spool) requests(warn func(error)) (list []*entry, err error) {
	files, err := os.ReadDir(s.dir) // in the order of the names
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, unfinished) { // its writer has died
			if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
				return nil, err
			}
		}
		if !strings.HasSuffix(name, written) {
			continue
		}
		e, ok := parseName(name)
		if !ok || !f.Type().IsRegular() {
			warn(fmt.Errorf("%s is not a request of the queue, and is left alone", filepath.Join(s.dir, name)))
			continue
		}
		info, err := f.Info()
		if err != nil {
			return nil, err
		}
		e.size, e.unsure = info.Size(), true
		list = append(list, e)
	}
	return list, nil
}

func parseName(name string) (*entry, bool) {
	e := &entry{}
	n, err := fmt.Sscanf(name, fileName, &e.number, &e.samples, &e.sum)
	ok := err == nil && n == 3 && e.name() == name // with its zeros, and nothing after it
	return e, ok && e.number < maxNumber && e.samples >= 1 && e.samples <= maxSamples
}

func (e *entry) name() string { return fmt.Sprintf(fileName, e.number, e.samples, e.sum) }

func (s *spool) path(e *entry) string { return filepath.Join(s.dir, e.name()) }

// write leaves no file after an error.
func (s *spool) write(e *entry, body []byte) error {
	path := s.path(e)
	f, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err == nil && s.sync {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err == nil && s.sync {
		if err = syncDir(s.lock); err != nil {
			_ = os.Remove(path)
		}
	}
	if err != nil {
		_ = os.Remove(path + unfinished)
	}
	return err
}

// read renames a damaged file, whose error is errDamaged. An unreadable one stays for the next process.
func (s *spool) read(e *entry) ([]byte, error) {
	path := s.path(e)
	body, err := safefile.Read(path, maxFile)
	if err == nil && crc32.Checksum(body, castagnoli) == e.sum {
		return body, nil
	}
	if err == nil {
		err = errDamaged
		if e := os.Rename(path, path+damaged); e == nil {
			path += damaged
		}
	}
	return nil, fmt.Errorf("%d samples of the queue cannot be sent: %s: %w", e.samples, path, err)
}

// remove may leave the file: the next process sends it once more, which does no harm.
func (s *spool) remove(e *entry) { _ = os.Remove(s.path(e)) }

// close removes the directory of an empty queue, unless it has other files.
func (s *spool) close(empty bool) error {
	if empty {
		return release(s.lock, s.dir)
	}
	return s.lock.Close()
}
