package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"pmtools/lib/internal/tracepdu"
	"pmtools/lib/pmerr"
)

// defaultStall is how long a client may take for the rest of a message that has begun to arrive, at least,
// and to receive an answer. Between messages it may be silent for ever.
const defaultStall = 10 * time.Second

// The errors with which a client is turned away.
const (
	ackPermission = -12010
	ackConnLimit  = -12011
)

// A server has the connections of an Agent. The zero server has none.
type server struct {
	mu     sync.Mutex
	open   map[io.Closer]bool // listeners and connections
	conns  int
	closed bool
	wg     sync.WaitGroup
}

// Serve serves the programs that connect to a listener, until the listener or the Agent is closed,
// which is no error. It closes the listener.
func (a *Agent) Serve(l net.Listener) error {
	s := &a.server
	if !s.add(l, false) {
		return nil
	}
	defer s.remove(l, false)
	for wait := time.Duration(0); ; {
		c, err := l.Accept()
		switch {
		case err == nil:
			wait = 0
		case errors.Is(err, net.ErrClosed):
			return nil
		default: // too many open files, say
			a.logf("%v", err)
			wait = min(max(2*wait, time.Millisecond), time.Second)
			time.Sleep(wait)
			continue
		}
		if !s.add(c, true) {
			return nil
		}
		go func() {
			defer s.remove(c, true)
			a.client(c)
		}()
	}
}

// add notes a listener or a connection, unless the server is closed: then it closes it.
func (s *server) add(c io.Closer, client bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	if s.open == nil {
		s.open = map[io.Closer]bool{}
	}
	s.open[c] = true
	if client {
		s.conns++
	}
	s.wg.Add(1)
	return true
}

// remove closes what was added.
func (s *server) remove(c io.Closer, client bool) {
	c.Close()
	s.mu.Lock()
	delete(s.open, c)
	if client {
		s.conns--
	}
	s.mu.Unlock()
	s.wg.Done()
}

// full reports whether there are more connections than allowed.
func (s *server) full(limit int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns > limit
}

// close closes all and waits for the goroutines.
func (s *server) close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
	return nil
}

// client serves a connection.
func (a *Agent) client(c net.Conn) {
	pid, from := int32(os.Getpid()), c.RemoteAddr()
	answer := func(v int32) error {
		_ = c.SetWriteDeadline(time.Now().Add(a.stall))
		_, err := c.Write(tracepdu.AppendAck(nil, pid, v))
		return err
	}
	rule, refused := a.admit(from)
	if refused == 0 && a.server.full(a.opts.MaxClients) {
		refused = ackConnLimit
	}
	if refused != 0 {
		a.logf("%v: refused with error %d", from, refused)
		_ = answer(refused)
		return
	}
	defer a.release(rule)
	if a.verbose.Load() {
		a.logf("%v: connected", from)
		defer func() { a.logf("%v: disconnected", from) }()
	}
	err := answer(tracepdu.Version)
	if err == nil {
		err = a.serve(c, answer)
	}
	// The reference's clients leave by a reset.
	var left *net.OpError
	if errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &left) && !errors.Is(err, io.EOF) {
		a.logf("%v: hung up: %v", from, err)
	}
}

// serve takes the reports of a client. The error says why it ends.
func (a *Agent) serve(c net.Conn, answer func(int32) error) error {
	r := tracepdu.NewReader(bufio.NewReader(c))
	for stalled := false; ; {
		_ = c.SetReadDeadline(time.Now().Add(a.stall))
		typ, body, err := r.Next()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && !(stalled && r.Partial()):
			stalled = r.Partial()
			continue
		case err != nil:
			return err
		}
		stalled = false
		if typ != tracepdu.TypeData {
			return fmt.Errorf("message of type %#x, not %#x", int32(typ), int32(tracepdu.TypeData))
		}
		d, err := tracepdu.DecodeData(body)
		if err != nil {
			return err
		}
		v := int32(d.Kind)
		if err = a.report(&d); err != nil {
			v = int32(pmerr.Of(err))
		}
		if a.verbose.Load() {
			a.logf("%v: %v %q %v, error %v", c.RemoteAddr(), d.Kind, d.Tag, d.Value, err)
		}
		if !d.Sync {
			continue
		}
		if err := answer(v); err != nil {
			return err
		}
	}
}
