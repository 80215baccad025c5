package remotewrite

import (
	"context"
	"time"
)

// SetClock makes a queue read the time from now.
func (q *Queue) SetClock(now func() time.Time) { q.now = now }

// Bytes returns the size of the files.
func (q *Queue) Bytes() int64 { return q.size }

// Post sends a request on a connection of its own.
func (c *Client) Post(ctx context.Context, b *Block) error {
	n := c.conn()
	defer n.close()
	_, err := n.post(ctx, b)
	return err
}

// Block returns the samples as one Block.
func (r *Request) Block() Block { return r.Split(1)[0] }
