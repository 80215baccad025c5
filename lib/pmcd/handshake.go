package pmcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// Connection set-up (wire.md W3): the daemon's greeting offers features, the client answers with
// its choice, then starts TLS, authenticates and names a container, as far as requested. The daemon
// refuses authentication or container only in reply to the first request, so set-up ends with a
// request that every daemon permits.

// A setup is the state of setting up a connection: the wanted features, and answers to prompts, which serve
// several attempts.
type setup struct {
	d    *Dialer
	spec *Spec

	secure    SecureMode
	auth      bool
	container *Attr

	answers map[string]string // answers to prompts
}

// newSetup derives the wanted features from the specification (wire.md W2.6).
func (d *Dialer) newSetup(spec *Spec) (*setup, error) {
	s := &setup{d: d, spec: spec, secure: d.Secure, answers: map[string]string{}}
	if !spec.local() && len(spec.Hosts) == 0 {
		return nil, pmerr.NotHost
	}
	if spec.Scheme == schemePCPS {
		a, _ := spec.Attr(attrSecure)
		s.secure = secureMode(a.Value)
	}
	for _, key := range []string{attrUserAuth, attrUserName, attrPassword, attrMethod, attrRealm} {
		if _, ok := spec.Attr(key); ok {
			s.auth = true
		}
	}
	if a, ok := spec.Attr(attrContainer); ok {
		s.container = &a
	} else if d.Container != nil {
		if !validContainer(*d.Container) {
			return nil, because(pmerr.EINVAL, fmt.Errorf("container name %q", *d.Container))
		}
		s.container = &Attr{Key: attrContainer, Value: *d.Container, Set: true}
	}
	return s, nil
}

// secureMode returns the meaning of the attribute secure and of PCP_SECURE_SOCKETS.
func secureMode(text string) SecureMode {
	switch text {
	case "", "1", "enforce":
		return SecureEnforce
	case "relaxed":
		return SecureRelaxed
	}
	return SecureNone
}

func validContainer(name string) bool {
	for _, c := range []byte(name) {
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_') {
			return false
		}
	}
	return name != ""
}

const protocolVersion = 2

// handshake sets up a connection to the daemon on host. nc is closed if that fails.
func (s *setup) handshake(ctx context.Context, nc net.Conn, host string, local bool) (*Conn, error) {
	c := newConn(nc, connOptions{timeout: s.d.requestTimeout(), trace: s.d.Trace})
	addr := c.addr()
	if local {
		addr = cmp.Or(s.spec.Path, s.d.Socket, defaultSocket)
	}
	if err := s.agree(ctx, c, host, local); err != nil {
		c.Close()
		var own *Error
		switch {
		case ctx.Err() != nil:
			err = &Error{Op: "handshake", Addr: addr, Err: ctx.Err()}
		case !errors.As(err, &own):
			err = &Error{Op: "handshake", Addr: addr, Err: err}
		}
		return nil, err
	}
	s.d.late.emit(s.d, lateRequest)
	return c, nil
}

func (s *setup) agree(ctx context.Context, c *Conn, host string, local bool) error {
	if err := greeting(ctx, c); err != nil {
		return err
	}
	s.d.step("context", "%s: greeting, version=%d features=%#x", c.addr(), protocolVersion, uint32(c.features))
	flags, err := s.negotiate(c.features, host, local)
	if err != nil {
		return err
	}
	s.d.step("context", "%s: credentials, version=%d features=%#x", c.addr(), protocolVersion, uint16(flags))
	if flags&featureCertReqd != 0 && !s.hasCertificate(host) {
		return because(pmerr.NeedClientCert, errors.New("none is configured"))
	}
	if err := c.send(ctx, &pdu.Creds{Version: protocolVersion, Flags: uint16(flags)}); err != nil {
		return err
	}
	if flags&featureSecure != 0 {
		if err := s.encrypt(ctx, c, flags, host, local); err != nil {
			return err
		}
	}
	// A local socket identifies the user to the daemon, which satisfies CREDS_REQD (wire.md W3.10).
	authenticate := flags&featureAuth != 0 || flags&featureCredsReqd != 0 && !local
	if authenticate {
		if err := s.authenticate(ctx, c, local || flags&featureSecure != 0); err != nil {
			return err
		}
	}
	if flags&featureContainer != 0 {
		if !s.container.Set {
			return because(codeSrch, errors.New("container without a name"))
		}
		s.d.step("attr", "__pmSendAttr [len=%d]: attr=%#x value=\"%s\"", len(s.container.Value), int(pdu.AttrContainer), s.container.Value)
		if err := c.send(ctx, &pdu.Attr{Code: pdu.AttrContainer, Value: []byte(s.container.Value)}); err != nil {
			return err
		}
	}
	if authenticate || flags&(featureSecure|featureContainer) != 0 {
		err := c.confirm(ctx)
		if c.broken != nil && ctx.Err() == nil && flags&featureSecure != 0 {
			return s.rejected(c, host, err)
		}
		return err
	}
	return nil
}

// oldCodes is the difference between error codes and those of the protocol's first version, which
// greetings still use.
const oldCodes = 11345

func greeting(ctx context.Context, c *Conn) error {
	f, err := c.recv(ctx)
	if err != nil {
		return err
	}
	var g pdu.Error
	if f.Type != pdu.TypeError {
		return because(pmerr.IPC, fmt.Errorf("%v instead of a greeting", f.Type))
	}
	if err := g.Decode(f.Body); err != nil {
		return because(pmerr.IPC, err)
	}
	switch {
	case !g.Greeting:
		return because(pmerr.IPC, errors.New("greeting too short"))
	case g.Code <= -1000:
		return g.Code - oldCodes
	case g.Code < 0:
		return g.Code
	}
	c.features = feature(g.Info)
	return nil
}

// negotiate returns the client's choice from the daemon's offer (wire.md W3.4).
func (s *setup) negotiate(offer feature, host string, local bool) (feature, error) {
	var want feature
	if offer&featureCredsReqd != 0 {
		want |= featureCredsReqd
	}
	if offer&featureCertReqd != 0 && !local && !strings.Contains(host, "localhost") {
		if s.secure == SecureNone {
			return 0, pmerr.NeedClientCert
		}
		want |= featureCertReqd
	}
	if s.secure == SecureEnforce || s.secure == SecureRelaxed && offer&featureSecure != 0 {
		want |= featureSecure | offer&featureSecureAck
	}
	if _, ok := s.spec.Attr(attrCompress); ok {
		return 0, because(codeNotSup, errors.New("compression is not supported"))
	}
	if s.auth {
		want |= featureAuth
	}
	if s.container != nil {
		want |= featureContainer
	}
	if missing := want &^ offer; missing != 0 {
		return 0, because(codeNotSup, fmt.Errorf("the daemon does not offer %s", featureText(missing)))
	}
	return want, nil
}

func featureText(f feature) string {
	var words []string
	for _, w := range []struct {
		bit  feature
		word string
	}{{featureSecure, "TLS"}, {featureAuth, "authentication"}, {featureContainer, "containers"}} {
		if f&w.bit != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " and ")
}

func (s *setup) encrypt(ctx context.Context, c *Conn, flags feature, host string, local bool) error {
	if flags&featureSecureAck != 0 {
		f, err := c.recv(ctx)
		if err != nil {
			return err
		}
		var ack pdu.Error
		switch {
		case f.Type != pdu.TypeError:
			return because(pmerr.IPC, fmt.Errorf("%v where the start of TLS was expected", f.Type))
		case ack.Decode(f.Body) != nil || ack.Code > 0:
			return because(pmerr.IPC, errors.New("the start of TLS cannot be read"))
		case ack.Code < 0:
			return ack.Code
		}
	}
	if c.r.Started() { // plain text sent ahead by an attacker, to be taken for text within TLS
		return because(pmerr.TLS, errors.New("plain text after the start of TLS"))
	}
	conf, err := s.tlsConfig(host, local)
	if err != nil {
		if _, ok := errors.AsType[*TLSFileError](err); ok {
			return because(pmerr.NotConn, err)
		}
		return because(pmerr.TLS, err)
	}
	nc, err := startTLS(ctx, c.nc, conf, s.d.requestTimeout())
	if err != nil {
		s.d.step("tls", "%s: handshake: %v", c.addr(), err)
		return err
	}
	s.secured(c, nc)
	c.upgrade(nc)
	return nil
}

// confirm makes a request that cannot fail on a good connection. Late refusals of earlier steps are its answer.
func (c *Conn) confirm(ctx context.Context) error {
	return c.call(ctx, &pdu.Child{}, &pdu.Names{})
}

// rejected returns the error of a connection that ended after TLS had begun: with TLS 1.3 pmcd judges our
// certificate only then, and may hang up without a message.
func (s *setup) rejected(c *Conn, host string, err error) error {
	var op *net.OpError
	switch {
	case pmerr.Of(err) == pmerr.Timeout:
		return err
	case c.features&featureCertReqd != 0 && !s.hasCertificate(host):
		return because(pmerr.NeedClientCert, errors.New("none is configured"))
	case errors.As(err, &op) && op.Op == "remote error":
		return because(pmerr.TLS, fmt.Errorf("the daemon says: %w", op.Err))
	}
	return because(pmerr.TLS, fmt.Errorf("the daemon ended the connection, perhaps for want of a client certificate: %w", err))
}
