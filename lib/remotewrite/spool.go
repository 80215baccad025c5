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

// The name of a file has the number of the request, the distances to it from the numbers of its batch and of its key, its number of
// samples, and the checksum of the file. A request that has been acknowledged, but to which others are differences, ends in needed.
const (
	fileName   = "%016x-%d-%d-%d-%08x"
	written    = ".write"
	needed     = ".key"
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
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := safefile.MakeDir(dir, 0o700); err != nil {
			return nil, err
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return nil, err
		}
	}
	f, err := safefile.Lock(dir)
	if errors.Is(err, safefile.ErrLocked) {
		err = &os.PathError{Op: "lock", Path: dir, Err: ErrLocked}
	}
	if err != nil {
		return nil, err
	}
	s := &spool{dir, sync, f}
	if err := s.probe(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// probe makes a directory that cannot be written an error at once.
func (s *spool) probe() error {
	path := filepath.Join(s.dir, "probe"+unfinished)
	_ = os.Remove(path) // of a process that was killed
	if err := create(path, nil, false); err != nil {
		return err
	}
	return safefile.RemoveFile(path)
}

// requests returns the requests of an earlier process in their order, and a number that is above those of all names. It removes
// incomplete files; warn gets strange ones.
func (s *spool) requests(warn func(error)) (list []*entry, next uint64, err error) {
	files, err := os.ReadDir(s.dir) // in the order of the names
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		name := f.Name()
		if ours, ok := strings.CutSuffix(name, written+unfinished); ok && isName(ours) { // its writer has died
			if err := safefile.RemoveFile(filepath.Join(s.dir, name)); err != nil {
				return nil, 0, err
			}
		}
		base, sent := strings.CutSuffix(name, needed)
		if !sent && !strings.HasSuffix(name, written) {
			continue
		}
		e, ok := parseName(strings.TrimSuffix(base, written))
		if ok {
			next = max(next, e.number+1)
		}
		if !ok || !f.Type().IsRegular() {
			warn(fmt.Errorf("%s is not a request of the queue, and is left alone", filepath.Join(s.dir, name)))
			continue
		}
		info, err := f.Info()
		if err != nil {
			return nil, 0, err
		}
		e.size, e.unsure = onDisk(info.Size()), true
		if sent {
			e.state = keyOnly
		}
		list = append(list, e)
	}
	return list, next, nil
}

func isName(name string) bool {
	_, ok := parseName(name)
	return ok
}

func parseName(name string) (*entry, bool) {
	e := &entry{}
	var batch, key uint64
	n, err := fmt.Sscanf(name, fileName, &e.number, &batch, &key, &e.samples, &e.sum)
	if err != nil || n != 5 || batch > e.number || key > e.number {
		return nil, false
	}
	e.batch, e.key = e.number-batch, e.number-key
	ok := e.name() == name // with its zeros, and nothing after it
	return e, ok && e.number < maxNumber && e.samples >= 1 && e.samples <= maxSamples
}

func (e *entry) name() string {
	return fmt.Sprintf(fileName, e.number, e.number-e.batch, e.number-e.key, e.samples, e.sum)
}

func (s *spool) path(e *entry) string {
	if e.state == keyOnly {
		return filepath.Join(s.dir, e.name()+needed)
	}
	return filepath.Join(s.dir, e.name()+written)
}

// create makes a file, whose content is on the disk when it returns if sync is set.
func create(path string, text []byte, sync bool) error {
	f, err := safefile.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && sync {
		err = f.Sync()
	}
	bad := f.Close()
	err = cmp.Or(err, bad)
	return err
}

// write leaves no file after an error.
func (s *spool) write(e *entry, text []byte) error {
	path := s.path(e)
	err := create(path+unfinished, text, s.sync)
	if err == nil {
		err = safefile.RenameFile(path+unfinished, path)
	}
	if err == nil && s.sync {
		if err = safefile.SyncDir(s.dir); err != nil {
			_ = safefile.RemoveFile(path)
		}
	}
	if err != nil {
		_ = safefile.RemoveFile(path + unfinished)
	}
	return err
}

// read returns the text of a request, under either of its names: it may be acknowledged meanwhile.
func (s *spool) read(e *entry) ([]byte, error) {
	path := filepath.Join(s.dir, e.name())
	text, err := safefile.Read(path+written, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		if other, e := safefile.Read(path+needed, maxFile); e == nil {
			text, err = other, nil
		}
	}
	if err == nil && crc32.Checksum(text, castagnoli) != e.sum {
		err = errDamaged
	}
	return text, err
}

// damage renames a file that is not as it was written, and returns the error for the user. An unreadable one stays for the next
// process.
func (s *spool) damage(e *entry, err error) error {
	path := filepath.Join(s.dir, e.name()+written)
	if _, unreadable := errors.AsType[*fs.PathError](err); !unreadable || errors.Is(err, errNoKey) {
		if e := safefile.RenameFile(path, path+damaged); e == nil {
			path += damaged
		}
	}
	return fmt.Errorf("%d samples of the queue cannot be sent: %s: %w", e.samples, path, err)
}

// keep renames a request that has been acknowledged. After an error the next process sends it once more, which does no harm.
func (s *spool) keep(e *entry) {
	path := s.path(e)
	e.state = keyOnly
	_ = safefile.RenameFile(path, s.path(e))
}

// remove removes the file of a request. The names of files that are differences to it are gone from the disk before, since they cannot be
// read without it. It may leave the file: the next process sends it once more, which does no harm.
func (s *spool) remove(e *entry) {
	if e.state == keyOnly && s.sync && safefile.SyncDir(s.dir) != nil {
		return
	}
	_ = safefile.RemoveFile(s.path(e))
}

func (s *spool) close() error { return s.lock.Close() }
