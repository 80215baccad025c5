package pmcd

import (
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

// An Error is what went wrong with a connection. Err wraps a pmerr.Code, and the
// cause if there is one.
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
	features Feature
	out      []byte // messages that wait to be sent, and memory for them
	broken   error  // why the connection is of no use any more
	result   pdu.HighResResult

	profile    []byte // the last profile that was sent, as a message
	profileAll bool   // it selects everything
}

// connOptions are what a Dialer tells its connections.
type connOptions struct {
	timeout time.Duration // how long a reply may take, 0 for any time
	records bool          // each message is written by itself
}

// newConn returns a connection over nc, before any handshake.
func newConn(nc net.Conn, opt connOptions) *Conn {
	return &Conn{nc: nc, r: pdu.NewReader(nc), opt: opt}
}

// upgrade makes c talk over nc, which wraps its transport, and send each message
// as a record of its own: a daemon does not notice a second message in one.
func (c *Conn) upgrade(nc net.Conn) {
	c.nc, c.r, c.opt.records = nc, pdu.NewReader(nc), true
}

// Close closes the connection. It may be called twice.
func (c *Conn) Close() error {
	if errors.Is(c.broken, net.ErrClosed) {
		return nil
	}
	c.broken = net.ErrClosed
	return c.nc.Close()
}

// Features returns what the daemon offers.
func (c *Conn) Features() Feature { return c.features }

// Local reports whether the daemon is reached through a socket of this machine.
func (c *Conn) Local() bool { return c.nc.RemoteAddr().Network() == "unix" }

// fail remembers that the connection is broken, closes it, and returns the error
// for the caller: the context's own if that has ended, otherwise with code.
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
	return ctx.Err()
}

// watch makes reads and writes fail once ctx has ended, and after the timeout. The
// function that it returns ends that.
func (c *Conn) watch(ctx context.Context) (stop func()) {
	var deadline time.Time
	if c.opt.timeout > 0 {
		deadline = time.Now().Add(c.opt.timeout)
	}
	c.nc.SetDeadline(deadline)
	if ctx.Done() == nil {
		return func() {}
	}
	nc := c.nc
	ended := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	return func() { ended() }
}

// send sends a message.
func (c *Conn) send(ctx context.Context, m pdu.Message) error {
	if err := c.queue(ctx, m); err != nil {
		return err
	}
	return c.flush(ctx)
}

// queue makes a message wait for flush.
func (c *Conn) queue(ctx context.Context, m pdu.Message) error {
	if err := c.usable(ctx); err != nil {
		return err
	}
	var err error
	c.out, err = m.Encode(c.out)
	if err == nil && c.opt.records {
		err = c.flush(ctx)
	}
	return err
}

// flush sends what waits.
func (c *Conn) flush(ctx context.Context) error {
	defer func() { c.out = c.out[:0] }()
	if len(c.out) == 0 {
		return nil
	}
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
	if err := c.usable(context.WithoutCancel(ctx)); err != nil {
		return pdu.Frame{}, err
	}
	defer c.watch(ctx)()
	f, err := c.r.Next()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // a reply was expected
		}
		return f, c.fail(ctx, "receive", err)
	}
	return f, nil
}

// reply returns the next message, decoded into m. An error that the daemon sends
// instead is returned as a pmerr.Code; anything else breaks the connection.
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
	if err := c.send(ctx, req); err != nil {
		return err
	}
	return c.reply(ctx, m)
}

// window is how many requests may wait for their replies. The daemon reads the
// next one when it has written the reply to the last: requests that fill the
// buffers of both sides while nobody reads replies would wait for ever.
const window = 32

// each sends n requests, several at a time. For each, req gives the message and
// where its reply goes, and done is called, in order, when that has come or was
// refused. Only what breaks the connection ends it early.
func (c *Conn) each(ctx context.Context, n int, req func(i int) (pdu.Message, pdu.Message), done func(i int, err error)) error {
	type asked struct {
		reply pdu.Message
		err   error // the request could not be made
	}
	var waiting [window]asked
	sent := 0
	for i := range n {
		for ; sent < n && sent < i+window; sent++ {
			var m pdu.Message
			m, waiting[sent%window].reply = req(sent)
			err := c.queue(ctx, m)
			switch {
			case c.broken != nil:
				return err
			case ctx.Err() != nil:
				return c.fail(ctx, "send", err) // replies may be under way
			}
			waiting[sent%window].err = err
		}
		if err := c.flush(ctx); err != nil {
			return err
		}
		w := &waiting[i%window]
		err := w.err
		if err == nil {
			err = c.reply(ctx, w.reply)
		}
		if c.broken != nil {
			return err
		}
		done(i, err)
	}
	return nil
}
