package pmda

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Queue keeps events until each client that reads the queue has read them. If the queue is full,
// the oldest events are dropped, and clients learn how many events they missed.
//
// A client reads a queue from its first Read on; End forgets it. A Queue may not be shared by
// goroutines.
type Queue struct {
	max     int
	first   uint64 // the number of the first event in events
	events  []queued
	readers map[*Client]*queueReader
	stats   QueueStats
}

type queued struct {
	at   pcp.Timestamp
	data []byte
}

type queueReader struct {
	next   uint64 // the number of the next event
	missed int
}

// QueueStats are numbers about a Queue.
type QueueStats struct {
	Count   uint64 // of events ever
	Bytes   uint64 // of events ever
	Memory  int    // bytes of the events that are kept
	Clients int    // that read
}

// NewQueue returns a Queue for events of at most max bytes together; max that is not positive is
// pmerr.EINVAL.
func NewQueue(max int) (*Queue, error) {
	if max <= 0 {
		return nil, pmerr.EINVAL
	}
	return &Queue{max: max, readers: map[*Client]*queueReader{}}, nil
}

// Append adds an event, which it copies. If no client reads, or the event is larger than the whole
// Queue may be, it is only counted; in the latter case all miss it.
func (q *Queue) Append(at pcp.Timestamp, data []byte) {
	q.stats.Count++
	q.stats.Bytes += uint64(len(data))
	switch {
	case len(q.readers) == 0:
		return
	case len(data) > q.max:
		for _, r := range q.readers {
			r.missed++
		}
		return
	}
	for q.stats.Memory+len(data) > q.max {
		for _, r := range q.readers {
			if r.next == q.first {
				r.missed++
				r.next++
			}
		}
		q.drop(1)
	}
	q.stats.Memory += len(data)
	q.events = append(q.events, queued{at, append([]byte{}, data...)})
}

func (q *Queue) drop(n int) {
	for i := range q.events[:n] {
		q.stats.Memory -= len(q.events[i].data)
		q.events[i].data = nil
	}
	q.events = q.events[n:]
	q.first += uint64(n)
}

// Read calls f for each event that the client has not read, the oldest first, and returns how many
// were dropped before the client could read them, which happened before the first of these. The
// first Read of a client finds nothing.
func (q *Queue) Read(c *Client, f func(at pcp.Timestamp, data []byte)) (missed int) {
	r := q.readers[c]
	if r == nil {
		r = &queueReader{next: q.first + uint64(len(q.events))}
		q.readers[c] = r
	}
	for _, e := range q.events[r.next-q.first:] {
		f(e.at, e.data)
	}
	missed, r.missed = r.missed, 0
	r.next = q.first + uint64(len(q.events))
	q.release()
	return missed
}

// release removes the events that all clients have read.
func (q *Queue) release() {
	keep := q.first + uint64(len(q.events))
	for _, r := range q.readers {
		keep = min(keep, r.next)
	}
	q.drop(int(keep - q.first))
}

// End forgets a client. ClientWatcher.EndClient is the place to call it.
func (q *Queue) End(c *Client) {
	delete(q.readers, c)
	q.release()
}

// Stats returns numbers about the Queue.
func (q *Queue) Stats() QueueStats {
	s := q.stats
	s.Clients = len(q.readers)
	return s
}
