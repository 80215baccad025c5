package pmda

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
)

type pipe struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer. The streams end with the program.
func (pipe) Close() error { return nil }

// connect returns the connection to the daemon: a pipe, or the first that is made to the port or
// path of the command line.
func (p *program) connect(ctx context.Context, f *flags) (io.ReadWriteCloser, error) {
	switch f.transport {
	case 'i':
		return acceptPort(ctx, "tcp4", "127.0.0.1", f.address)
	case '6':
		return acceptPort(ctx, "tcp6", "::1", f.address)
	case 'u':
		return acceptPath(ctx, f.address)
	}
	return pipe{p.stdin, p.stdout}, nil
}

func acceptPort(ctx context.Context, network, host, port string) (net.Conn, error) {
	n, err := net.DefaultResolver.LookupPort(ctx, network, port)
	if err != nil {
		return nil, fmt.Errorf("port %s: %w", port, err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(n)))
	if err != nil {
		return nil, err
	}
	return accept(ctx, l)
}

// acceptPath waits for the connection to a socket in the file system. It first removes an old
// socket of that name.
func acceptPath(ctx context.Context, path string) (net.Conn, error) {
	if fi, err := os.Lstat(path); err == nil && fi.Mode()&fs.ModeSocket != 0 {
		os.Remove(path)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	// As with the reference's agents, the socket is left for the next agent to remove.
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		l.Close()
		return nil, err
	}
	giveToUser(path, os.Getenv("PCP_USER"))
	return accept(ctx, l)
}

// accept returns the first connection that is made. There is one daemon, so there is one
// connection.
func accept(ctx context.Context, l net.Listener) (net.Conn, error) {
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	c, err := l.Accept()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return c, err
}
