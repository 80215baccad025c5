package pmcd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A peer is the daemon's side of a connection in a test.
type peer struct {
	t  *testing.T
	nc net.Conn
	r  *pdu.Reader
}

// newPeer returns the daemon's side of nc.
func newPeer(t *testing.T, nc net.Conn) *peer {
	nc.SetDeadline(time.Now().Add(10 * time.Second))
	return &peer{t, nc, pdu.NewReader(nc)}
}

// send sends messages.
func (p *peer) send(ms ...pdu.Message) {
	for _, m := range ms {
		b, err := m.Encode(nil)
		if err != nil {
			p.t.Error(err)
		}
		p.nc.Write(b) // a client that has gone is the client's business
	}
}

// greet sends a greeting and returns the flags of the client's answer.
func (p *peer) greet(offer feature) feature {
	p.send(&pdu.Error{Greeting: true, Info: 0x02010000 | uint32(offer)})
	var c pdu.Creds
	p.receive(&c)
	return feature(c.Flags)
}

// receive reads one message, which must be of the type of m, and reports whether it came.
func (p *peer) receive(m pdu.Message) bool {
	f, err := p.r.Next()
	if err != nil {
		return false
	}
	if f.Type != m.Type() {
		p.t.Errorf("daemon: got %v, want %v", f.Type, m.Type())
		return false
	}
	if err := m.Decode(f.Body); err != nil {
		p.t.Error("daemon:", err)
	}
	return true
}

// sasl sends a challenge, unless it is nil, and returns the answer.
func (p *peer) sasl(challenge []byte) []byte {
	if challenge != nil {
		p.send(&pdu.Attr{Value: challenge})
	}
	var a pdu.Attr
	p.receive(&a)
	if a.Code != pdu.AttrSASL {
		p.t.Errorf("daemon: attribute %d", a.Code)
	}
	return a.Value
}

// confirm answers the request that confirms a set-up.
func (p *peer) confirm() {
	if p.receive(&pdu.Child{}) {
		p.send(&pdu.Names{Names: []string{"a"}})
	}
}

// encrypt starts TLS.
func (p *peer) encrypt(conf *tls.Config, ack bool) error {
	if ack {
		p.send(&pdu.Error{})
	}
	tc := tls.Server(p.nc, conf)
	p.nc, p.r = tc, pdu.NewReader(tc)
	return tc.Handshake()
}

// listen runs a daemon on the loopback interface, and returns its port.
func listen(t *testing.T, serve func(*peer)) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accept(t, l, serve)
	return l.Addr().(*net.TCPAddr).Port
}

// listenUnix runs a daemon on a Unix socket, and returns its path.
func listenUnix(t *testing.T, serve func(*peer)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip("no Unix sockets:", err)
	}
	accept(t, l, serve)
	return path
}

// accept serves the connections of l until the test ends.
func accept(t *testing.T, l net.Listener, serve func(*peer)) {
	var running sync.WaitGroup
	t.Cleanup(func() { l.Close(); running.Wait() })
	running.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				serve(newPeer(t, nc))
				nc.Close()
			})
		}
	})
}

// loopback is a Lookup for tests: every host but "nosuch" is this one.
func loopback(_ context.Context, host string) ([]netip.Addr, error) {
	if host == "nosuch" {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// testDialer returns a Dialer with short limits that needs no name server.
func testDialer(ports ...int) *Dialer {
	return &Dialer{Ports: ports, Lookup: loopback, RequestTimeout: 5 * time.Second, HostName: func() (string, error) { return "here", nil }}
}

// dialText connects to a specification.
func dialText(t *testing.T, d *Dialer, text string) (*Conn, error) {
	t.Helper()
	spec, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Dial(t.Context(), spec)
	if c != nil {
		t.Cleanup(func() { c.Close() })
	}
	if (c == nil) != (err != nil) {
		t.Fatalf("connection %v, error %v", c, err)
	}
	var own *Error
	if err != nil && !errors.As(err, &own) {
		t.Errorf("error of type %T", err)
	}
	return c, err
}

// checkCode fails if the code of err is another one.
func checkCode(t *testing.T, err error, want pmerr.Code) {
	t.Helper()
	if got := pmerr.Of(err); got != want {
		t.Errorf("code %d (%v), want %d; error %v", got, got, want, err)
	}
}

// drain reads until the client hangs up.
func drain(p *peer) { io.Copy(io.Discard, p.nc) }

// An authority signs certificates in tests.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// certTime is a moment at which the certificates of tests are valid.
var certTime = time.Now()

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t}
	c := a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	a.key = c.PrivateKey.(*ecdsa.PrivateKey)
	a.cert = c.Leaf
	return a
}

// sign returns a certificate made from a template, signed by a, or by itself if a has no key yet.
func (a *authority) sign(template *x509.Certificate) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = certTime.Add(-time.Hour), certTime.Add(time.Hour)
	}
	parent, signer := a.cert, a.key
	if signer == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// server returns the certificate of a daemon on a host.
func (a *authority) server(host string) tls.Certificate {
	return a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "daemon"}, DNSNames: []string{host}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// client returns the certificate of a client.
func (a *authority) client() tls.Certificate {
	return a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: "client"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
}

// pool returns a as the only one to trust.
func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// file writes a's certificate to a file in dir, and returns its path.
func (a *authority) file(dir string) string {
	return writePEM(a.t, filepath.Join(dir, a.cert.Subject.CommonName+".pem"), "CERTIFICATE", a.cert.Raw)
}

// files writes a certificate and its key to files in dir.
func files(t *testing.T, dir string, c tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, filepath.Join(dir, "cert.pem"), "CERTIFICATE", c.Certificate[0]), writePEM(t, filepath.Join(dir, "key.pem"), "PRIVATE KEY", der)
}

func writePEM(t *testing.T, path, kind string, der []byte) string {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
