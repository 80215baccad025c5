package trace

import (
	"encoding/binary"

	"pmtools/lib/trace/internal/tracepdu"
)

// maxPending caps the bytes of reports that wait to be sent, some thirty thousand reports. maxBatch
// caps the bytes that are sent before the agent acknowledges them: the reference's agent reads that
// many at a time, and hangs up if they end within the header of a message.
const (
	maxPending = 1 << 20
	maxBatch   = 1024
)

// A queue holds the reports of the asynchronous mode that are not sent yet.
type queue struct {
	messages []byte
	from     int    // where those in messages begin that are not sent
	last     uint64 // number of the report that came last
	done     uint64 // number of the report that was sent or lost last
	running  bool   // a goroutine sends
	lost     error  // why reports were lost since the last Flush
}

// enqueue queues a report for the goroutine that sends, and starts the goroutine if none runs.
func (c *Client) enqueue(d *tracepdu.Data) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	if len(q.messages)-q.from > maxPending-tracepdu.MaxLen {
		q.lost = ErrOverflow
		return ErrOverflow
	}
	q.messages = d.Append(q.messages, c.pid)
	q.last++
	if !q.running {
		q.running = true
		go c.drain()
	}
	return nil
}

// drain sends reports until none wait. Reports that wait when the agent is lost are lost too: the
// program does not pile up reports of the past.
func (c *Client) drain() {
	var buf [maxBatch]byte
	c.io.Lock()
	defer c.io.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	for q.from < len(q.messages) {
		batch, last, n := q.take(buf[:0])
		c.mu.Unlock() // reports can wait in the queue meanwhile
		err := c.call(batch, last, "")
		c.mu.Lock()
		if q.done += n; err != nil {
			q.lost = err
		}
		if err != nil && c.conn == nil {
			q.messages, q.from, q.done = q.messages[:0], 0, q.last
		}
		c.sent.Broadcast()
	}
	q.running = false
}

// take moves n messages into a batch. The last, whose kind it returns, is to be acknowledged.
func (q *queue) take(batch []byte) (messages []byte, last tracepdu.Kind, n uint64) {
	for {
		begin := len(batch)
		rest := q.messages[q.from:]
		size := int(binary.BigEndian.Uint32(rest))
		batch = append(batch, rest[:size]...)
		q.from += size
		n++
		rest = rest[size:]
		if len(rest) > 0 && len(batch)+int(binary.BigEndian.Uint32(rest)) <= maxBatch {
			continue
		}
		last = tracepdu.SetSync(batch[begin:])
		if len(rest) == 0 {
			q.messages, q.from = q.messages[:0], 0
		} else if q.from > maxPending/2 {
			q.messages, q.from = append(q.messages[:0], rest...), 0
		}
		return batch, last, n
	}
}

// Flush waits, in asynchronous mode, until the agent has taken the reports that were made before
// it. The error says why reports were lost since the last Flush.
func (c *Client) Flush() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	for last := q.last; q.done < last; {
		c.sent.Wait()
	}
	err := q.lost
	q.lost = nil
	return err
}
