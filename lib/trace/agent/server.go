package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
)

// defaultStall is the least time that a client has for the rest of a message that has begun to
// arrive, and for receiving an answer. Between reports a client may be silent for ever.
const defaultStall = 10 * time.Second

// defaultSilence limits the wait for the first report, which programs send at once.
const defaultSilence = 30 * time.Second

const (
	ackPermission = -12010
	ackConnLimit  = -12011
)

type server struct {
	mu        sync.Mutex
	listeners map[net.Listener]bool
	conns     map[net.Conn]bool // connections that have a place; true after the first report
	silent    []net.Conn        // connections without a report, the oldest first, and some that are closed
	closed    bool
	wg        sync.WaitGroup
}

// Serve serves the programs that connect to a listener, until the listener or the Agent is closed,
// which is not an error. It closes the listener.
func (a *Agent) Serve(l net.Listener) error {
	s := &a.server
	if !s.listen(l) {
		return nil
	}
	defer s.stop(l)
	for wait := time.Duration(0); ; {
		c, err := l.Accept()
		switch {
		case err == nil:
			wait = 0
		case errors.Is(err, net.ErrClosed):
			return nil
		default: // for example too many open files
			a.opts.Logf("%v", err)
			wait = min(max(2*wait, time.Millisecond), time.Second)
			time.Sleep(wait)
			continue
		}
		if !s.begin() {
			c.Close()
			return nil
		}
		go func() {
			defer s.wg.Done()
			defer c.Close()
			a.client(c)
		}()
	}
}

// begin counts a goroutine, unless the server is closed.
func (s *server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Add(1)
	}
	return !s.closed
}

// listen notes a listener. If the server is closed, it closes the listener and returns false.
func (s *server) listen(l net.Listener) bool {
	if !s.begin() {
		l.Close()
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners == nil {
		s.listeners = map[net.Listener]bool{}
	}
	s.listeners[l] = true
	return true
}

func (s *server) stop(l net.Listener) {
	l.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
	s.wg.Done()
}

// enter gives a connection one of limit places. If all places are taken, enter closes the oldest
// connection without a report: otherwise anybody could keep all programs out by opening
// connections. It returns false if every connection has reported.
func (s *server) enter(c net.Conn, limit int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		s.conns = map[net.Conn]bool{}
	}
	for len(s.conns) >= limit {
		if len(s.silent) == 0 {
			return false
		}
		oldest := s.silent[0]
		s.silent = s.silent[1:]
		if reported, ok := s.conns[oldest]; ok && !reported {
			delete(s.conns, oldest)
			oldest.Close() // the read of its goroutine fails, and the goroutine ends
		}
	}
	if s.closed {
		return false
	}
	// The list keeps connections that have reported or ended until it has twice the needed length.
	if len(s.silent) >= 2*limit {
		s.silent = slices.DeleteFunc(s.silent, func(c net.Conn) bool { reported, ok := s.conns[c]; return reported || !ok })
	}
	s.conns[c] = false
	s.silent = append(s.silent, c)
	return true
}

func (s *server) reported(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.conns[c]; ok {
		s.conns[c] = true
	}
}

func (s *server) leave(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *server) close() error {
	s.mu.Lock()
	s.closed = true
	for l := range s.listeners {
		l.Close()
	}
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
	return nil
}

func (a *Agent) client(c net.Conn) {
	pid, from := int32(os.Getpid()), c.RemoteAddr()
	answer := func(v int32) error {
		_ = c.SetWriteDeadline(time.Now().Add(a.stall))
		_, err := c.Write(tracepdu.AppendAck(nil, pid, v))
		return err
	}
	rule, refused := a.admit(from)
	defer a.release(rule)
	if refused == 0 && !a.server.enter(c, a.opts.MaxClients) {
		refused = ackConnLimit
	}
	if refused != 0 {
		a.opts.Logf("%v: refused with error %d", from, refused)
		_ = answer(refused)
		return
	}
	defer a.server.leave(c)
	if a.verbose.Load() {
		a.opts.Logf("%v: connected", from)
		defer func() { a.opts.Logf("%v: disconnected", from) }()
	}
	err := answer(tracepdu.Version)
	if err == nil {
		err = a.serve(c, answer)
	}
	// The reference's clients leave by a reset.
	var left *net.OpError
	if errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &left) && !errors.Is(err, io.EOF) {
		a.opts.Logf("%v: hung up: %v", from, err)
	}
}

// serve takes the reports of a client until an error, which it returns.
func (a *Agent) serve(c net.Conn, answer func(int32) error) error {
	r := tracepdu.NewReader(bufio.NewReader(c))
	first := time.Now().Add(a.silence)
	for reported, stalled := false, false; ; {
		until := time.Now().Add(a.stall)
		if !reported && first.Before(until) {
			until = first
		}
		_ = c.SetReadDeadline(until)
		typ, body, err := r.Next()
		switch {
		case err != nil && !reported && !time.Now().Before(first):
			return fmt.Errorf("%w: no report within %v", os.ErrDeadlineExceeded, a.silence)
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
		if !reported {
			reported = true
			a.server.reported(c)
		}
		v := int32(d.Kind)
		if err = a.report(&d); err != nil {
			v = int32(pmerr.Of(err))
		}
		if a.verbose.Load() {
			a.opts.Logf("%v: %v %q %v, error %v", c.RemoteAddr(), d.Kind, d.Tag, d.Value, err)
		}
		if !d.Sync {
			continue
		}
		if err := answer(v); err != nil {
			return err
		}
	}
}
