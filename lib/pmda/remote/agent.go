// Package remote is the daemon's side of the protocol of agents: it starts an agent, or connects to
// one, and sends it requests.
//
//	a, err := remote.Start(ctx, exec.Command("./pmdaspool", "-d", "450"), &remote.Options{Domain: 450})
//	d, err := a.Desc(ctx, client, pcp.NewID(450, 1, 0))
//	err = a.Close()
//
// An [Agent] is a [pmda.Provider], so code that uses a provider can use a separate program instead.
// [Serve] makes an Agent of a provider in this process, for tests of the messages that agents
// write.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Options say how an agent is spoken to. The zero value is the default.
type Options struct {
	// Domain is the domain of the agent's metrics.
	Domain uint32
	// Names are the names of the agent's metrics, which the agent itself does not know: the daemon
	// has them from its name space.
	Names []pmda.Name
	// NotReady says that the agent sends a word when it can be asked; before, every request is
	// pmerr.Again. It is the word notready in the daemon's configuration.
	NotReady bool
	// CredsTimeout is how long the agent may take to introduce itself, 0 for 3 seconds, Timeout how
	// long to answer, 0 for 5 seconds. A negative time is without limit.
	CredsTimeout, Timeout time.Duration
	// Stderr takes the standard error of a program that is started; nil drops it.
	Stderr io.Writer
}

// The daemon's limits.
const (
	defaultCredsTimeout = 3 * time.Second
	defaultTimeout      = 5 * time.Second
)

// An Agent is an agent at the other end of a connection. It implements [pmda.Provider] and all
// optional interfaces except [pmda.Waiter]: while the agent is not ready, requests fail with
// pmerr.Again, and [Agent.Ready] waits.
//
// Errors are those of the agent, as a [pmerr.Code]. If the agent breaks the protocol, ends, or does
// not answer in time, this and every later request fails with an error that wraps pmerr.NoAgent.
// Goroutines may not share it.
type Agent struct {
	creds   pdu.Creds
	opts    Options
	rw      io.ReadWriteCloser
	frames  chan pdu.Frame
	done    chan struct{} // closed by Close
	readErr error         // why the connection has ended
	err     error         // why the agent is not asked any more
	ready   bool
	end     func() error // ends what Start and Serve have started
	out     []byte

	types   map[pcp.ID]pcp.Type
	profile []byte // sent last
	client  int32  // for which it was sent
	result  pdu.Result
}

// New introduces itself to the agent at the other end of rw, which it closes if that fails.
func New(ctx context.Context, rw io.ReadWriteCloser, opts *Options) (*Agent, error) {
	a := &Agent{rw: rw, frames: make(chan pdu.Frame), done: make(chan struct{}), types: map[pcp.ID]pcp.Type{}}
	if opts != nil {
		a.opts = *opts
	}
	a.opts.CredsTimeout = cmp.Or(a.opts.CredsTimeout, defaultCredsTimeout)
	a.opts.Timeout = cmp.Or(a.opts.Timeout, defaultTimeout)
	a.ready = !a.opts.NotReady
	go a.read()
	f, err := a.next(ctx, a.opts.CredsTimeout)
	if err == nil {
		err = a.introduce(f)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the agent does not introduce itself: %w", err), a.Close())
	}
	return a, nil
}

func (a *Agent) introduce(f pdu.Frame) error {
	if f.Type != pdu.TypeCreds {
		return fmt.Errorf("%w: %v where %v was expected", pmerr.IPC, f.Type, pdu.TypeCreds)
	}
	if err := a.creds.Decode(f.Body); err != nil {
		return err
	}
	if a.creds.Version != protocolVersion {
		return fmt.Errorf("%w: version %d of the protocol, not %d", pmerr.IPC, a.creds.Version, protocolVersion)
	}
	return a.Send(&pdu.Creds{Version: protocolVersion}, 0)
}

const protocolVersion = 2

// wants reports whether the agent has asked for the attributes of clients.
func (a *Agent) wants() bool { return a.creds.Flags&(pmda.FlagAttrs|pmda.FlagContainers) != 0 }

func (a *Agent) read() {
	defer close(a.frames)
	for r := pdu.NewReader(a.rw); ; {
		f, err := r.Next()
		if err != nil {
			a.readErr = err
			return
		}
		f.Body = bytes.Clone(f.Body)
		select {
		case a.frames <- f:
		case <-a.done:
			return
		}
	}
}

// next waits for a message. A negative time is without limit.
func (a *Agent) next(ctx context.Context, limit time.Duration) (pdu.Frame, error) {
	var late <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		late = t.C
	}
	select {
	case f, ok := <-a.frames:
		switch {
		case ok:
			return f, nil
		case errors.Is(a.readErr, io.EOF):
			return f, fmt.Errorf("%w: the agent has ended", pmerr.NoAgent)
		}
		return f, fmt.Errorf("%w: %w", pmerr.NoAgent, a.readErr)
	case <-late:
		return pdu.Frame{}, fmt.Errorf("%w: nothing in %v", pmerr.NoAgent, limit)
	case <-ctx.Done():
		return pdu.Frame{}, ctx.Err()
	}
}

// Send sends a message on behalf of a client. Without a time limit it may block while the agent
// does not read.
func (a *Agent) Send(m pdu.Message, client int32) error {
	if a.err != nil {
		return a.err
	}
	out, err := m.Encode(a.out[:0])
	if err != nil {
		return err
	}
	pdu.SetFrom(out, client)
	a.out = out
	return a.Write(out)
}

// Write writes bytes as they are, for tests of agents that get something other than a message.
func (a *Agent) Write(b []byte) error {
	if a.err != nil {
		return a.err
	}
	if limit := a.opts.Timeout; limit > 0 {
		// An agent that does not read must not stop its daemon.
		stop := time.AfterFunc(limit, func() { a.rw.Close() })
		defer stop.Stop()
	}
	if _, err := a.rw.Write(b); err != nil {
		return a.fail(fmt.Errorf("%w: %w", pmerr.NoAgent, err))
	}
	return nil
}

func (a *Agent) fail(err error) error {
	if !errors.Is(err, pmerr.NoAgent) {
		err = fmt.Errorf("%w: %w", pmerr.NoAgent, err)
	}
	a.err = err
	a.rw.Close()
	return err
}

// Check implements pmda.Checker: it reports whether the agent can be asked.
func (a *Agent) Check(context.Context, *pmda.Client) error {
	for a.err == nil {
		select {
		case f, ok := <-a.frames:
			if !ok {
				return a.fail(fmt.Errorf("%w: the agent has ended", pmerr.NoAgent))
			}
			if err := a.unasked(f); err != nil {
				return err
			}
			continue
		default:
		}
		if !a.ready {
			return pmerr.Again
		}
		return nil
	}
	return a.err
}

// Ready waits until the agent is ready.
func (a *Agent) Ready(ctx context.Context) error {
	for a.err == nil && !a.ready {
		f, err := a.next(ctx, -1)
		if err != nil {
			return err
		}
		if err := a.unasked(f); err != nil {
			return err
		}
	}
	return a.err
}

// unasked takes a message that answers no request: the agent reports that it is ready.
func (a *Agent) unasked(f pdu.Frame) error {
	var m pdu.Error
	if f.Type != pdu.TypeError || m.Decode(f.Body) != nil || m.Code != pmerr.PMDAReady {
		return a.fail(fmt.Errorf("%w: %v that was not asked for", pmerr.IPC, f.Type))
	}
	a.ready = true
	return nil
}

// Ask sends a request on behalf of a client and decodes the answer, which must be of the type of
// reply. The answer to a store is a [pdu.Error] with the code 0.
func (a *Agent) Ask(ctx context.Context, client int32, m, reply pdu.Message) error {
	if err := a.Check(ctx, nil); err != nil {
		return err
	}
	if err := a.Send(m, client); err != nil {
		return err
	}
	return a.Answer(ctx, reply)
}

// Answer waits for the answer to the last request and decodes it; see Ask.
func (a *Agent) Answer(ctx context.Context, reply pdu.Message) error {
	if a.err != nil {
		return a.err
	}
	f, err := a.next(ctx, a.opts.Timeout)
	if err != nil {
		// An answer that comes later would be taken for that to the next request.
		return a.fail(err)
	}
	var failed pdu.Error
	if f.Type == pdu.TypeError {
		if err := failed.Decode(f.Body); err != nil {
			return a.fail(err)
		}
		switch {
		case failed.Code == pmerr.PMDANotReady:
			a.ready = false
			return pmerr.Again
		case failed.Code != 0:
			return failed.Code
		}
	}
	if f.Type != reply.Type() {
		return a.fail(fmt.Errorf("%w: the answer is %v where %v was expected", pmerr.IPC, f.Type, reply.Type()))
	}
	if err := reply.Decode(f.Body); err != nil {
		return a.fail(fmt.Errorf("bad %v: %w", f.Type, err))
	}
	return nil
}

// Close ends the connection, and the program or server that Start or Serve started. It returns the
// error with which that ended.
func (a *Agent) Close() error {
	select {
	case <-a.done:
		return nil
	default:
	}
	close(a.done)
	a.rw.Close()
	if a.err == nil {
		a.err = fmt.Errorf("%w: closed", pmerr.NoAgent)
	}
	if a.end != nil {
		return a.end()
	}
	return nil
}
