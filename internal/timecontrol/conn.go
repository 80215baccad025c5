package timecontrol

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Stage is the step at which connecting failed.
type Stage int

// The stages.
const (
	Starting Stage = iota // the server could not be started, or did not write its port
	Reaching              // no server answers at the port
	Greeting              // the server does not speak the time control protocol
)

// An Error is the reason of a failed connection.
type Error struct {
	Stage Stage
	Err   error
}

// Error implements error.
func (e *Error) Error() string {
	return "timecontrol: " + [...]string{"starting the server: ", "", "greeting the server: "}[e.Stage] + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// patience is the limit for the answer to the greeting, for the rest of a packet, and for sending one.
// Packets themselves have no limit: they depend on the user at the server's window.
const patience = 10 * time.Second

// A Conn is a connection to a time control server. A goroutine may receive while another sends.
type Conn struct {
	conn net.Conn
	head [headSize]byte
	body [maxSize - headSize]byte
}

// Connect connects to the server on a port of this machine. set describes the client: its kind,
// interval, position, bounds and zone. An error is an *Error.
func Connect(ctx context.Context, port int, set *Packet) (*Conn, error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, &Error{Reaching, err}
	}
	c := &Conn{conn: conn}
	if err := c.greet(ctx, set); err != nil {
		conn.Close()
		return nil, &Error{Greeting, err}
	}
	return c, nil
}

func (c *Conn) greet(ctx context.Context, set *Packet) error {
	first := *set
	first.Command = Set
	if err := c.Send(&first); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := c.receiveUpTo(ctx, headSize)
	switch {
	case err != nil:
		return err
	case answer.Command != Ack:
		return fmt.Errorf("%w: command %d instead of an acknowledgement", pmerr.IPC, answer.Command)
	case answer.Kind != set.Kind:
		return fmt.Errorf("%w: the server's source is of kind %d, not %d", pmerr.IPC, answer.Kind, set.Kind)
	}
	return nil
}

// Start starts a server, the program pmtime found by PATH, and connects to it. The server continues
// after the end of the client: other clients may join it. Its messages go to stderr. An error is an
// *Error.
func Start(ctx context.Context, set *Packet, stderr io.Writer) (*Conn, error) {
	server := exec.Command("pmtime", "-h")
	if set.Kind == Recorded {
		server = exec.Command("pmtime", "-a")
	}
	server.Stderr = stderr
	port, err := startServer(ctx, server)
	if err != nil {
		return nil, &Error{Starting, err}
	}
	return Connect(ctx, port, set)
}

// startServer returns the port that the server writes to its standard output.
func startServer(ctx context.Context, server *exec.Cmd) (port int, err error) {
	out, err := server.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := server.Start(); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = out.Close() })
	line := make([]byte, 0, 64)
	for len(line) < cap(line) && !strings.Contains(string(line), "\n") && err == nil {
		var n int
		n, err = out.Read(line[len(line):cap(line)])
		line = line[:len(line)+n]
	}
	stop()
	_ = out.Close()
	go func() { _ = server.Wait() }() // the server's exit status is ignored
	if _, err := fmt.Sscanf(string(line), "port=%d", &port); err != nil {
		return 0, fmt.Errorf("pmtime does not begin with its port, port=N, but with %q: %w", line, pmerr.IPC)
	}
	return port, nil
}

// Send sends a packet.
func (c *Conn) Send(p *Packet) error {
	packet, err := p.Encode(nil)
	if err != nil {
		return err
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err = c.conn.Write(packet)
	return err
}

// Acknowledge reports the step to a position as done. The server delays the next step until then.
func (c *Conn) Acknowledge(position pcp.Timestamp) error {
	return c.Send(&Packet{Command: Ack, Position: position})
}

// ShowDialog shows or hides the server's window.
func (c *Conn) ShowDialog(visible bool) error {
	if visible {
		return c.Send(&Packet{Command: Show})
	}
	return c.Send(&Packet{Command: Hide})
}

// SetBounds reports new bounds of the client's archive to the server.
func (c *Conn) SetBounds(start, end pcp.Timestamp) error {
	return c.Send(&Packet{Command: Bounds, Kind: Recorded, Start: start, End: end})
}

// Receive waits for the server's next packet, without limit, and returns it. A server that ends the
// connection is io.EOF, one that breaks the protocol pmerr.IPC; after any error the connection is
// unusable.
func (c *Conn) Receive(ctx context.Context) (*Packet, error) { return c.receiveUpTo(ctx, maxSize) }

func (c *Conn) receiveUpTo(ctx context.Context, limit uint32) (*Packet, error) {
	if err := c.conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	packet, err := c.receive(ctx, limit)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return packet, err
}

// receive reads a packet: after its first byte the rest must follow soon.
func (c *Conn) receive(ctx context.Context, limit uint32) (*Packet, error) {
	n, err := c.conn.Read(c.head[:])
	if err != nil {
		return nil, err
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // receiving may have overwritten the deadline
		return nil, ctx.Err()
	}
	if _, err := io.ReadFull(c.conn, c.head[n:]); err != nil {
		return nil, short(err)
	}
	size := binary.NativeEndian.Uint32(c.head[4:])
	if size < headSize || size > limit {
		return nil, fmt.Errorf("timecontrol: packet of %d bytes: %w", size, pmerr.IPC)
	}
	body := c.body[:size-headSize]
	if _, err := io.ReadFull(c.conn, body); err != nil {
		return nil, short(err)
	}
	packet := new(Packet)
	return packet, packet.Decode(append(c.head[:], body...))
}

func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("timecontrol: packet cut short: %w", pmerr.IPC)
	}
	return err
}

// Close ends the connection.
func (c *Conn) Close() error { return c.conn.Close() }
