// Package pmcdtest is a scripted metrics daemon for tests, in the spirit of net/http/httptest. A
// [Server] speaks the daemon's side of the protocol; its [Handler], such as a [World] of metrics,
// answers the requests. Each reply goes through an [Edit] that may cut, delay, drop or change it.
//
//	s := pmcdtest.NewServer(pmcdtest.Sample())
//	defer s.Close()
//	d := pmcd.Dialer{DialContext: s.Dial}
//
// Connections are made in memory by [Server.Dial], or through a socket after [Server.Listen].
package pmcdtest

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// Features are the features of a daemon without TLS.
const Features = 0x0e44

// The features that change the requests of a client.
const (
	Labels  = 0x200
	HighRes = 0x400
	Descs   = 0x800
)

// A Handler answers requests. It is called by one goroutine for each connection.
type Handler interface {
	// Handle returns the replies to a request, or none. A nil reply closes the connection.
	Handle(c *Session, f pdu.Frame) []pdu.Message
}

// A Session is one connection, as a Handler sees it.
type Session struct {
	ID      int          // of the connection, counted from 0
	Profile *pdu.Profile // the last one; nil if there was none

	fetched map[pcp.ID]int // number of fetches of each metric of a World
}

// A Reply is a message about to be sent.
type Reply struct {
	Conn    int      // the connection, counted from 0
	N       int      // the reply on that connection, counted from 0, which is the greeting
	Request pdu.Type // the type of the request; 0 for the greeting
	Bytes   []byte   // the message

	Delay time.Duration // pause before the reply is sent
	Close bool          // close the connection after it
}

// An Edit changes a reply before it is sent.
type Edit func(r *Reply)

// A Server is a metrics daemon. It may be shared by goroutines.
type Server struct {
	handler Handler

	mu       sync.Mutex
	greeting pdu.Error
	edit     Edit
	refused  bool
	conns    map[net.Conn]bool
	next     int
	requests []Request
	listener net.Listener
	closed   chan struct{}
	once     sync.Once // closes the channel closed once
	wg       sync.WaitGroup
}

// A Request is a message that a Server received.
type Request struct {
	Conn int
	Type pdu.Type
	Body []byte
}

// NewServer returns a daemon whose answers come from h.
func NewServer(h Handler) *Server {
	return &Server{
		handler: h, conns: make(map[net.Conn]bool), closed: make(chan struct{}),
		greeting: pdu.Error{Greeting: true, Info: 2<<24 | 1<<16 | Features},
	}
}

// SetFeatures sets the features in later greetings.
func (s *Server) SetFeatures(features uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.greeting.Info = 2<<24 | 1<<16 | uint32(features)
}

// SetRefusal makes later greetings refuse the connection, with a code in the protocol's old
// numbering; 0 accepts again.
func (s *Server) SetRefusal(code pmerr.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.greeting.Code = code
}

// SetEdit sets the Edit of later replies; nil changes nothing.
func (s *Server) SetEdit(e Edit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edit = e
}

// SetDown makes Dial fail and closes all connections, or makes Dial work again.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	s.refused = down
	s.mu.Unlock()
	if down {
		s.Hangup()
	}
}

// Hangup closes all connections.
func (s *Server) Hangup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for nc := range s.conns {
		nc.Close()
	}
}

// Close closes all connections and waits for their goroutines. It may be called twice.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.mu.Lock()
	s.refused = true
	var err error
	if s.listener != nil {
		err = s.listener.Close()
		s.listener = nil
	}
	s.mu.Unlock()
	s.Hangup()
	s.wg.Wait()
	return err
}

var errDown = errors.New("pmcdtest: connection refused")

// Dial connects in memory, for pmcd.Dialer.DialContext. It ignores the address.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	if !s.serve(ours) {
		return nil, errDown
	}
	return theirs, nil
}

// Listen accepts connections at an address, such as "tcp", "127.0.0.1:0" or "unix" and a path,
// until Close. It returns the address.
func (s *Server) Listen(network, address string) (net.Addr, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.listener = l
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			s.serve(nc)
		}
	}()
	return l.Addr(), nil
}

// Requests returns the requests received, in order for each connection.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count returns the number of requests of a type.
func (s *Server) Count(t pdu.Type) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Type == t {
			n++
		}
	}
	return n
}

// Conns returns the number of open connections and of all connections so far.
func (s *Server) Conns() (now, ever int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns), s.next
}

func (s *Server) serve(nc net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused {
		nc.Close()
		return false
	}
	c := &conn{s: s, nc: nc, requests: make(chan pdu.Frame, maxPending), gone: make(chan struct{})}
	c.session.ID = s.next
	greeting := s.greeting
	s.next++
	s.conns[nc] = true
	s.wg.Add(2)
	go c.read()
	go c.run(greeting)
	return true
}
