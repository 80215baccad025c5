package trace

import (
	"time"

	"pmtools/lib/internal/tracepdu"
)

// maxPending is how many bytes of reports may wait, some thirty thousand reports.
const maxPending = 1 << 20

// A queue is the reports of the asynchronous mode that are not sent yet.
type queue struct {
	messages []byte
	spare    []byte // memory for the next messages
	last     uint64 // number of the report that came last
	done     uint64 // of the one that was sent or lost last
	running  bool   // a goroutine sends
	lost     error  // why reports were lost since the last Flush
}

// enqueue makes a report wait for the goroutine that sends, and starts it if none runs.
func (c *Client) enqueue(d *tracepdu.Data) error {
	q := &c.queue
	if len(q.messages) > maxPending-tracepdu.MaxLen {
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

// drain sends reports until none wait. It holds the lock but while it connects and writes. What
// waits when the agent is lost is lost too: the program does not pile up reports of the past.
func (c *Client) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.queue
	for len(q.messages) > 0 {
		batch, last := q.messages, q.last
		q.messages, q.spare = q.spare[:0], nil
		if err := c.deliver(batch); err != nil {
			q.messages, q.lost, last = q.messages[:0], err, q.last
		}
		q.spare, q.done = batch, last
		c.sent.Broadcast()
	}
	q.running = false
}

// deliver sends a batch, over a new connection if there is none. It gives up the lock meanwhile.
func (c *Client) deliver(batch []byte) error {
	k := c.conn
	if k == nil {
		c.mu.Unlock()
		fresh, err := c.dial()
		c.mu.Lock()
		if err := c.adopt(fresh, err); err != nil {
			return err
		}
		k = c.conn
		go c.watch(k)
	}
	c.mu.Unlock()
	_ = k.SetWriteDeadline(time.Now().Add(c.opts.RequestTimeout))
	err := c.write(k, batch)
	c.mu.Lock()
	if err != nil {
		return c.lose(k, err)
	}
	return nil
}

// watch waits until the agent hangs up, so that the next report makes another connection.
func (c *Client) watch(k *conn) {
	var err error
	for err == nil {
		_, err = c.readAck(k)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == k {
		c.queue.lost = c.lose(k, err)
	}
}

// Flush waits, in asynchronous mode, until the reports that were made before it are sent. The error
// says why some were lost since the last Flush. What an agent has received and not yet processed when
// it ends is lost without notice.
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
