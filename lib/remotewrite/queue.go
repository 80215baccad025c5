package remotewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A Queue keeps requests on disk, each in a file of its own, until the server has acknowledged them,
// and for a while after that: a server that was killed may have lost requests. Several
// goroutines may use it; the directory is locked against other processes.
//
//	         acknowledged            connection lost            acknowledged
//	waiting ──────────────▶ kept ──────────────────────▶ doubted ──────────────▶ gone
//
// A request that is refused or damaged goes, and so does one that has been kept for long enough. Requests of one batch may be sent at
// the same time, a batch only after the one before. So
//
//   - each request counts as sent once, at its first acknowledgement;
//   - one that is acknowledged is sent once more at most, however often connections are lost, and not
//     at all if none is lost: n requests and f failures make at most 2n+f attempts;
//   - no failure takes an acknowledgement back from a later request, or from an old one;
//   - acknowledged requests make room, others never do;
//   - samples of a series keep their order, since each request of a batch has other series.
//
// A live request is stored as the difference to an earlier one, its key, whose file stays as long as others need it.
type Queue struct {
	opt  QueueOptions
	lock *os.File // of the directory
	now  func() time.Time

	zip   *zstd.Encoder
	unzip *zstd.Decoder
	uses  int // maxUses, but in tests

	mu     sync.Mutex
	keys   map[int]*liveKey  // by the slots of live requests
	read   map[uint64]*Block // keys that have been read
	list   []*entry          // in the order of their numbers, in which they are sent
	next   uint64
	size   int64
	closed bool
	fate   Report        // Sent, Refused and Damaged
	change chan struct{} // closed and replaced at each change
}

// QueueOptions are the place and the bounds of a queue.
type QueueOptions struct {
	Dir  string        // made if need be; only its owner may read it
	Max  int64         // bytes that all requests may take of the disk, in blocks of 4096
	Keep time.Duration // for which a request is kept after its acknowledgement
	// Sync makes Put return when the request is on the disk: it outlives a loss of power. Without it
	// a request outlives the process only.
	Sync bool
	Warn func(error) // gets reports of strange files in the directory; nil drops them
}

const (
	maxUses = 63       // of a key: so many files are lost with it if it is damaged
	maxRead = 32       // keys in memory
	maxBody = 64 << 20 // of a request, without compression
)

// ErrFull is the error of a queue without room.
var ErrFull = errors.New("the queue is full")

type entry struct {
	number  uint64
	batch   uint64 // the number of the first request of its batch
	key     uint64 // the number of the request to which it is the difference, or its own
	samples int
	sum     uint32 // of the file
	size    int64  // that it takes of the disk
	state   state
	since   time.Time // of a request that is kept: when the server acknowledged it
	busy    bool      // it is being sent
	unsure  bool      // of one that waits: the server may have it, from an attempt without an answer or by an earlier process
}

type state byte

const (
	waiting state = iota
	kept
	doubted
	keyOnly // acknowledged, but others are differences to it
)

// OpenQueue opens the queue in a directory. Requests that an earlier process has left come first.
func OpenQueue(opt *QueueOptions) (*Queue, error) {
	q := &Queue{opt: *opt, now: time.Now, uses: maxUses, keys: make(map[int]*liveKey), read: make(map[uint64]*Block), change: make(chan struct{})}
	if q.opt.Warn == nil {
		q.opt.Warn = func(error) {}
	}
	var err error
	if q.zip, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)); err != nil {
		return nil, err
	}
	if q.unzip, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(parallel), zstd.WithDecoderMaxMemory(maxBody)); err != nil {
		return nil, err
	}
	if err := q.openDir(); err != nil {
		return nil, err
	}
	q.releaseAll()
	return q, nil
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
func (q *Queue) Put(b *Block) error { return q.put(b, doubted) }

// put adds a request. Kept requests make room, then those in the state may.
func (q *Queue) put(b *Block, may state) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= maxNumber { // a file in the directory has the last one
		return errors.New("the queue has no numbers left; another directory has")
	}
	text, key := q.pack(b)
	e := &entry{number: q.next, batch: q.next, key: key, samples: b.Samples, sum: crc32.Checksum(text, castagnoli), size: onDisk(int64(len(text)))}
	if last := len(q.list) - 1; b.Part > 0 && last >= 0 && q.list[last].number == q.next-1 {
		e.batch = q.list[last].batch // if it is not there any more, the batch before is not either
	}
	for {
		err := ErrFull
		if q.size+e.size <= q.opt.Max {
			err = q.write(e, text)
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
	q.packed(b, e)
	q.changed()
	return nil
}

// onDisk returns what a file takes of the disk: whole blocks, since a live request may be much smaller than one.
func onDisk(size int64) int64 { return (size + diskBlock - 1) &^ (diskBlock - 1) }

const diskBlock = 4096

// find returns the request of a number, or nil.
func (q *Queue) find(number uint64) *entry {
	i, ok := slices.BinarySearchFunc(q.list, number, func(e *entry, n uint64) int { return cmp.Compare(e.number, n) })
	if !ok {
		return nil
	}
	return q.list[i]
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
func (q *Queue) PutWait(ctx context.Context, b *Block) error {
	for {
		q.mu.Lock()
		change, empty := q.change, !slices.ContainsFunc(q.list, func(e *entry) bool { return e.state != keyOnly })
		q.mu.Unlock()
		if err := q.put(b, kept); !full(err) || empty {
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

// take returns a request that a lane may send: of the first batch that is not done, one with its parts. The lane then calls
// acknowledge, refuse, leave or failed.
func (q *Queue) take(ctx context.Context, lane int) (*entry, error) {
	for {
		q.mu.Lock()
		q.forget()
		e, done := q.ready(lane)
		if e != nil {
			e.busy = true
		}
		change, closed := q.change, q.closed
		q.mu.Unlock()
		if e != nil || done && closed {
			return e, nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// ready returns a request for a lane; done means that there is none for any lane.
func (q *Queue) ready(lane int) (e *entry, done bool) {
	var batch uint64
	done = true
	for _, e := range q.list {
		switch {
		case e.state == kept || e.state == keyOnly:
			continue
		case done:
			batch, done = e.batch, false
		case e.batch != batch:
			return nil, false
		}
		if !e.busy && int(e.number-e.batch)%parallel == lane {
			return e, false
		}
	}
	return nil, done
}

func (q *Queue) forget() {
	for i := 0; i < len(q.list); {
		switch e := q.list[i]; {
		case e.state == keyOnly:
			i++
		case e.state != kept || q.now().Sub(e.since) < q.opt.Keep:
			return
		default:
			q.remove(e)
		}
	}
}

// refuse removes a request of which the server refuses all samples but some.
func (q *Queue) refuse(e *entry, written int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fate.Sent += written
	q.fate.Refused += e.samples - written
	q.remove(e)
}

// leave removes a damaged request, but not its file.
func (q *Queue) leave(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fate.Damaged += e.samples
	maps.DeleteFunc(q.keys, func(_ int, k *liveKey) bool { return k.number == e.number })
	q.drop(e)
}

// load returns the samples of a request. A damaged one is renamed.
func (q *Queue) load(e *entry) (*Block, error) {
	b, err := q.block(e)
	if err != nil {
		return nil, q.damage(e, err)
	}
	return b, nil
}

func (q *Queue) block(e *entry) (*Block, error) {
	text, err := q.readFile(e)
	if err != nil {
		return nil, err
	}
	var key *Block
	if e.key != e.number {
		if key, err = q.loadKey(e.key); err != nil {
			return nil, fmt.Errorf("it is stored as the difference to another file: %w", err)
		}
	}
	if text, err = q.unzip.DecodeAll(text, nil); err != nil {
		return nil, err
	}
	return decode(text, key)
}

// failed notes an attempt without success.
func (q *Queue) failed(e *entry, unsure bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.busy, e.unsure = false, e.unsure || unsure
	q.changed()
}

// remove removes a request. Its file stays if others are differences to it.
func (q *Queue) remove(e *entry) {
	if e.key == e.number && q.isKey(e.number) {
		q.keep(e)
		q.changed()
		return
	}
	q.removeFile(e)
	q.drop(e)
}

// drop removes a request, but not its file.
func (q *Queue) drop(e *entry) {
	if i := slices.Index(q.list, e); i >= 0 {
		q.list = slices.Delete(q.list, i, i+1)
		q.size -= e.size
		q.changed()
		q.release(e.key)
	}
}

func (q *Queue) acknowledge(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := e.state == waiting
	e.busy = false
	if first {
		q.fate.Sent += e.samples
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

// Close removes the files of requests that are kept. The directory stays.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range slices.Clone(q.list) {
		if e.state == kept {
			q.remove(e)
		}
	}
	clear(q.keys)
	q.releaseAll()
	return q.lock.Close()
}
