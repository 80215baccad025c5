package pmcd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"pmtools/lib/pmerr"
)

// A connection through a proxy begins with lines of text (wire.md W4): each side sends its version
// of the proxy's protocol, and the client sends the daemon's host and port. Afterwards the proxy
// forwards all bytes.

const (
	proxyHello  = "pmproxy-client 1\n"
	proxyAnswer = "pmproxy-server 1"
	maxAnswer   = 74 // the bytes of a proxy's first line that the reference shows
)

// proxy returns the proxy of the specification, or the default one. Sockets of this host need none.
func (s *setup) proxy() (Host, bool) {
	if s.spec.local() {
		return Host{}, false
	}
	if len(s.spec.Hosts) > 1 {
		return s.spec.Hosts[1], true
	}
	if s.d.Proxy == "" {
		return Host{}, false
	}
	return Host{Name: Redact(s.d.Proxy)}, true
}

// dialProxy connects through a proxy. final means that the proxy is unreachable: other ports of pmcd need
// not be tried.
func (s *setup) dialProxy(ctx context.Context, proxy Host, host string, port int) (c *Conn, final bool, err error) {
	proxyPort := cmp.Or(s.d.ProxyPort, defaultProxyPort)
	if len(proxy.Ports) > 0 {
		proxyPort = proxy.Ports[0]
	}
	fail := func(err error) error {
		return &Error{Op: "dial", Addr: address(proxy.Name, proxyPort), Err: cmp.Or(ctx.Err(), err)}
	}
	addrs, err := s.d.lookup(ctx, proxy.Name)
	if err != nil {
		return nil, true, fail(err)
	}
	nc, err := s.d.race(ctx, addrs, proxyPort)
	if err != nil {
		return nil, true, fail(err)
	}
	if err := s.passProxy(ctx, nc, s.numeric(ctx, host), port); err != nil {
		nc.Close()
		return nil, false, fail(err)
	}
	c, err = s.handshake(ctx, nc, host, false)
	return c, false, err
}

// numeric returns the address of host in digits: most proxies look no names up, and take any name for their
// own host.
func (s *setup) numeric(ctx context.Context, host string) string {
	addrs, err := s.d.lookup(ctx, host)
	if err != nil {
		return host
	}
	for _, a := range addrs {
		if a.Unmap().Is4() {
			return a.Unmap().String()
		}
	}
	return host
}

func (s *setup) passProxy(ctx context.Context, nc net.Conn, host string, port int) error {
	if limit := s.d.requestTimeout(); limit > 0 {
		nc.SetDeadline(time.Now().Add(limit))
		defer nc.SetDeadline(time.Time{})
	}
	ended := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	defer ended()
	if strings.ContainsAny(host, " \r\n") {
		return because(codeHostUnreach, fmt.Errorf("host name %q", host))
	}
	if _, err := io.WriteString(nc, proxyHello); err != nil {
		return proxyError(err)
	}
	line, err := readLine(nc)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		return proxyError(err)
	}
	if err != nil || line != proxyAnswer {
		shown, _, _ := strings.Cut(line, "\x00")
		s.d.warn(`__pmConnectPMCD: bad version string from pmproxy: "` + shown + `"`)
		return because(pmerr.IPC, cmp.Or(err, fmt.Errorf("the proxy says %q", line)))
	}
	if _, err := fmt.Fprintf(nc, "%s %d\n", host, port); err != nil {
		return proxyError(err)
	}
	return nil
}

func proxyError(err error) error {
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		return because(pmerr.Timeout, err)
	}
	return because(pmerr.IPC, err)
}

// readLine reads up to the end of a line and not a byte more: the next bytes belong to the daemon.
func readLine(r io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for len(line) < maxAnswer {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return string(line), err
		}
		if b[0] == '\n' || b[0] == '\r' {
			return string(line), nil
		}
		line = append(line, b[0])
	}
	return string(line), nil
}
