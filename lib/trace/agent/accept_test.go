package agent

import (
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"pmtools/lib/trace/internal/tracepdu"
)

// A failingListener fails a few times before each connection.
type failingListener struct {
	net.Listener
	calls atomic.Int64
}

var acceptErrors = [...]error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.EINTR, syscall.EACCES}

func (l *failingListener) Accept() (net.Conn, error) {
	if n := int(l.calls.Add(1)); n%(len(acceptErrors)+1) != 0 {
		return nil, acceptErrors[n%(len(acceptErrors)+1)-1]
	}
	return l.Listener.Accept()
}

// TestAcceptFails: an agent that cannot accept connections for a time goes on.
func TestAcceptFails(t *testing.T) {
	var logged atomic.Int64
	a, _ := newAgent(t, Options{Logf: func(f string, args ...any) {
		if err, ok := args[0].(error); ok && errors.Is(err, syscall.EMFILE) {
			logged.Add(1)
		}
	}})
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- a.Serve(&failingListener{Listener: tcp}) }()
	for range 3 {
		c := dial(t, tcp.Addr().String())
		if got := c.next() + c.send(message(tracepdu.Point, "good", -1)); got != "12" {
			t.Errorf("answers %s", got)
		}
	}
	if err := errors.Join(a.Close(), <-done); err != nil || logged.Load() < 3 {
		t.Errorf("%v, %d times logged", err, logged.Load())
	}
}
