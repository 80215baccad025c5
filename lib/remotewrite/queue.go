package remotewrite

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"pmtools/lib/safefile"
)

// A Queue keeps requests on disk, each in a file of its own, until the server has acknowledged them,
// and for a while after that: a server that was killed may have lost what it had taken. Several
// goroutines may use it; the directory is locked against other processes.
//
//	         acknowledged            connection lost            acknowledged
//	waiting ──────────────▶ kept ──────────────────────▶ doubted ──────────────▶ gone
//
// A request that is refused or damaged goes, and so does one that has been kept for long enough. So
//
//   - each request counts as sent once, at its first acknowledgement;
//   - one that is acknowledged is sent once more at most, however often connections are lost, and not
//     at all if none is lost: n requests and f failures make at most 2n+f attempts;
//   - no failure takes an acknowledgement back from what was sent after it, or from what is old;
//   - room is made by copies of what has been acknowledged, never by what has not.
type Queue struct {
	opt  QueueOptions
	lock *os.File
	now  func() time.Time

	mu     sync.Mutex
	list   []*entry // in the order in which they are sent
	next   uint64
	size   int64
	closed bool
	change chan struct{} // closed, and made anew, when something has changed
}

// QueueOptions say where a queue is, and what it may take.
type QueueOptions struct {
	Dir  string        // made if need be; only its owner may read it
	Max  int64         // how many bytes it may have
	Keep time.Duration // how long requests are kept after they have been acknowledged
	// Sync makes Put return when the request is on the disk: it outlives a loss of power. Without it
	// a request outlives the process only.
	Sync bool
	Warn func(error) // gets what is wrong with files in the directory, which are left alone; nil drops it
}

// An entry is a request in a queue.
type entry struct {
	number  uint64
	samples int
	sum     uint32 // of the file
	size    int64
	state   state
	since   time.Time // of a request that is kept: when the server acknowledged it
	unsure  bool      // of one that waits: the server may have it, from an attempt without an answer or by an earlier process
}

// A state is that of a request, as described at Queue.
type state byte

const (
	waiting state = iota
	kept
	doubted
)

var (
	// ErrFull is the error of a queue without room.
	ErrFull = errors.New("the queue is full")
	// ErrLocked is the error of a queue that another process uses.
	ErrLocked = errors.New("the queue is in use by another process")
	// errDamaged is the error of a file that is not as it was written.
	errDamaged = errors.New("not as it was written")
)

// Bounds of a queue.
const (
	maxKept    = 10_000   // requests that are kept though they have been acknowledged
	maxFile    = 64 << 20 // bytes of a request
	maxSamples = 1 << 24  // samples of a request
	maxNumber  = 1 << 60  // a request's number is below it
)

// OpenQueue opens the queue in a directory. What an earlier process has left there is sent first.
func OpenQueue(opt *QueueOptions) (*Queue, error) {
	lock, err := lockDir(opt.Dir)
	if err != nil {
		return nil, err
	}
	q := &Queue{opt: *opt, lock: lock, now: time.Now, change: make(chan struct{})}
	files, err := os.ReadDir(q.opt.Dir) // in the order of the names
	for _, f := range files {
		if err == nil {
			err = q.take(f)
		}
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return q, nil
}

// lockDir makes a directory and locks it.
func lockDir(dir string) (*os.File, error) {
	for {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		f, err := lock(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its last user has just removed it
		} else if err != nil {
			return nil, err
		}
		if current(f, dir) {
			return f, nil
		}
		f.Close()
	}
}

// take takes a file that an earlier process has left.
func (q *Queue) take(f fs.DirEntry) error {
	var e entry
	name := f.Name()
	switch {
	case strings.HasSuffix(name, unfinished):
		return os.Remove(filepath.Join(q.opt.Dir, name)) // its writer has died
	case !strings.HasSuffix(name, written):
		return nil
	}
	n, err := fmt.Sscanf(name, fileName, &e.number, &e.samples, &e.sum)
	if n != 3 || err != nil || e.file() != name || !f.Type().IsRegular() || e.number >= maxNumber || e.samples < 1 || e.samples > maxSamples {
		q.warn(fmt.Errorf("%s is no request of the queue, and is left alone", filepath.Join(q.opt.Dir, name)))
		return nil
	}
	info, err := f.Info()
	if err != nil {
		return err
	}
	e.size, e.unsure = info.Size(), true
	q.list = append(q.list, &e)
	q.size += e.size
	q.next = e.number + 1
	return nil
}

// warn says what is wrong with a file.
func (q *Queue) warn(err error) {
	if q.opt.Warn != nil {
		q.opt.Warn(err)
	}
}

// The name of a request has its number, how many samples it has, and the checksum of the file.
const (
	fileName   = "%016x-%d-%08x" + written
	written    = ".write"
	unfinished = ".tmp"
	damaged    = ".damaged"
)

// file returns the name of an entry's file.
func (e *entry) file() string { return fmt.Sprintf(fileName, e.number, e.samples, e.sum) }

// path returns the name of an entry's file with its directory.
func (q *Queue) path(e *entry) string { return filepath.Join(q.opt.Dir, e.file()) }

// Waiting returns how many samples have not been sent.
func (q *Queue) Waiting() (samples int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.list {
		if e.state == waiting {
			samples += e.samples
		}
	}
	return samples
}

// Put adds a request. Without room it is ErrFull; what has been acknowledged makes room, also if it
// was to be sent once more.
func (q *Queue) Put(body []byte, samples int) error { return q.put(body, samples, doubted) }

// put adds a request. Those that are kept make room, and then those in a state that may.
func (q *Queue) put(body []byte, samples int, may state) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= maxNumber { // an earlier process, or somebody else, has left a file with the last one
		return errors.New("the queue has no numbers left; another directory has")
	}
	e := &entry{number: q.next, samples: samples, sum: crc32.Checksum(body, castagnoli), size: int64(len(body))}
	for {
		err := ErrFull
		if q.size+e.size <= q.opt.Max {
			err = q.write(q.path(e), body)
		}
		if err == nil {
			break
		}
		if !full(err) || !q.makeRoom(kept) && !q.makeRoom(may) {
			return err
		}
	}
	q.next++
	q.size += e.size
	q.list = append(q.list, e)
	q.changed()
	return nil
}

// full reports whether there is no room for a request: in the queue, or on the disk.
func full(err error) bool { return errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) }

// makeRoom removes the oldest request of a state, and reports whether there was one.
func (q *Queue) makeRoom(s state) bool {
	for _, e := range q.list {
		if e.state == s {
			q.remove(e)
			return true
		}
	}
	return false
}

// write writes a file under its name at once.
func (q *Queue) write(path string, body []byte) error {
	f, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err == nil && q.opt.Sync {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err != nil {
		_ = os.Remove(path + unfinished)
		return err
	}
	if q.opt.Sync {
		return syncDir(q.lock)
	}
	return nil
}

// PutWait is Put that waits for room, in the queue or on the disk, as long as something is sent. It
// does so too rather than that a request which is to be sent once more makes room.
func (q *Queue) PutWait(ctx context.Context, body []byte, samples int) error {
	for {
		q.mu.Lock()
		change, empty := q.change, len(q.list) == 0
		q.mu.Unlock()
		if err := q.put(body, samples, kept); !full(err) || empty {
			return err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Finish says that nothing is put any more: Drain ends when all has been sent.
func (q *Queue) Finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed()
}

// changed wakes those that wait.
func (q *Queue) changed() {
	close(q.change)
	q.change = make(chan struct{})
}

// first returns the next request to send, or nil at the end.
func (q *Queue) first(ctx context.Context) (*entry, error) {
	for {
		q.mu.Lock()
		q.forget()
		for _, e := range q.list {
			if e.state != kept {
				q.mu.Unlock()
				return e, nil
			}
		}
		change, closed := q.change, q.closed
		q.mu.Unlock()
		if closed {
			return nil, nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// forget removes what was acknowledged so long ago that the server has it for good.
func (q *Queue) forget() {
	for len(q.list) > 0 {
		e := q.list[0]
		if e.state != kept || q.now().Sub(e.since) < q.opt.Keep && len(q.list) <= maxKept {
			return
		}
		q.remove(e)
	}
}

// drop removes a request with its file.
func (q *Queue) drop(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remove(e)
}

// leave removes a request, but not its file.
func (q *Queue) leave(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unlist(e)
}

// remove removes a request if it is still there.
func (q *Queue) remove(e *entry) {
	if q.unlist(e) {
		// A file that stays is sent once more by the next process, which does no harm.
		_ = os.Remove(q.path(e))
	}
}

// unlist takes a request from the list, and reports whether it was there.
func (q *Queue) unlist(e *entry) bool {
	i := slices.Index(q.list, e)
	if i < 0 {
		return false
	}
	q.list = slices.Delete(q.list, i, i+1)
	q.size -= e.size
	q.changed()
	return true
}

// acknowledge notes that the server has taken a request, and reports whether that is the first time.
func (q *Queue) acknowledge(e *entry) (first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first = e.state == waiting
	if !first || q.opt.Keep <= 0 {
		q.remove(e)
		return first
	}
	e.state, e.since = kept, q.now()
	q.changed()
	return true
}

// repeated reports whether a request is sent once more after it has been acknowledged.
func (q *Queue) repeated(e *entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.state == doubted
}

// doubt makes what was acknowledged not long ago be sent once more.
func (q *Queue) doubt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forget()
	for _, e := range q.list {
		if e.state == kept && q.now().Sub(e.since) < q.opt.Keep {
			e.state = doubted
		}
	}
}

// read returns the request of an entry. A file that is damaged is errDamaged, and stays under
// another name; one that cannot be read stays as it is, for the next process.
func (q *Queue) read(e *entry) ([]byte, error) {
	path := q.path(e)
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

// Close removes the files of what has been acknowledged, unless it is to be sent once more, and the
// directory if nothing is left.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(q.list) - 1; i >= 0; i-- {
		if e := q.list[i]; e.state == kept {
			q.remove(e)
		}
	}
	if len(q.list) == 0 {
		return release(q.lock, q.opt.Dir) // the directory stays if there are files of others
	}
	return q.lock.Close()
}

// castagnoli is the polynomial of the checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)
