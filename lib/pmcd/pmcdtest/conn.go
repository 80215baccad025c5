package pmcdtest

import (
	"bytes"
	"net"
	"time"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

const maxPending = 1 << 10

// maxRequest is the longest request; a daemon hangs up on longer ones (wire.md W1.4).
const maxRequest = 64 << 10

// A conn is a connection. A goroutine reads requests, another answers them, so that the client can always
// write, even in memory.
type conn struct {
	s        *Server
	nc       net.Conn
	session  Session
	requests chan pdu.Frame
	gone     chan struct{} // closed when run ends
	sent     int
}

func (c *conn) read() {
	defer c.s.wg.Done()
	defer close(c.requests)
	r := pdu.NewReader(c.nc)
	r.MaxLen = maxRequest
	for {
		f, err := r.Next()
		if err != nil {
			return
		}
		f.Body = bytes.Clone(f.Body)
		select {
		case c.requests <- f:
		case <-c.gone:
			return
		}
	}
}

func (c *conn) run(greeting pdu.Error) {
	defer c.s.wg.Done()
	defer c.forget()
	if !c.send(0, &greeting) || greeting.Code < 0 {
		return
	}
	first := true
	for f := range c.requests {
		c.s.mu.Lock()
		c.s.requests = append(c.s.requests, Request{c.session.ID, f.Type, f.Body})
		c.s.mu.Unlock()
		if first && f.Type != pdu.TypeCreds {
			return
		}
		first = false
		for _, m := range c.s.handler.Handle(&c.session, f) {
			if m == nil || !c.send(f.Type, m) {
				return
			}
		}
	}
}

func (c *conn) forget() {
	close(c.gone)
	c.nc.Close()
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	delete(c.s.conns, c.nc)
}

// send reports whether the connection stays open.
func (c *conn) send(request pdu.Type, m pdu.Message) bool {
	msg, err := m.Encode(nil)
	if err != nil {
		msg, _ = (&pdu.Error{Code: pmerr.Of(err)}).Encode(nil)
	}
	r := Reply{Conn: c.session.ID, N: c.sent, Request: request, Bytes: msg}
	c.sent++
	c.s.mu.Lock()
	edit := c.s.edit
	c.s.mu.Unlock()
	if edit != nil {
		edit(&r)
	}
	if r.Delay > 0 {
		wait := time.NewTimer(r.Delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-c.s.closed:
			return false
		}
	}
	if len(r.Bytes) > 0 { // an empty write would be an empty read at the other end of a pipe
		if _, err := c.nc.Write(r.Bytes); err != nil {
			return false
		}
	}
	return !r.Close
}
