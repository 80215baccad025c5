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

// An Error is what went wrong with a connection. Err wraps a pmerr.Code, and the cause if there is
// one; or it is the error of the context that has ended.
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
	until    time.Time // when the time for the current request is over; zero before the first one
	broken   error     // why the connection is of no use any more
	result   pdu.HighResResult

	profile    []byte // the last profile that was sent, as a message
	profileAll bool   // it selects everything
}

// traceFunc is what Dialer.Trace is.
type traceFunc func(direction string, f pdu.Frame)

// connOptions are what a Dialer tells its connections.
type connOptions struct {
	timeout time.Duration // how long a request and all that answers it may take, 0 for any time
	records bool          // each message is written by itself
	trace   traceFunc     // may be nil
}

// newConn returns a connection over nc, before any handshake.
func newConn(nc net.Conn, opt connOptions) *Conn {
	return &Conn{nc: nc, r: pdu.NewReader(nc), opt: opt}
}

// upgrade makes c talk over nc, which wraps its transport, and send each message as a record of its
// own: a daemon does not notice a second message in one.
func (c *Conn) upgrade(nc net.Conn) {
	c.nc, c.r, c.opt.records = nc, pdu.NewReader(nc), true
}

// Close closes the connection. It may be called twice.
func (c *Conn) Close() error {
	if c.broken != nil {
		return nil // then it is closed
	}
	c.broken = net.ErrClosed
	return c.nc.Close()
}

// fail remembers that the connection is broken, closes it, and returns the error for the caller:
// the context's own if that has ended, otherwise with code.
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

// addr returns the other side's address.
func (c *Conn) addr() string {
	if a := c.nc.RemoteAddr(); a != nil {
		return a.String()
	}
	return "?"
}

// usable returns an error if the connection is broken or ctx has ended.
func (c *Conn) usable(ctx context.Context) error {
	if c.broken != nil {
		return &Error{Op: "use", Addr: c.addr(), Err: fmt.Errorf("%w: %v", pmerr.IPC, c.broken), NotSent: true}
	}
	if err := ctx.Err(); err != nil {
		return &Error{Op: "use", Addr: c.addr(), Err: err, NotSent: true}
	}
	return nil
}

// idle returns an error if no request can be begun: a message that nobody waits for would be taken
// for the reply to it.
func (c *Conn) idle(ctx context.Context) error {
	if err := c.usable(ctx); err != nil {
		return err
	}
	if c.r.Started() {
		e := c.fail(ctx, "use", errors.New("a message that nobody asked for"))
		e.NotSent = true
		return e
	}
	c.wind()
	return nil
}

// wind begins the time for a request, or for the next reply of several. It covers all messages of
// the reply: each by itself could be in time for ever.
func (c *Conn) wind() {
	if c.opt.timeout > 0 {
		c.until = time.Now().Add(c.opt.timeout)
	}
}

// watch makes reads and writes fail once ctx has ended, and when the time for the request is over;
// in a handshake each message has its own. The function that it returns ends that.
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
			<-done // or it would end the next call
		}
	}
}

// send sends a message.
func (c *Conn) send(ctx context.Context, m pdu.Message) error {
	if _, err := c.queue(ctx, m); err != nil {
		return err
	}
	return c.flush(ctx)
}

// queue makes a message wait for flush, and returns its size.
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

// keepOut is the most memory for messages that is kept between requests.
const keepOut = 32 << 10

// flush sends what waits.
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
	case !c.r.Ready():
		defer c.watch(ctx)()
	}
	f, err := c.r.Next()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // a reply was expected
		}
		return f, c.fail(ctx, "receive", err)
	}
	if c.opt.trace != nil {
		c.opt.trace("<", f)
	}
	return f, nil
}

// traceSent traces the messages that are about to be sent.
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

// reply returns the next message, decoded into m. An error that the daemon sends instead is
// returned as a pmerr.Code; anything else breaks the connection.
func (c *Conn) reply(ctx context.Context, m pdu.Message) error {
	f, err := c.recv(ctx)
	if err != nil {
		return err
	}
	return c.decode(ctx, f, m)
}

// decode is reply for a message that was received.
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

// call sends a request and returns its reply in m.
func (c *Conn) call(ctx context.Context, req, m pdu.Message) error {
	if err := c.idle(ctx); err != nil {
		return err
	}
	if err := c.send(ctx, req); err != nil {
		return err
	}
	return c.reply(ctx, m)
}

// How many requests, and about how many bytes of requests, may wait for their replies. The daemon
// reads the next one when it has written the reply to the last: requests that fill the buffers of
// both sides while nobody reads replies would wait for ever. More are sent when half of them are
// answered: the daemon always has some, and gets many with one write.
const (
	window      = 512
	windowBytes = 16 << 10
)

// A pipeline is requests that do not wait for each other.
type pipeline struct {
	n    int                                        // requests
	req  func(i int) (request, reply pdu.Message)   // request i, and where its reply goes; nil is no request
	done func(i int, refused error) (botched error) // called when this has happened, or with the daemon's error
}

// asked is a request of a pipeline that was sent.
type asked struct {
	size  int
	reply pdu.Message
	err   error // the request could not be made
}

// A queue is the requests of a pipeline whose turn has come.
type queue struct {
	waiting []asked // a ring
	sent    int     // requests so far
	bytes   int     // of those that wait
	replies int     // that will come
}

// each sends the requests of a pipeline, and tells done of each one in order. What breaks the
// connection ends it early: so does a reply that cannot be right, as done says.
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
			if !c.r.Ready() {
				c.wind()
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

// refill sends further requests if at most half of the window waits from request i on.
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

// ask queues one request of a pipeline. The end of ctx breaks the connection: replies may be under
// way.
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

// differ is what is wrong with a reply that has another number of answers than there were
// questions, nil if nothing is.
func differ(got, want int) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%d answers to %d questions", got, want)
}
