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

// This file has the directory of a queue, which is locked against other processes. A request is a file, which gets its name when it is
// complete.

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

// openDir makes the directory if need be, and locks it.
func (q *Queue) openDir() error {
	dir := q.opt.Dir
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := safefile.MakeDir(dir, 0o700); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
	}
	f, err := safefile.Lock(dir)
	if errors.Is(err, safefile.ErrLocked) {
		err = &os.PathError{Op: "lock", Path: dir, Err: ErrLocked}
	}
	if err != nil {
		return err
	}
	q.lock = f
	if err = q.probe(); err == nil {
		err = q.findFiles()
	}
	if err != nil {
		f.Close()
	}
	return err
}

// probe makes a directory that cannot be written an error at once.
func (q *Queue) probe() error {
	path := filepath.Join(q.opt.Dir, "probe"+unfinished)
	_ = os.Remove(path) // of a process that was killed
	if err := create(path, nil, false); err != nil {
		return err
	}
	return safefile.RemoveFile(path)
}

// findFiles finds the requests of an earlier process, and a number that is above those of all names. It removes incomplete files, and warns
// of strange ones.
func (q *Queue) findFiles() error {
	files, err := os.ReadDir(q.opt.Dir) // in the order of the names
	if err != nil {
		return err
	}
	for _, f := range files {
		name := f.Name()
		if _, ours := parseName(strings.TrimSuffix(name, written+unfinished)); ours && strings.HasSuffix(name, unfinished) { // its writer has died
			if err := safefile.RemoveFile(filepath.Join(q.opt.Dir, name)); err != nil {
				return err
			}
		}
		base, sent := strings.CutSuffix(name, needed)
		if !sent && !strings.HasSuffix(name, written) {
			continue
		}
		e, ok := parseName(strings.TrimSuffix(base, written))
		if ok {
			q.next = max(q.next, e.number+1)
		}
		if !ok || !f.Type().IsRegular() {
			q.opt.Warn(fmt.Errorf("%s is not a request of the queue, and is left alone", filepath.Join(q.opt.Dir, name)))
			continue
		}
		info, err := f.Info()
		if err != nil {
			return err
		}
		if e.size, e.unsure = onDisk(info.Size()), true; sent {
			e.state = keyOnly
		}
		q.size += e.size
		q.list = append(q.list, e)
	}
	return nil
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

func (q *Queue) path(e *entry) string {
	if e.state == keyOnly {
		return filepath.Join(q.opt.Dir, e.name()+needed)
	}
	return filepath.Join(q.opt.Dir, e.name()+written)
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
func (q *Queue) write(e *entry, text []byte) error {
	path := q.path(e)
	err := create(path+unfinished, text, q.opt.Sync)
	if err == nil {
		err = safefile.RenameFile(path+unfinished, path)
	}
	if err == nil && q.opt.Sync {
		if err = safefile.SyncDir(q.opt.Dir); err != nil {
			_ = safefile.RemoveFile(path)
		}
	}
	if err != nil {
		_ = safefile.RemoveFile(path + unfinished)
	}
	return err
}

// readFile returns the text of a request, under either of its names: it may be acknowledged meanwhile.
func (q *Queue) readFile(e *entry) ([]byte, error) {
	path := filepath.Join(q.opt.Dir, e.name())
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
func (q *Queue) damage(e *entry, err error) error {
	path := filepath.Join(q.opt.Dir, e.name()+written)
	if _, unreadable := errors.AsType[*fs.PathError](err); !unreadable || errors.Is(err, errNoKey) {
		if e := safefile.RenameFile(path, path+damaged); e == nil {
			path += damaged
		}
	}
	return fmt.Errorf("%d samples of the queue cannot be sent: %s: %w", e.samples, path, err)
}

// keep renames a request that has been acknowledged. After an error the next process sends it once more, which does no harm.
func (q *Queue) keep(e *entry) {
	path := q.path(e)
	e.state = keyOnly
	_ = safefile.RenameFile(path, q.path(e))
}

// removeFile removes the file of a request. The names of files that are differences to it are gone from the disk before, since they cannot be
// read without it. It may leave the file: the next process sends it once more, which does no harm.
func (q *Queue) removeFile(e *entry) {
	if e.state == keyOnly && q.opt.Sync && safefile.SyncDir(q.opt.Dir) != nil {
		return
	}
	_ = safefile.RemoveFile(q.path(e))
}
