package pmcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// An Error is the failure of a connection. Err wraps a pmerr.Code, and the cause if there is one;
// or it is the error of the context that has ended.
type Error struct {
	Op      string // "dial", "handshake", "use", "send", "receive"
	Addr    string
	Err     error
	NotSent bool // the daemon has not seen any of the request
}

// Error returns operation, address and cause.
func (e *Error) Error() string { return fmt.Sprintf("pmcd: %s %s: %v", e.Op, e.Addr, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A Conn is a connection to a daemon. It may not be shared by goroutines.
type Conn struct {
	nc       net.Conn
	r        *pdu.Reader
	opt      connOptions
	features feature
	out      []byte    // messages that wait to be sent, and memory for them
	until    time.Time // end of the time for the current request; zero before the first one
	broken   error     // the error that broke the connection
	result   pdu.HighResResult

	profile    []byte // the last profile that was sent, as a message
	profileAll bool   // the last profile selects everything
}

type traceFunc func(direction string, f pdu.Frame)

type connOptions struct {
	timeout time.Duration // limit for a request with all messages of its reply, 0 for none
	records bool          // each message is one write
	trace   traceFunc     // may be nil
}

func newConn(nc net.Conn, opt connOptions) *Conn {
	return &Conn{nc: nc, r: pdu.NewReader(nc), opt: opt}
}

// upgrade makes c talk over nc, which wraps its transport, and send each message as a record of its own:
// pmcd overlooks a second message in a record.
func (c *Conn) upgrade(nc net.Conn) {
	c.nc, c.r, c.opt.records = nc, pdu.NewReader(nc), true
}

// Close closes the connection. It may be called twice.
func (c *Conn) Close() error {
	if c.broken != nil {
		return nil // fail has closed the connection
	}
	c.broken = net.ErrClosed
	return c.nc.Close()
}

// Err returns the error that broke the connection, or nil while it is usable.
func (c *Conn) Err() error { return c.broken }

// fail closes the connection for good, and returns the context's error if that has ended, otherwise err
// with a code.
func (c *Conn) fail(ctx context.Context, op string, err error) *Error {
	code := pmerr.IPC
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
		code = 0
	case errors.Is(err, os.ErrDeadlineExceeded):
		code = pmerr.Timeout
	}
	if code != 0 {
		err = fmt.Errorf("%w: %w", code, err)
	}
	c.broken = err
	c.nc.Close()
	return &Error{Op: op, Addr: c.addr(), Err: err}
}

func (c *Conn) addr() string {
	if a := c.nc.RemoteAddr(); a != nil {
		return a.String()
	}
	return "?"
}

func (c *Conn) usable(ctx context.Context) error {
	if c.broken != nil {
		return &Error{Op: "use", Addr: c.addr(), Err: fmt.Errorf("%w: %v", pmerr.IPC, c.broken), NotSent: true}
	}
	if err := ctx.Err(); err != nil {
		return &Error{Op: "use", Addr: c.addr(), Err: err, NotSent: true}
	}
	return nil
}

// idle returns an error unless a request can begin: an unrequested message would be taken for its reply.
func (c *Conn) idle(ctx context.Context) error {
	if err := c.usable(ctx); err != nil {
		return err
	}
	if c.r.Started() {
		e := c.fail(ctx, "use", errors.New("a message that nobody asked for"))
		e.NotSent = true
		return e
	}
	c.restart()
	return nil
}

// restart starts the time-out of a request, or of the next reply of several. It covers all messages of a
// reply: with one for each message, pmcd could send notices for ever.
func (c *Conn) restart() {
	if c.opt.timeout > 0 {
		c.until = time.Now().Add(c.opt.timeout)
	}
}

// watch makes reads and writes fail when ctx ends or the time of the request is over; each message of a
// handshake has its own time-out. stop ends the watch.
func (c *Conn) watch(ctx context.Context) (stop func()) {
	deadline := c.until
	if deadline.IsZero() && c.opt.timeout > 0 {
		deadline = time.Now().Add(c.opt.timeout)
	}
	c.nc.SetDeadline(deadline)
	if ctx.Done() == nil {
		return func() {}
	}
	nc, done := c.nc, make(chan struct{})
	ended := context.AfterFunc(ctx, func() {
		nc.SetDeadline(time.Unix(1, 0))
		close(done)
	})
	return func() {
		if !ended() {
			<-done // a late SetDeadline would end the next call
		}
	}
}

func (c *Conn) send(ctx context.Context, m pdu.Message) error {
	if _, err := c.queue(ctx, m); err != nil {
		return err
	}
	return c.flush(ctx)
}

func (c *Conn) queue(ctx context.Context, m pdu.Message) (size int, err error) {
	if err := c.usable(ctx); err != nil {
		return 0, err
	}
	before := len(c.out)
	c.out, err = m.Encode(c.out)
	size = len(c.out) - before
	if err == nil && c.opt.records {
		err = c.flush(ctx)
	}
	return size, err
}

const keepOut = 32 << 10

func (c *Conn) flush(ctx context.Context) error {
	defer func() {
		if c.out = c.out[:0]; cap(c.out) > keepOut {
			c.out = nil
		}
	}()
	if len(c.out) == 0 {
		return nil
	}
	c.traceSent()
	defer c.watch(ctx)()
	if n, err := c.nc.Write(c.out); err != nil {
		e := c.fail(ctx, "send", err)
		e.NotSent = n == 0
		return e
	}
	return nil
}

// recv returns the next message. Its body is valid until the next call.
func (c *Conn) recv(ctx context.Context) (pdu.Frame, error) {
	switch {
	case c.broken != nil:
		return pdu.Frame{}, c.usable(ctx)
	case ctx.Err() != nil:
		return pdu.Frame{}, c.fail(ctx, "receive", ctx.Err())
	case !c.r.Ready(): // a message in the buffer needs no deadline, which costs system calls
		defer c.watch(ctx)()
	}
	f, err := c.r.Next()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // a daemon that hangs up owes a reply
		}
		return f, c.fail(ctx, "receive", err)
	}
	if c.opt.trace != nil {
		c.opt.trace("<", f)
	}
	return f, nil
}

func (c *Conn) traceSent() {
	if c.opt.trace == nil {
		return
	}
	for r := pdu.NewReader(bytes.NewReader(c.out)); ; {
		f, err := r.Next()
		if err != nil {
			return
		}
		c.opt.trace(">", f)
	}
}

// reply decodes the next message into m. An error that pmcd sends instead is returned as a pmerr.Code; any
// other message breaks the connection.
func (c *Conn) reply(ctx context.Context, m pdu.Message) error {
	f, err := c.recv(ctx)
	if err != nil {
		return err
	}
	return c.decode(ctx, f, m)
}

func (c *Conn) decode(ctx context.Context, f pdu.Frame, m pdu.Message) error {
	if f.Type == m.Type() {
		if err := m.Decode(f.Body); err != nil {
			return c.fail(ctx, "receive", err)
		}
		return nil
	}
	if f.Type != pdu.TypeError {
		return c.fail(ctx, "receive", fmt.Errorf("%v where %v was expected", f.Type, m.Type()))
	}
	var refusal pdu.Error
	if err := refusal.Decode(f.Body); err != nil {
		return c.fail(ctx, "receive", err)
	}
	if refusal.Code >= 0 {
		return c.fail(ctx, "receive", fmt.Errorf("status %d where %v was expected", int32(refusal.Code), m.Type()))
	}
	return refusal.Code
}

func (c *Conn) call(ctx context.Context, req, m pdu.Message) error {
	if err := c.idle(ctx); err != nil {
		return err
	}
	if err := c.send(ctx, req); err != nil {
		return err
	}
	return c.reply(ctx, m)
}

// The limits of requests, and of their bytes, that wait for replies. pmcd reads a request after it has
// written the reply to the one before. If requests filled the buffers of both sides while we read no
// replies, both sides would wait for ever. More requests are sent when half of them are answered: pmcd
// always has some, and gets many with one write.
const (
	window      = 512
	windowBytes = 16 << 10
)

// A pipeline is a list of requests that do not wait for each other's replies.
type pipeline struct {
	n    int                                        // requests
	req  func(i int) (request, reply pdu.Message)   // request i, and the message that gets its reply; a nil request is skipped
	done func(i int, refused error) (botched error) // called after reply i, with the daemon's error if it refused
}

type asked struct {
	size  int
	reply pdu.Message
	err   error // the request could not be made
}

type queue struct {
	waiting []asked // a ring of requests
	sent    int     // number of requests sent
	bytes   int     // bytes of the requests without a reply
	replies int     // replies under way
}

// each sends the requests of a pipeline and calls done for each reply in order. An error that breaks the
// connection ends the pipeline; an error of done, for an impossible reply, breaks the connection.
func (c *Conn) each(ctx context.Context, p *pipeline) error {
	if p.n == 0 {
		return c.usable(ctx)
	}
	if err := c.idle(ctx); err != nil {
		return err
	}
	q := &queue{waiting: make([]asked, min(p.n, window))}
	for i := range p.n {
		if err := c.refill(ctx, p, q, i); err != nil {
			return err
		}
		w := &q.waiting[i%len(q.waiting)]
		err := w.err
		if err == nil && w.reply != nil {
			// The time-out covers waiting: it starts anew when a reply is not in the buffer yet.
			if !c.r.Ready() {
				c.restart()
				c.gather(q.replies)
			}
			err = c.reply(ctx, w.reply)
			q.replies--
		}
		if c.broken != nil {
			return err
		}
		q.bytes -= w.size
		if err := p.done(i, err); err != nil {
			return c.fail(ctx, "receive", err)
		}
	}
	return nil
}

func (c *Conn) refill(ctx context.Context, p *pipeline, q *queue, i int) error {
	if q.sent-i > window/2 || q.bytes > windowBytes/2 {
		return nil
	}
	for ; q.sent < p.n && q.sent < i+window && q.bytes < windowBytes; q.sent++ {
		w := &q.waiting[q.sent%len(q.waiting)]
		if *w = c.ask(ctx, p, q.sent); c.broken != nil {
			return w.err
		}
		if q.bytes += w.size; w.err == nil && w.reply != nil {
			q.replies++
		}
	}
	return c.flush(ctx)
}

// ask queues a request of a pipeline. The end of ctx breaks the connection: earlier replies may be under way.
func (c *Conn) ask(ctx context.Context, p *pipeline, i int) asked {
	m, reply := p.req(i)
	if m == nil {
		return asked{}
	}
	size, err := c.queue(ctx, m)
	if err != nil && c.broken == nil && ctx.Err() != nil {
		err = c.fail(ctx, "send", err)
	}
	return asked{size, reply, err}
}

func differ(got, want int) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%d answers to %d questions", got, want)
}
