package pmcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// Defaults of a [Dialer].
const (
	defaultPort           = 44321
	defaultProxyPort      = 44322
	defaultConnectTimeout = 5 * time.Second
	defaultRequestTimeout = 10 * time.Second
)

// A SecureMode decides about TLS where the specification does not.
type SecureMode int

// The modes.
const (
	SecureNone    SecureMode = iota
	SecureRelaxed            // if the daemon offers it
	SecureEnforce            // or not at all
)

// A Dialer connects to daemons. The zero value has the defaults; [DialerFromEnv] makes one from
// PCP's environment variables. Goroutines may share it while none changes it.
type Dialer struct {
	Ports  []int  // to try in order where the specification has none; default 44321
	Socket string // path of the default Unix socket; default /run/pcp/pmcd.socket

	// ConnectTimeout is the limit for connecting to one port, RequestTimeout the limit for each
	// answer of the daemon, in the handshake too. 0 is the default, a negative time no limit.
	ConnectTimeout, RequestTimeout time.Duration

	// Proxy is the host through which all TCP connections go whose specification has no proxy of
	// its own; "" means none. ProxyPort is 44322 by default.
	Proxy     string
	ProxyPort int

	Secure    SecureMode
	Container *string // container for specifications that name none; nil means no container

	// TLSConfPath names the TLS configuration file. It is read when a connection needs it, and may
	// be missing. TLSConfig is used instead if not nil.
	TLSConfPath string
	TLSConfig   *tls.Config

	// Prompt asks the user for the name or password that the specification lacks, on the device
	// Console, or the terminal if Console is "". The user is not asked if Prompt is nil or Console
	// is "none".
	Prompt  Prompt
	Console string

	// Warn gets each line that a command prints as a warning; nil drops it.
	Warn func(string)

	// Trace is called with each message sent (">") and received ("<"), for [pdu.Trace] say. Step is
	// called with each step of connecting: a topic (context, tls, auth or attr) and a line about it,
	// without secrets. Both may be nil.
	Trace func(direction string, f pdu.Frame)
	Step  func(topic, text string)

	// Delays are the pauses before further attempts to reconnect; the last one repeats. Default 5,
	// 10, 20, 40 and 80 seconds; see ReconnectDelays.
	Delays []time.Duration

	// NoRedial leaves a lost connection of a pmapi.Host lost until Reconnect is called, as the C
	// library does.
	NoRedial bool

	// The functions of the system: connecting, the addresses of a name, and this host's name. The
	// defaults are net.Dialer, net.DefaultResolver and os.Hostname.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Lookup      func(ctx context.Context, host string) ([]netip.Addr, error)
	HostName    func() (string, error)

	late    *lateWarnings
	tlsConf *tlsConf // instead of the file
}

// A Prompt asks for text, and shows the typed characters if echo is set.
type Prompt func(ctx context.Context, console, text string, echo bool) (string, error)

// ReconnectDelays returns d.Delays or the default.
func (d *Dialer) ReconnectDelays() []time.Duration {
	d.late.emit(d, lateReconnect)
	if len(d.Delays) > 0 {
		return d.Delays
	}
	return []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second}
}

// Dial connects to the daemon that spec names and sets the connection up: it negotiates features,
// starts TLS, and completes authentication. It tries sockets, ports and addresses in the
// reference's order. The error is an [*Error] of the last attempt, with the reference's code;
// [Reason] returns its cause.
func (d *Dialer) Dial(ctx context.Context, spec *Spec) (*Conn, error) {
	s, err := d.newSetup(spec)
	if err != nil {
		return nil, &Error{Op: "dial", Addr: spec.Host(), Err: err}
	}
	if spec.local() {
		return s.dialLocal(ctx)
	}
	return s.dialTCP(ctx, spec.Hosts[0].Name, spec.Hosts[0].Ports)
}

// dialLocal connects to a Unix socket, and with local: after a failure to this host's ports. Failures of
// unix: are reported as a missing file.
func (s *setup) dialLocal(ctx context.Context) (*Conn, error) {
	path := cmp.Or(s.spec.Path, s.d.Socket, defaultSocket)
	c, err := s.dialSocket(ctx, path)
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil:
		return nil, &Error{Op: "dial", Addr: Redact(path), Err: ctx.Err()}
	case s.spec.Scheme == schemeLocal:
		return s.dialTCP(ctx, "localhost", nil)
	}
	var own *Error
	if errors.As(err, &own) {
		err = own.Err
	}
	return nil, &Error{Op: "dial", Addr: Redact(path), Err: because(pmerr.ENOENT, err)}
}

func (s *setup) dialSocket(ctx context.Context, path string) (*Conn, error) {
	nc, err := s.d.dial(ctx, "unix", path)
	if err != nil {
		s.d.step("context", "__pmConnectPMCD(%s): %v", Redact(path), pmerr.Of(err))
		return nil, err
	}
	host, err := s.d.hostName()
	if err != nil {
		host = "localhost"
	}
	return s.handshake(ctx, nc, host, true)
}

func (s *setup) dialTCP(ctx context.Context, host string, ports []int) (*Conn, error) {
	if len(ports) == 0 {
		ports = s.d.Ports
	}
	if len(ports) == 0 {
		ports = []int{defaultPort}
	}
	proxy, viaProxy := s.proxy()
	var addrs []netip.Addr
	var err error
	if !viaProxy {
		if addrs, err = s.d.lookup(ctx, host); err != nil {
			s.connected(host, ports[0], err)
			return nil, &Error{Op: "dial", Addr: host, Err: cmp.Or(ctx.Err(), err)}
		}
	}
	for _, port := range ports {
		var c *Conn
		if viaProxy {
			var final bool
			if c, final, err = s.dialProxy(ctx, proxy, host, port); final {
				return nil, err
			}
		} else {
			c, err = s.dialPort(ctx, host, addrs, port)
		}
		s.connected(host, port, err)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, &Error{Op: "dial", Addr: address(host, port), Err: ctx.Err()}
		}
	}
	return nil, err
}

func (s *setup) connected(host string, port int, err error) {
	if err != nil {
		s.d.step("context", "__pmConnectPMCD(%s): pmcd connection port=%d failed: %v", host, port, pmerr.Of(err))
		return
	}
	s.d.step("context", "__pmConnectPMCD(%s): pmcd connection port=%d PDU version=%d", host, port, protocolVersion)
}

func (s *setup) dialPort(ctx context.Context, host string, addrs []netip.Addr, port int) (*Conn, error) {
	nc, err := s.d.race(ctx, addrs, port)
	if err != nil {
		return nil, &Error{Op: "dial", Addr: address(host, port), Err: err}
	}
	return s.handshake(ctx, nc, host, false)
}

// race connects to a port at all addresses at once, and keeps the first connection.
func (d *Dialer) race(ctx context.Context, addrs []netip.Addr, port int) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		nc  net.Conn
		err error
	}
	outcomes := make(chan outcome)
	for _, a := range addrs {
		go func() {
			nc, err := d.dial(ctx, "tcp", netip.AddrPortFrom(a, uint16(port)).String())
			outcomes <- outcome{nc, err}
		}()
	}
	var winner net.Conn
	var first error
	for range addrs {
		o := <-outcomes
		switch {
		case o.err != nil:
			first = cmp.Or(first, o.err)
		case winner != nil: // connected before cancel could stop it
			o.nc.Close()
		default:
			winner = o.nc
			cancel() // cancel the other attempts, and wait for their ends
		}
	}
	if winner != nil {
		return winner, nil
	}
	return nil, because(codeConnRefused, first)
}

func (d *Dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.late.emit(d, lateConnect)
	if limit := d.connectTimeout(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if d.DialContext != nil {
		return d.DialContext(ctx, network, address)
	}
	// It switches TCP's delay of small messages off. Requests have time-outs of their own:
	// keep-alive probes would add nothing but four system calls.
	nd := net.Dialer{KeepAlive: -1}
	for {
		nc, err := nd.DialContext(ctx, network, address)
		if !errors.Is(err, syscall.EAGAIN) {
			return nc, err
		}
		// The backlog of the daemon's Unix socket is full. A blocking connect would wait; ours does
		// not block, and so tries again.
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(busyPause):
		}
	}
}

const busyPause = 5 * time.Millisecond

// Codes of the PMAPI that are error numbers of Linux.
const (
	codeSrch        pmerr.Code = -3
	codeNotSup      pmerr.Code = -95
	codeConnRefused pmerr.Code = -111
	codeHostUnreach pmerr.Code = -113
)

func (d *Dialer) connectTimeout() time.Duration {
	return cmp.Or(d.ConnectTimeout, defaultConnectTimeout)
}

// requestTimeout returns the limit for answers, 0 for none.
func (d *Dialer) requestTimeout() time.Duration {
	return max(0, cmp.Or(d.RequestTimeout, defaultRequestTimeout))
}

func (d *Dialer) hostName() (string, error) {
	if d.HostName != nil {
		return d.HostName()
	}
	return os.Hostname()
}

func (d *Dialer) step(topic, format string, args ...any) {
	if d.Step != nil {
		d.Step(topic, fmt.Sprintf(format, args...))
	}
}

func (d *Dialer) warn(text string) {
	if d.Warn != nil {
		d.Warn(text)
	}
}

func because(code pmerr.Code, cause error) error {
	if cause == nil {
		return code
	}
	return &codedError{code, cause}
}

type codedError struct {
	code  pmerr.Code
	cause error
}

// Error omits the code's text for the two codes of failed connections: they stand for many causes, and may
// contradict the cause.
func (e *codedError) Error() string {
	if e.code == codeConnRefused || e.code == codeHostUnreach {
		return e.cause.Error()
	}
	return e.code.Error() + ": " + e.cause.Error()
}

func (e *codedError) Unwrap() []error { return []error{e.code, e.cause} }

// Reason returns the text of an error's cause, without the text of its code:
// "connect: no route to host" where the code's text is "Connection refused". It is empty if there
// is no cause besides the code.
func Reason(err error) string {
	for err != nil {
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			if errs := e.Unwrap(); len(errs) == 2 {
				if _, ok := errs[0].(pmerr.Code); ok {
					return strings.TrimPrefix(errs[1].Error(), "pmcd: ")
				}
			}
			return ""
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return ""
		}
	}
	return ""
}
