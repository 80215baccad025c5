package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync/atomic"
	"time"

	"pmtools/lib/pmda"
)

const endTimeout = 5 * time.Second // how long a program may run on after its input has ended

// Start runs an agent over its standard input and output, which cmd must leave unset. Close ends
// its input; the program must then exit with status 0.
func Start(ctx context.Context, cmd *exec.Cmd, opts *Options) (*Agent, error) {
	p := &process{cmd: cmd}
	if opts != nil {
		cmd.Stderr = opts.Stderr
	}
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := start(cmd); err != nil {
		return nil, err
	}
	a, err := New(ctx, p, opts)
	if err != nil {
		if ctx.Err() != nil {
			kill(cmd) // nobody waits for its end
		}
		return nil, errors.Join(err, p.wait())
	}
	a.end = p.wait
	return a, nil
}

// start starts a program in a process group of its own, so that kill reaches its children too.
// A process that holds the program's output open does not keep Wait from returning for more than a
// second.
func start(cmd *exec.Cmd) error {
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	return cmd.Start()
}

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends the program's input.
func (p *process) Close() error { return p.in.Close() }

// wait waits for the end of the program, and kills the processes that it leaves.
func (p *process) wait() error {
	var late atomic.Bool
	t := time.AfterFunc(endTimeout, func() {
		late.Store(true)
		kill(p.cmd)
	})
	err := p.cmd.Wait()
	t.Stop()
	kill(p.cmd)
	if late.Load() {
		return fmt.Errorf("%s runs on %v after its input has ended", p.cmd.Path, endTimeout)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.cmd.Path, err)
	}
	return nil
}

// Dial connects to an agent that listens: network is "unix", "tcp4" or "tcp6".
func Dial(ctx context.Context, network, address string, opts *Options) (*Agent, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return New(ctx, c, opts)
}

// Serve makes an Agent of a server in this process; requests pass through the protocol. Close ends
// the server, and returns the error of its Serve.
func Serve(ctx context.Context, s *pmda.Server, opts *Options) (*Agent, error) {
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(ctx, far)
		far.Close()
	}()
	o := Options{}
	if opts != nil {
		o = *opts
	}
	o.Domain = cmp.Or(o.Domain, s.Provider.Domain())
	if o.Names == nil {
		o.Names = s.Provider.Names()
	}
	o.NotReady = o.NotReady || s.NotReady
	a, err := New(ctx, near, &o)
	if err != nil {
		return nil, errors.Join(err, <-ended)
	}
	a.end = func() error { return <-ended }
	return a, nil
}
