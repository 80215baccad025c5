package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
)

// defaultStall is the time that a client has for the rest of a message that has begun to arrive, and
// for receiving an answer. Between reports a client may be silent for ever.
const defaultStall = 10 * time.Second

// defaultSilence limits the wait for the first report, which programs send at once.
const defaultSilence = 30 * time.Second

// The answers to a client that may not connect, and to one for whom there is no place.
const (
	ackPermission = -12010
	ackConnLimit  = -12011
)

type server struct {
	mu     sync.Mutex
	open   map[io.Closer]bool // listeners and connections
	closed bool
	wg     sync.WaitGroup
}

// Serve serves the programs that connect to a listener, until the listener or the Agent is closed,
// which is not an error. It closes the listener.
func (a *Agent) Serve(l net.Listener) error {
	s := &a.server
	if !s.begin(l) {
		return nil
	}
	defer s.end(l)
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
		if !s.begin(c) {
			return nil
		}
		go func() {
			defer s.end(c)
			a.client(c)
		}()
	}
}

// begin notes a listener or a connection. If the server is closed, begin closes it and returns false.
func (s *server) begin(c io.Closer) bool {
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
	s.wg.Add(1)
	return true
}

func (s *server) end(c io.Closer) {
	defer s.wg.Done()
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

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

func (a *Agent) client(c net.Conn) {
	pid, from := int32(os.Getpid()), c.RemoteAddr()
	answer := func(v int32) error {
		_ = c.SetWriteDeadline(time.Now().Add(a.stall))
		_, err := c.Write(tracepdu.AppendAck(nil, pid, v))
		return err
	}
	rule, refused := a.admit(from)
	defer a.release(rule)
	if refused == 0 {
		select {
		case a.places <- struct{}{}:
			defer func() { <-a.places }()
		default:
			refused = ackConnLimit
		}
	}
	if refused != 0 {
		a.opts.Logf("%v: refused with error %d", from, refused)
		_ = answer(refused)
		return
	}
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
	in := bufio.NewReader(c)
	r := tracepdu.NewReader(in)
	_ = c.SetReadDeadline(time.Now().Add(a.silence))
	for {
		if _, err := in.Peek(1); err != nil {
			return err
		}
		_ = c.SetReadDeadline(time.Now().Add(a.stall))
		typ, body, err := r.Next()
		if err != nil {
			return err
		}
		_ = c.SetReadDeadline(time.Time{})
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
