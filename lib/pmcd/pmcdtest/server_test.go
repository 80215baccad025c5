package pmcdtest

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A client is the other side, without any of lib/pmcd.
type client struct {
	t  testing.TB
	nc net.Conn
	r  *pdu.Reader
}

// dialed makes a client of a connection.
func dialed(t testing.TB, nc net.Conn) *client {
	t.Helper()
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(10 * time.Second))
	return &client{t, nc, pdu.NewReader(nc)}
}

// dial connects to s in memory.
func dial(t testing.TB, s *Server) *client {
	t.Helper()
	nc, err := s.Dial(context.Background(), "tcp", "anywhere")
	if err != nil {
		t.Fatal(err)
	}
	return dialed(t, nc)
}

// greeted connects, and sends its credentials.
func greeted(t testing.TB, s *Server) *client {
	t.Helper()
	c := dial(t, s)
	if g, ok := c.recv().(*pdu.Error); !ok || g.Code != 0 || !g.Greeting {
		t.Fatalf("greeting %+v", g)
	}
	c.send(&pdu.Creds{Version: 2})
	return c
}

// send sends messages.
func (c *client) send(ms ...pdu.Message) {
	c.t.Helper()
	if _, err := c.nc.Write(encode(nil, ms)); err != nil {
		c.t.Fatal(err)
	}
}

// recv returns the next message, or nil at the end of the connection.
func (c *client) recv() pdu.Message {
	c.t.Helper()
	f, err := c.r.Next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		c.t.Fatal(err)
	}
	m := pdu.New(f.Type)
	if m == nil {
		c.t.Fatalf("message of type %v", f.Type)
	}
	if err := m.Decode(f.Body); err != nil {
		c.t.Fatal(err)
	}
	return m
}

// code returns the next message's code, or 1 if the message is not an error.
func (c *client) code() pmerr.Code {
	c.t.Helper()
	if e, ok := c.recv().(*pdu.Error); ok {
		return e.Code
	}
	return 1
}

func TestListen(t *testing.T) {
	for _, row := range []struct{ network, address string }{{"tcp", "127.0.0.1:0"}, {"unix", filepath.Join(t.TempDir(), "s")}} {
		t.Run(row.network, func(t *testing.T) {
			s := NewServer(Sample())
			addr, err := s.Listen(row.network, row.address)
			if err != nil {
				t.Skip(err)
			}
			nc, err := net.Dial(addr.Network(), addr.String())
			if err != nil {
				t.Fatal(err)
			}
			c := dialed(t, nc)
			c.recv()
			c.send(&pdu.Creds{Version: 2}, &pdu.Child{})
			if m, ok := c.recv().(*pdu.Names); !ok || len(m.Names) != 1 {
				t.Errorf("children %v", m)
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
			if nc, err := net.Dial(addr.Network(), addr.String()); err == nil {
				nc.Close()
				t.Error("connected after Close")
			}
			if _, err := s.Dial(context.Background(), "", ""); !errors.Is(err, errDown) {
				t.Errorf("Dial after Close: %v", err)
			}
		})
	}
}

// TestProtocol checks the daemon's reactions to bad input (wire.md W8.1).
func TestProtocol(t *testing.T) {
	s := NewServer(Sample())
	defer s.Close()
	c := dial(t, s)
	c.recv()
	c.send(&pdu.Child{})
	if m := c.recv(); m != nil {
		t.Errorf("%v to a client that did not say who it is", m)
	}
	for _, row := range []struct {
		name string
		in   string
		want pmerr.Code // 0 is the end
	}{
		{"unknown type", "\x00\x00\x00\x0c\x00\x00\x70\x0b\x00\x00\x00\x00", pmerr.IPC},
		{"body that is none", "\x00\x00\x00\x0e\x00\x00\x70\x04\x00\x00\x00\x00\x00\x00", pmerr.IPC},
		{"reply", "\x00\x00\x00\x10\x00\x00\x70\x00\x00\x00\x00\x00\x00\x00\x00\x00", pmerr.IPC},
		{"long message", "\x00\x01\x00\x01\x00\x00\x70\x04\x00\x00\x00\x00", 0},
		{"short message", "\x00\x00\x00\x0b\x00\x00\x70\x04\x00\x00\x00\x00", 0},
	} {
		c := greeted(t, s)
		if _, err := c.nc.Write([]byte(row.in)); err != nil {
			t.Fatal(err)
		}
		switch m := c.recv().(type) {
		case nil:
			if row.want != 0 {
				t.Errorf("%s: the end", row.name)
			}
		case *pdu.Error:
			if m.Code != row.want {
				t.Errorf("%s: %v", row.name, m.Code)
			}
		default:
			t.Errorf("%s: %v", row.name, m)
		}
	}
}

func TestGreeting(t *testing.T) {
	s := NewServer(Sample())
	defer s.Close()
	s.SetFeatures(Labels)
	if g := dial(t, s).recv().(*pdu.Error); g.Info != 0x02010200 {
		t.Errorf("info %#x", g.Info)
	}
	s.SetRefusal(-1042)
	c := dial(t, s)
	if code := c.code(); code != -1042 || c.recv() != nil {
		t.Errorf("refused with %d", int32(code))
	}
}

func TestDown(t *testing.T) {
	s := NewServer(Sample())
	defer s.Close()
	c := greeted(t, s)
	s.SetDown(true)
	if m := c.recv(); m != nil {
		t.Errorf("%v from a daemon that is down", m)
	}
	if _, err := s.Dial(context.Background(), "", ""); err == nil {
		t.Error("connected to a daemon that is down")
	}
	s.SetDown(false)
	greeted(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Dial(ctx, "", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, ever := s.Conns(); ever != 2 {
		t.Errorf("%d connections", ever)
	}
}

// TestRequests checks the list of received requests.
func TestRequests(t *testing.T) {
	s := NewServer(Sample())
	defer s.Close()
	c := greeted(t, s)
	c.send(&pdu.DescReq{ID: pcp.NewID(29, 0, 6)}, &pdu.Child{}, &pdu.DescReq{ID: 1})
	for range 3 {
		c.recv()
	}
	if n := s.Count(pdu.TypeDescReq); n != 2 {
		t.Errorf("%d requests", n)
	}
	rs := s.Requests()
	var m pdu.DescReq
	if len(rs) != 4 {
		t.Errorf("%+v", rs)
	} else if rs[0].Type != pdu.TypeCreds || m.Decode(rs[3].Body) != nil || m.ID != 1 {
		t.Errorf("%+v", rs)
	}
}
