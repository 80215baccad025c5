package trace

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"pmtools/lib/trace/internal/tracepdu"
)

// An agent is the other side of a Client: it notes the reports, and can misbehave.
type agent struct {
	t *testing.T
	net.Listener
	first func() []byte                 // what it says first, instead of its version
	ack   func(d *tracepdu.Data) []byte // the answer to a report; nil for the right one
	got   chan string                   // the reports
	wg    sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
	count int // connections that were made
}

// newAgent starts an agent.
func newAgent(t *testing.T) *agent {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, Listener: l, got: make(chan string, 100000)}
	t.Cleanup(a.stop)
	return a
}

// start begins to accept connections.
func (a *agent) start() *agent {
	a.wg.Go(func() {
		for {
			c, err := a.Accept()
			if err != nil {
				return
			}
			a.mu.Lock()
			a.conns = append(a.conns, c)
			a.count++
			a.mu.Unlock()
			a.wg.Go(func() { a.serve(c) })
		}
	})
	return a
}

// serve serves one connection.
func (a *agent) serve(c net.Conn) {
	defer c.Close()
	hello := tracepdu.AppendAck(nil, 1, tracepdu.Version)
	if a.first != nil {
		hello = a.first()
	}
	if _, err := c.Write(hello); err != nil {
		return
	}
	for r := tracepdu.NewReader(c); ; {
		_, body, err := r.Next()
		if err != nil {
			return
		}
		d, err := tracepdu.DecodeData(body)
		if err != nil {
			a.t.Error(err)
			return
		}
		text := fmt.Sprint(d.Kind, " ", d.Tag)
		if d.Kind == tracepdu.Observation || d.Kind == tracepdu.Counter {
			text += fmt.Sprint(" ", d.Value)
		}
		a.got <- text
		if !d.Sync {
			continue
		}
		answer := tracepdu.AppendAck(nil, 1, int32(d.Kind))
		if a.ack != nil {
			if answer = a.ack(&d); answer == nil {
				return
			}
		}
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}

// hangUp ends the connections.
func (a *agent) hangUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.conns {
		c.Close()
	}
	a.conns = nil
}

// stop ends the agent.
func (a *agent) stop() {
	a.Close()
	a.hangUp()
	a.wg.Wait()
}

// want checks which reports come next.
func (a *agent) want(reports ...string) {
	a.t.Helper()
	for _, w := range reports {
		select {
		case got := <-a.got:
			if got != w {
				a.t.Errorf("report %q, want %q", got, w)
			}
		case <-time.After(30 * time.Second):
			a.t.Fatalf("no report, want %q", w)
		}
	}
	select {
	case got := <-a.got:
		a.t.Errorf("one more report: %q", got)
	default:
	}
}

// client returns a Client of the agent.
func (a *agent) client(o Options) *Client {
	a.t.Helper()
	if o.Addr = a.Addr().String(); o.Reconnect == nil {
		o.Reconnect = []time.Duration{time.Hour}
	}
	c, err := New(&o)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { c.Close() })
	return c
}
