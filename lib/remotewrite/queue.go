package remotewrite

import (
	"context"
	"errors"
	"hash/crc32"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A Queue keeps requests on disk, each in a file of its own, until the server has acknowledged them,
// and for a while after that: a server that was killed may have lost requests. Several
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
//   - no failure takes an acknowledgement back from a later request, or from an old one;
//   - acknowledged requests make room, others never do.
type Queue struct {
	opt   QueueOptions
	spool *spool
	now   func() time.Time

	mu     sync.Mutex
	list   []*entry // in the order in which they are sent
	next   uint64
	size   int64
	closed bool
	stats  Stats         // but for Waiting, Bytes and Limit
	change chan struct{} // closed and replaced at each change
}

// QueueOptions are the place and the bounds of a queue.
type QueueOptions struct {
	Dir  string        // made if need be; only its owner may read it
	Max  int64         // bytes of all requests
	Keep time.Duration // for which a request is kept after its acknowledgement
	// Sync makes Put return when the request is on the disk: it outlives a loss of power. Without it
	// a request outlives the process only.
	Sync bool
	Warn func(error) // gets reports of strange files in the directory; nil drops them
}

const maxKept = 10_000

// ErrFull is the error of a queue without room.
var ErrFull = errors.New("the queue is full")

type entry struct {
	number  uint64
	samples int
	sum     uint32 // of the file
	size    int64
	state   state
	since   time.Time // of a request that is kept: when the server acknowledged it
	unsure  bool      // of one that waits: the server may have it, from an attempt without an answer or by an earlier process
}

type state byte

const (
	waiting state = iota
	kept
	doubted
)

// OpenQueue opens the queue in a directory. Requests that an earlier process has left come first.
func OpenQueue(opt *QueueOptions) (*Queue, error) {
	q := &Queue{opt: *opt, now: time.Now, change: make(chan struct{})}
	if q.opt.Warn == nil {
		q.opt.Warn = func(error) {}
	}
	var err error
	if q.spool, err = openSpool(opt.Dir, opt.Sync); err != nil {
		return nil, err
	}
	if q.list, err = q.spool.requests(q.opt.Warn); err != nil {
		_ = q.spool.close(false)
		return nil, err
	}
	for _, e := range q.list {
		q.size += e.size
		q.next = e.number + 1
	}
	return q, nil
}

// Stats count samples and attempts since the queue was opened.
type Stats struct {
	Sent, Refused, Damaged int       // samples by their fate, as in a Report
	Lost                   int       // samples without room; the Sender counts them
	Failures               int       // attempts after which the request was to be sent again
	Waiting                int       // samples without an acknowledgement
	Bytes, Limit           int64     // of the files
	Success                time.Time // of the last acknowledgement; zero for none
}

// Stats returns the state of the queue.
func (q *Queue) Stats() Stats {
	waiting := q.Waiting()
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Waiting, s.Bytes, s.Limit = waiting, q.size, q.opt.Max
	return s
}

// Waiting returns the number of samples that the server has not acknowledged.
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

// Put adds a request. The error is ErrFull if there is no room; requests that have been acknowledged
// make room, even if they are to be sent once more.
func (q *Queue) Put(body []byte, samples int) error { return q.put(body, samples, doubted) }

// put adds a request. Kept requests make room, then those in the state may.
func (q *Queue) put(body []byte, samples int, may state) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= maxNumber { // a file in the directory has the last one
		return errors.New("the queue has no numbers left; another directory has")
	}
	e := &entry{number: q.next, samples: samples, sum: crc32.Checksum(body, castagnoli), size: int64(len(body))}
	for {
		err := ErrFull
		if q.size+e.size <= q.opt.Max {
			err = q.spool.write(e, body)
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

func full(err error) bool { return errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) }

func (q *Queue) makeRoom(s state) bool {
	for _, e := range q.list {
		if e.state == s {
			q.remove(e)
			return true
		}
	}
	return false
}

// PutWait is Put, but it waits for room, in the queue or on the disk, as long as requests are left to
// send. A request that is to be sent once more does not make room for it.
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

// Finish ends the queue: Drain returns when all is sent.
func (q *Queue) Finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed()
}

func (q *Queue) changed() {
	close(q.change)
	q.change = make(chan struct{})
}

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

func (q *Queue) forget() {
	for len(q.list) > 0 {
		e := q.list[0]
		if e.state != kept || q.now().Sub(e.since) < q.opt.Keep && len(q.list) <= maxKept {
			return
		}
		q.remove(e)
	}
}

// refuse removes a request that the server refuses.
func (q *Queue) refuse(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stats.Refused += e.samples
	q.remove(e)
}

// leave removes a damaged request, but not its file.
func (q *Queue) leave(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stats.Damaged += e.samples
	q.unlist(e)
}

// failed notes an attempt without success.
func (q *Queue) failed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stats.Failures++
}

func (q *Queue) remove(e *entry) {
	if q.unlist(e) {
		q.spool.remove(e)
	}
}

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

func (q *Queue) acknowledge(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := e.state == waiting
	if q.stats.Success = q.now(); first {
		q.stats.Sent += e.samples
	}
	if !first || q.opt.Keep <= 0 {
		q.remove(e)
		return
	}
	e.state, e.since = kept, q.now()
	q.changed()
}

func (q *Queue) repeated(e *entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.state == doubted
}

// doubt schedules the kept requests once more.
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

// Close removes the files of requests that are kept, and the directory if no request is left.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(q.list) - 1; i >= 0; i-- {
		if e := q.list[i]; e.state == kept {
			q.remove(e)
		}
	}
	return q.spool.close(len(q.list) == 0)
}
