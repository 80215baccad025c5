package remotewrite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Queue keeps requests on disk, each in a file of its own, until they have been sent, and for a
// while after that: a server that was killed may have lost what it had taken. Several goroutines may
// use it, but no two processes.
type Queue struct {
	dir  string
	max  int64
	keep time.Duration

	mu     sync.Mutex
	list   []*entry // in the order in which they are sent
	next   uint64
	size   int64
	closed bool
	change chan struct{} // closed, and made anew, when something has changed
}

// An entry is a request in a queue.
type entry struct {
	number  uint64
	samples int
	size    int64
	sent    time.Time // when the server took it; zero if it has not
	again   bool      // it is sent once more
}

// ErrFull is the error of a queue without room.
var ErrFull = errors.New("the queue is full")

// maxSent bounds how many requests that have been sent are kept.
const maxSent = 10_000

// OpenQueue opens the queue in a directory, which is made if need be. What an earlier process has
// left there is sent first. max is how many bytes it may have; requests are kept for a time after
// they have been sent.
func OpenQueue(dir string, max int64, keep time.Duration) (*Queue, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	q := &Queue{dir: dir, max: max, keep: keep, change: make(chan struct{})}
	files, err := os.ReadDir(dir) // in the order of the names
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		var e entry
		if strings.HasSuffix(f.Name(), unfinished) {
			_ = os.Remove(filepath.Join(dir, f.Name())) // its writer has died
			continue
		}
		if n, err := fmt.Sscanf(f.Name(), fileName, &e.number, &e.samples); n != 2 || err != nil || e.file() != f.Name() || !f.Type().IsRegular() {
			continue // not ours
		}
		info, err := f.Info()
		if err != nil {
			return nil, err
		}
		e.size = info.Size()
		q.list = append(q.list, &e)
		q.size += e.size
		q.next = e.number + 1
	}
	return q, nil
}

const (
	fileName   = "%016x-%d.write"
	unfinished = ".tmp"
)

// file returns the name of an entry's file.
func (e *entry) file() string { return fmt.Sprintf(fileName, e.number, e.samples) }

// Waiting returns how many samples have not been sent.
func (q *Queue) Waiting() (samples int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.list {
		if e.sent.IsZero() {
			samples += e.samples
		}
	}
	return samples
}

// Put adds a request. Without room it is ErrFull; what has been sent makes room.
func (q *Queue) Put(body []byte, samples int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := &entry{number: q.next, samples: samples, size: int64(len(body))}
	for q.size+e.size > q.max && len(q.list) > 0 && !q.list[0].sent.IsZero() && !q.list[0].again {
		q.drop(q.list[0])
	}
	if q.size+e.size > q.max {
		return ErrFull
	}
	path := filepath.Join(q.dir, e.file())
	err := os.WriteFile(path+unfinished, body, 0o600)
	if err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err != nil {
		_ = os.Remove(path + unfinished)
		return err
	}
	q.next++
	q.size += e.size
	q.list = append(q.list, e)
	q.changed()
	return nil
}

// PutWait is Put that waits for room.
func (q *Queue) PutWait(ctx context.Context, body []byte, samples int) error {
	for {
		q.mu.Lock()
		change, empty := q.change, len(q.list) == 0
		q.mu.Unlock()
		if err := q.Put(body, samples); !errors.Is(err, ErrFull) || empty {
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
			if e.sent.IsZero() || e.again {
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

// forget removes what was sent so long ago that the server has it for good.
func (q *Queue) forget() {
	for len(q.list) > 0 {
		e := q.list[0]
		if e.sent.IsZero() || e.again || time.Since(e.sent) < q.keep && len(q.list) <= maxSent {
			return
		}
		q.drop(e)
	}
}

// drop removes an entry.
func (q *Queue) drop(e *entry) {
	for i := range q.list {
		if q.list[i] == e {
			q.list = append(q.list[:i], q.list[i+1:]...)
			q.size -= e.size
			// A file that stays is sent once more by the next process, which does no harm.
			_ = os.Remove(filepath.Join(q.dir, e.file()))
			q.changed()
			return
		}
	}
}

// done notes that the server has taken a request, or refused it for good.
func (q *Queue) done(e *entry, taken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.again = false; !taken || q.keep <= 0 {
		q.drop(e)
		return
	}
	e.sent = time.Now()
	q.changed()
}

// resend makes what was sent not long ago be sent once more.
func (q *Queue) resend() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forget()
	for _, e := range q.list {
		e.again = !e.sent.IsZero()
	}
}

// read returns the request of an entry.
func (q *Queue) read(e *entry) ([]byte, error) { return os.ReadFile(filepath.Join(q.dir, e.file())) }

// Close removes the files of what has been sent, and the directory if all has been.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(q.list) - 1; i >= 0; i-- {
		if e := q.list[i]; !e.sent.IsZero() {
			q.drop(e)
		}
	}
	if len(q.list) == 0 {
		_ = os.Remove(q.dir) // unless there are files of others
	}
	return nil
}
