package pmda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A Server makes a Provider an agent of the daemon, over one connection.
type Server struct {
	Provider Provider
	// Help answers requests for help texts instead of the provider, unless it is nil.
	Help Texter
	// Attrs requests the attributes of each client from the daemon: user, group and process.
	// Containers requests containers. Either yields all attributes.
	Attrs      bool
	Containers bool
	// NotReady says that the daemon sends no request until the agent reports ready: its
	// configuration has the word notready. The provider's WaitReady is called first.
	NotReady bool
	// Logf takes a line about something that went wrong; nil drops it.
	Logf func(format string, args ...any)

	rw      io.ReadWriter
	clients map[int32]*Client
	profile *pcp.Profile // of the next fetch
	result  pcp.Result
	fetch   pdu.Fetch
	request Request
	store   pdu.Result
	out     []byte
	err     error // of the connection
}

// Serve serves the daemon over rw until that ends; see Server.
func Serve(ctx context.Context, p Provider, rw io.ReadWriter) error {
	return (&Server{Provider: p}).Serve(ctx, rw)
}

// The features that an agent may ask for, in the flags of its pdu.Creds.
const (
	FlagAttrs      = 0x04
	FlagContainers = 0x40
)

// Serve sends the agent's credentials, and answers requests, one after the other. It returns nil
// when the daemon closes the connection. When ctx ends, it closes rw if that is possible, and
// returns the error of ctx.
func (s *Server) Serve(ctx context.Context, rw io.ReadWriter) error {
	if c, ok := rw.(io.Closer); ok {
		defer context.AfterFunc(ctx, func() { c.Close() })()
	}
	s.rw, s.clients, s.profile, s.err = rw, map[int32]*Client{}, nil, nil
	err := s.serve(ctx)
	for _, n := range slices.Sorted(maps.Keys(s.clients)) {
		s.endClient(n)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

func (s *Server) serve(ctx context.Context) error {
	creds := &pdu.Creds{Version: 2}
	if s.Attrs {
		creds.Flags |= FlagAttrs
	}
	if s.Containers {
		creds.Flags |= FlagContainers
	}
	s.send(creds, int32(os.Getpid()))
	if s.NotReady {
		s.waitReady(ctx)
	}
	for r := pdu.NewReader(s.rw); s.err == nil; {
		f, err := r.Next()
		if err != nil {
			return err
		}
		s.handle(ctx, f)
	}
	return s.err
}

func (s *Server) send(m pdu.Message, from int32) {
	out, err := m.Encode(s.out[:0])
	if err != nil {
		s.logf("cannot send %v: %v", m.Type(), err)
		out, _ = (&pdu.Error{Code: pmerr.Of(err)}).Encode(s.out[:0])
	}
	pdu.SetFrom(out, from)
	if s.out = out; s.err == nil {
		_, s.err = s.rw.Write(out)
	}
	if cap(s.out) > keepBuffer {
		s.out = nil
	}
}

const keepBuffer = 1 << 20 // bytes of the largest buffer that is kept for the next message

func (s *Server) logf(format string, args ...any) {
	if s.Logf != nil {
		s.Logf(format, args...)
	}
}

func (s *Server) waitReady(ctx context.Context) {
	if w, ok := s.Provider.(Waiter); ok {
		if err := w.WaitReady(ctx); err != nil {
			s.err = fmt.Errorf("not ready: %w", err)
			return
		}
	}
	s.send(&pdu.Error{Code: pmerr.PMDAReady}, 0)
}

// handle takes one message (collector.md C2).
func (s *Server) handle(ctx context.Context, f pdu.Frame) {
	switch f.Type {
	case pdu.TypeProfile:
		s.setProfile(f)
	case pdu.TypeAttr:
		s.setAttr(f)
	case pdu.TypeError:
		s.takeError(f)
	case pdu.TypeCreds:
	default:
		if m := s.message(f.Type); m != nil {
			s.answer(ctx, f, m)
		} else {
			s.logf("%v of %d bytes ignored", f.Type, len(f.Body))
		}
	}
}

func (s *Server) answer(ctx context.Context, f pdu.Frame, m pdu.Message) {
	m, err := s.reply(ctx, s.client(f.From), f, m)
	_, waits := s.Provider.(Waiter)
	switch code := pmerr.Of(err); {
	case err == nil:
		s.send(m, 0)
	case ctx.Err() != nil:
		s.err = ctx.Err()
	case errors.Is(err, pdu.ErrFormat):
		s.logf("bad %v: %v", f.Type, err)
		s.send(&pdu.Error{Code: pmerr.IPC}, 0)
	case code == ErrNotReady && waits:
		s.send(&pdu.Error{Code: code}, 0)
		s.waitReady(ctx)
	case code == ErrNotReady:
		s.send(&pdu.Error{Code: pmerr.Again}, 0)
	case code >= 0:
		s.send(&pdu.Error{Code: pmerr.Generic}, 0)
	default:
		s.send(&pdu.Error{Code: code}, 0)
	}
}

func (s *Server) client(number int32) *Client {
	c := s.clients[number]
	if c == nil {
		c = &Client{Number: number}
		s.clients[number] = c
	}
	return c
}

func (s *Server) endClient(number int32) {
	// The provider may learn of a client only by its end.
	if w, ok := s.Provider.(ClientWatcher); ok {
		w.EndClient(s.client(number))
	}
	delete(s.clients, number)
}

// setProfile takes the profile of the next fetch. No answer is sent, not even an error.
func (s *Server) setProfile(f pdu.Frame) {
	var m pdu.Profile
	if err := m.Decode(f.Body); err != nil {
		s.logf("bad %v: %v", f.Type, err)
		return
	}
	s.profile = profileOf(&m)
	if w, ok := s.Provider.(ProfileWatcher); ok {
		w.SetProfile(s.client(f.From), s.profile)
	}
}

func profileOf(m *pdu.Profile) *pcp.Profile {
	p := new(pcp.Profile)
	if m.Exclude {
		p.DelAll()
	}
	for _, e := range m.Entries {
		// An empty list means all instances to Add and Del, but none in a message.
		change, other := p.Add, p.Del
		if e.Exclude {
			change, other = p.Del, p.Add
		}
		if change(e.InDom); len(e.Insts) > 0 {
			other(e.InDom, e.Insts...)
		}
	}
	return p
}

// setAttr takes an attribute of a client. No answer is sent.
func (s *Server) setAttr(f pdu.Frame) {
	var m pdu.Attr
	if err := m.Decode(f.Body); err != nil {
		s.logf("bad %v: %v", f.Type, err)
		return
	}
	c := s.client(f.From)
	if c.Attrs == nil {
		c.Attrs = map[pdu.AttrCode]string{}
	}
	c.Attrs[m.Code] = strings.TrimRight(string(m.Value), "\x00")
	if w, ok := s.Provider.(ClientWatcher); ok {
		w.SetAttr(c, m.Code)
	}
}

// takeError takes a status: NotConn is the end of a client, others are ignored.
func (s *Server) takeError(f pdu.Frame) {
	var m pdu.Error
	if err := m.Decode(f.Body); err != nil || m.Code != pmerr.NotConn {
		s.logf("%v %d ignored", f.Type, int32(m.Code))
		return
	}
	s.endClient(f.From)
}
