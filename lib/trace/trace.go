// Package trace instruments a program: it reports transactions, points, observations and counters
// to the trace agent, which makes metrics of them, such as the number and duration of transactions.
// The metrics are called trace.transact, trace.point, trace.observe and trace.counter, and the tags
// that the program chooses are their instances.
//
//	c, err := trace.New(trace.OptionsFromEnv(os.LookupEnv, nil))
//	if err != nil { ... }
//	defer c.Close()
//
//	end := c.Begin("checkout")
//	defer end()
//	...
//	if failed {
//		end.Abort() // it does not count
//	}
//	c.Point("cache miss")
//	c.Observe("queue length", 17)
//	c.Count("bytes sent", float64(sent))
//
// A Client connects at the first report. By default each call returns when the agent has
// acknowledged its report. With the flag [Async] it returns at once, and the reports are sent by a
// goroutine; [Client.Flush] and [Client.Close] wait for them.
//
// Without an agent, calls return an error within nanoseconds, and their reports are lost; now and
// then a call tries to connect again. No call panics, so a program may ignore errors. A nil *Client
// reports nothing.
//
// [NewContext] and [FromContext] pass the open transaction in a context, and [Attr] adds it to log
// records.
package trace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
)

// MaxTag is the length of the longest tag in bytes, 124. The protocol has room for 254, but the
// reference's agent hangs up on more than MaxTag. A longer tag is the error TagLength, before anything is
// sent.
const MaxTag = tracepdu.MaxRefTag

// A Client reports to one agent. It may be used by several goroutines.
type Client struct {
	opts   Options
	pid    int32
	absent End // the result of Begin while there is no agent
	state  atomic.Int32
	// down is the reason why the agent is missing, and keeps calls from connecting. Nil lets the next
	// call connect, unless there is a connection.
	down atomic.Pointer[error]

	used   atomic.Bool // something was reported: the mode is fixed
	closed atomic.Bool

	io     sync.Mutex // held while something is sent; taken before mu
	conn   *conn      // nil while disconnected
	buf    []byte     // for a message in synchronous mode
	failed int        // attempts to connect since the last success

	mu    sync.Mutex
	sent  sync.Cond // signalled when a part of the queue was sent
	queue queue
}

// New returns a Client. It does not connect. Options that are out of bounds are pmerr.EINVAL.
func New(opts *Options) (*Client, error) {
	c := &Client{pid: int32(os.Getpid())}
	if opts != nil {
		c.opts = *opts
	}
	o := &c.opts
	if o.Timeout < 0 || o.RequestTimeout < 0 || slices.ContainsFunc(o.Reconnect, func(d time.Duration) bool { return d <= 0 }) {
		return nil, fmt.Errorf("trace: %w: a time in Options is not above 0", pmerr.EINVAL)
	}
	o.Addr = cmp.Or(o.Addr, net.JoinHostPort("localhost", defaultPort))
	o.Timeout, o.RequestTimeout = cmp.Or(o.Timeout, defaultTimeout), cmp.Or(o.RequestTimeout, defaultRequest)
	if len(o.Reconnect) == 0 {
		o.Reconnect = []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second}
	}
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	c.state.Store(int32(o.State))
	c.sent.L = &c.mu
	c.absent = func(aborted ...abort) error {
		if err := c.down.Load(); err != nil && len(aborted) == 0 {
			return *err
		}
		return nil
	}
	return c, nil
}

// State returns the flags.
func (c *Client) State() State {
	if c == nil {
		return NoAgent
	}
	return State(c.state.Load())
}

// SetState sets the flags, and returns the old ones. Async can only be changed before the first
// report; later that is pmerr.EINVAL, and no flag changes.
func (c *Client) SetState(s State) (old State, err error) {
	if c == nil {
		return NoAgent, nil
	}
	old = State(c.state.Load())
	if c.used.Load() && (s^old)&Async != 0 {
		return old, fmt.Errorf("trace: %w: the flag Async is set before the first report", pmerr.EINVAL)
	}
	c.state.Store(int32(s))
	return old, nil
}

// Point reports that a point of the program was passed.
func (c *Client) Point(tag string) error {
	return c.report(tracepdu.Point, tag, tracepdu.PointValue)
}

// Observe reports a value. The agent shows the last one.
func (c *Client) Observe(tag string, value float64) error {
	return c.report(tracepdu.Observation, tag, value)
}

// Count reports the value of a counter, which only grows: how much it is in all, not how much it is
// more.
func (c *Client) Count(tag string, value float64) error {
	return c.report(tracepdu.Counter, tag, value)
}

func (c *Client) report(kind tracepdu.Kind, tag string, value float64) error {
	if silent, err := c.silent(); silent {
		return err
	}
	if err := checkTag(kind, tag); err != nil {
		return err
	}
	c.debug(API, kind.String(), slog.String("tag", tag), slog.Float64("value", value))
	c.used.Store(true)
	d := tracepdu.Data{Kind: kind, Tag: tag, Value: value}
	switch state := c.State(); {
	case c.closed.Load():
		return ErrClosed
	case state&NoAgent != 0:
		return nil
	case state&Async != 0:
		return c.enqueue(&d)
	}
	d.Sync = true
	c.io.Lock()
	defer c.io.Unlock()
	c.buf = d.Append(c.buf[:0], c.pid)
	return c.call(c.buf, kind, tag)
}

// silent reports whether reports are dropped. It is all that a call costs while there is no agent.
func (c *Client) silent() (bool, error) {
	if c == nil || State(c.state.Load())&NoAgent != 0 && State(c.state.Load())&API == 0 {
		return true, nil
	}
	if err := c.down.Load(); err != nil {
		return true, *err
	}
	return false, nil
}

func checkTag(kind tracepdu.Kind, tag string) error {
	code := Code(0)
	switch {
	case len(tag) > MaxTag:
		code = TagLength
	case tag == "" || strings.IndexByte(tag, 0) >= 0:
		code = TagName
	default:
		return nil
	}
	return &Error{Op: kind.String(), Tag: tag, Err: code}
}

func (c *Client) debug(flag State, msg string, attrs ...slog.Attr) {
	if c.opts.Logger != nil && c.State()&flag != 0 {
		c.opts.Logger.LogAttrs(context.Background(), slog.LevelDebug, "trace: "+msg, attrs...)
	}
}

// Close sends the waiting reports, as Flush does, and ends the connection. It may be called twice.
func (c *Client) Close() error {
	if c == nil {
		return nil
	}
	err := c.Flush()
	why := error(ErrClosed)
	c.down.Store(&why)
	c.closed.Store(true)
	c.io.Lock()
	defer c.io.Unlock()
	c.hangUp()
	return err
}
