package trace

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"pmtools/lib/trace/internal/tracepdu"
)

type conn struct {
	net.Conn
	r     *tracepdu.Reader
	since time.Time // when it was made
}

// dial makes a connection. The agent speaks first: the version of the protocol, or an error.
func (c *Client) dial() (*conn, error) {
	deadline := time.Now().Add(c.opts.Timeout)
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	nc, err := c.opts.Dial(ctx, "tcp", c.opts.Addr)
	if err != nil {
		var op *net.OpError // its text has the address once more
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, err
	}
	k := &conn{Conn: nc, r: tracepdu.NewReader(nc), since: time.Now()}
	_ = nc.SetDeadline(deadline)
	version, err := c.readAck(k)
	if err == nil && version != tracepdu.Version {
		err = fmt.Errorf("%w: it has %d, we have %d", Version, version, tracepdu.Version)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	_ = nc.SetDeadline(time.Time{})
	return k, nil
}

// connect connects unless there is a connection, or a call just failed to make one.
func (c *Client) connect() error {
	if c.conn != nil {
		return nil
	}
	if down := c.down.Load(); down != nil {
		return *down
	}
	k, err := c.dial()
	if err != nil {
		return c.goDown(err)
	}
	c.debug(Comms, "connected", slog.String("addr", c.opts.Addr))
	c.conn, c.failed = k, 0
	return nil
}

// goDown marks the client as disconnected, and returns the error of all calls until the next
// attempt.
func (c *Client) goDown(cause error) error {
	if isTimeout(cause) {
		cause = Timeout
	}
	wait := c.opts.Reconnect[min(c.failed, len(c.opts.Reconnect)-1)]
	c.failed++
	err := error(&Error{Op: "connect", Addr: c.opts.Addr, Err: cause})
	c.debug(Comms, "no agent", slog.Any("error", err), slog.Duration("retry", wait))
	c.down.Store(&err)
	time.AfterFunc(wait, func() { c.down.Store(nil) })
	return err
}

func (c *Client) hangUp() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// lose ends a connection that failed. The next report makes another, but not at once if the agent says
// nothing, or if the connection was young, as those to an agent that hangs up on everybody are.
func (c *Client) lose(cause error) error {
	young := time.Since(c.conn.since) < c.opts.Reconnect[0]
	c.debug(Comms, "connection lost", slog.Any("error", cause))
	c.hangUp()
	if young || isTimeout(cause) {
		return c.goDown(cause)
	}
	return &Error{Op: "connect", Addr: c.opts.Addr, Err: cause}
}

// call sends messages, and waits until the agent acknowledges the last one.
func (c *Client) call(batch []byte, last tracepdu.Kind, tag string) error {
	for again := false; ; again = true {
		if c.closed.Load() {
			return ErrClosed
		}
		fresh := c.conn == nil
		if err := c.connect(); err != nil {
			return err
		}
		err := c.exchange(batch, last)
		var refused Code
		switch {
		case err == nil:
			return nil
		case errors.As(err, &refused) && refused != IPC:
			return &Error{Op: last.String(), Tag: tag, Addr: c.opts.Addr, Err: err}
		case again || fresh || isTimeout(err):
			return c.lose(err)
		}
		// The agent had gone before the report came: there may be a new one.
		c.hangUp()
	}
}

func (c *Client) exchange(batch []byte, last tracepdu.Kind) error {
	_ = c.conn.SetDeadline(time.Now().Add(c.opts.RequestTimeout))
	c.debug(PDU, "send", slog.Int("bytes", len(batch)))
	c.dump("send", batch)
	if _, err := c.conn.Write(batch); err != nil {
		return err
	}
	got, err := c.readAck(c.conn)
	if err == nil && got != int32(last) {
		err = fmt.Errorf("%w: acknowledgement of %v, not %v", IPC, tracepdu.Kind(got), last)
	}
	return err
}

// readAck reads an acknowledgement. An error that it carries is returned as a Code.
func (c *Client) readAck(k *conn) (int32, error) {
	typ, body, err := k.r.Next()
	var v int32
	switch {
	case errors.Is(err, io.EOF):
		return 0, fmt.Errorf("%w: the agent has hung up", IPC)
	case errors.Is(err, tracepdu.ErrFormat):
		return 0, fmt.Errorf("%w: %w", IPC, err)
	case err != nil:
		return 0, err
	case typ != tracepdu.TypeAck:
		return 0, fmt.Errorf("%w: message of type %#x, not %#x", IPC, int32(typ), int32(tracepdu.TypeAck))
	}
	c.dump("receive", body)
	if v, err = tracepdu.DecodeAck(body); err != nil {
		return 0, fmt.Errorf("%w: %w", IPC, err)
	}
	c.debug(PDU, "receive", slog.Int("value", int(v)))
	if v < 0 {
		return 0, Code(v)
	}
	return v, nil
}

func isTimeout(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

func (c *Client) dump(msg string, b []byte) {
	if c.opts.Logger != nil && c.State()&PDUBuf != 0 {
		c.debug(PDUBuf, msg, slog.String("data", hex.EncodeToString(b)))
	}
}
