package pmcd

import (
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// raw is a message with any bytes after its length.
func raw(t pdu.Type, body ...byte) []byte {
	n := pdu.HeaderSize + len(body)
	return append([]byte{0, 0, 0, byte(n), 0, 0, byte(t >> 8), byte(t), 0, 0, 0, 0}, body...)
}

// TestGreeting checks the first messages of daemons (wire.md W3.1).
func TestGreeting(t *testing.T) {
	for _, tt := range []struct {
		name  string
		bytes []byte
		code  pmerr.Code
	}{
		{"welcome", raw(pdu.TypeError, 0, 0, 0, 0, 2, 1, 0x0e, 0x44), 0},
		{"other version", raw(pdu.TypeError, 0, 0, 0, 0, 7, 9, 0x0e, 0x44), 0},
		{"no permission", raw(pdu.TypeError, 0xff, 0xff, 0xfb, 0xee, 0, 0, 0, 0), pmerr.Permission},
		{"too many", raw(pdu.TypeError, 0xff, 0xff, 0xfb, 0xed, 0, 0, 0, 0), pmerr.ConnLimit},
		{"system error", raw(pdu.TypeError, 0xff, 0xff, 0xff, 0xf5, 0, 0, 0, 0), -11},
		{"short", raw(pdu.TypeError, 0, 0, 0, 0), pmerr.IPC},
		{"long", raw(pdu.TypeError, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0), pmerr.IPC},
		{"another message", raw(pdu.TypeDescReq, 0, 0, 0, 0), pmerr.IPC},
		{"another protocol", []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), pmerr.IPC},
		{"cut short", raw(pdu.TypeError, 0, 0, 0, 0, 2, 1, 0x0e, 0x44)[:17], pmerr.IPC},
		{"nothing", nil, pmerr.IPC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := listen(t, func(p *peer) {
				p.nc.Write(tt.bytes)
				if tt.code == 0 {
					var c pdu.Creds
					if p.receive(&c); c != (pdu.Creds{Version: 2}) {
						t.Errorf("credentials %+v", c)
					}
					drain(p)
				}
			})
			c, err := dialText(t, testDialer(port), "host")
			checkCode(t, err, tt.code)
			if c != nil && c.features != 0x0e44 {
				t.Errorf("features %#x", c.features)
			}
		})
	}
}

// TestNegotiate has the rules of wire.md W3.2 and W3.4.
func TestNegotiate(t *testing.T) {
	const plain, tls = feature(0x0e44), feature(0x0e55)
	const tlsS, tlsQ = feature(0x0e5d), feature(0x0ed5)
	name := "c"
	for _, tt := range []struct {
		name, spec string
		d          Dialer
		offer      feature
		want       feature
		code       pmerr.Code
	}{
		{"nothing", "h", Dialer{}, tls, 0, 0},
		{"pcp:", "pcp:h", Dialer{}, tls, 0, 0},
		{"pcps:", "pcps:h", Dialer{}, tls, 0x011, 0},
		{"pcps: enforced", "pcps:h?secure=enforce", Dialer{}, tls, 0x011, 0},
		{"pcps: 1", "pcps:h?secure=1", Dialer{}, tls, 0x011, 0},
		{"pcps: empty", "pcps:h?secure=", Dialer{}, tls, 0x011, 0},
		{"pcps: bare", "pcps:h?secure", Dialer{}, tls, 0x011, 0},
		{"pcps: relaxed", "pcps:h?secure=relaxed", Dialer{}, tls, 0x011, 0},
		{"pcps: relaxed, not there", "pcps:h?secure=relaxed", Dialer{}, plain, 0, 0},
		{"pcps: other word", "pcps:h?secure=ENFORCE", Dialer{}, tls, 0, 0},
		{"pcps: over the environment", "pcps:h?secure=foo", Dialer{Secure: SecureEnforce}, plain, 0, 0},
		{"pcps: not there", "pcps:h", Dialer{}, plain, 0, codeNotSup},
		{"without acknowledgement", "pcps:h", Dialer{}, featureSecure, 0x001, 0},
		{"environment", "h", Dialer{Secure: SecureEnforce}, tls, 0x011, 0},
		{"environment, not there", "h", Dialer{Secure: SecureEnforce}, plain, 0, codeNotSup},
		{"environment, socket", "unix:", Dialer{Secure: SecureEnforce}, plain, 0, codeNotSup},
		{"environment relaxed", "h", Dialer{Secure: SecureRelaxed}, tls, 0x011, 0},
		{"environment relaxed, not there", "h", Dialer{Secure: SecureRelaxed}, plain, 0, 0},
		{"secure without pcps:", "h?secure=enforce", Dialer{}, plain, 0, 0},
		{"compress", "h?compress", Dialer{}, tls | featureCompress, 0, codeNotSup},
		{"userauth", "h?userauth", Dialer{}, plain, 0x004, 0},
		{"user", "h?user=x", Dialer{}, plain, 0x004, 0},
		{"password", "h?pass=x", Dialer{}, plain, 0x004, 0},
		{"method", "h?method=x", Dialer{}, plain, 0x004, 0},
		{"realm", "h?realm=x", Dialer{}, plain, 0x004, 0},
		{"user, not there", "h?user=x", Dialer{}, 0x0e40, 0, codeNotSup},
		{"container", "h?container=x", Dialer{}, plain, 0x040, 0},
		{"container of the environment", "h", Dialer{Container: &name}, plain, 0x040, 0},
		{"container, not there", "h?container=x", Dialer{}, 0x0e04, 0, codeNotSup},
		{"everything", "pcps:h?user=x&container=y", Dialer{}, tls, 0x055, 0},
		{"without effect", "h?exclusive&unix&local&uid=0", Dialer{}, plain, 0, 0},
		{"-S", "h", Dialer{}, tlsS, 0x008, 0},
		{"-S with TLS and user", "pcps:h?user=x", Dialer{}, tlsS, 0x01d, 0},
		{"-S, socket", "unix:", Dialer{}, tlsS, 0x008, 0},
		{"-Q", "h", Dialer{}, tlsQ, 0, pmerr.NeedClientCert},
		{"-Q with TLS", "pcps:h", Dialer{}, tlsQ, 0x091, 0},
		{"-Q with TLS, relaxed", "pcps:h?secure=relaxed", Dialer{}, tlsQ, 0x091, 0},
		{"-Q, this host", "localhost", Dialer{}, tlsQ, 0, 0},
		{"-Q, a name with localhost", "pcps:mylocalhost5", Dialer{}, tlsQ, 0x011, 0},
		{"-Q, loopback", "127.0.0.1", Dialer{}, tlsQ, 0, pmerr.NeedClientCert},
		{"-Q, socket", "unix:", Dialer{}, tlsQ, 0, 0},
		{"unknown bits", "h", Dialer{}, 0x0120, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec, err := ParseSpec(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			s, err := tt.d.newSetup(spec)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.negotiate(tt.offer, spec.Host(), spec.local())
			checkCode(t, err, tt.code)
			if got != tt.want {
				t.Errorf("flags %#x, want %#x", got, tt.want)
			}
		})
	}
}

func TestContainer(t *testing.T) {
	env := func(s string) *Dialer { return &Dialer{Container: &s} }
	for _, tt := range []struct {
		name, spec string
		d          *Dialer
		want       string
		answer     pdu.Message
		code       pmerr.Code
	}{
		{"attribute", "host?container=foo", &Dialer{}, "foo", &pdu.Names{}, 0},
		{"environment", "host", env("a.B-c_9"), "a.B-c_9", &pdu.Names{}, 0},
		{"attribute first", "host?container=foo", env("bar"), "foo", &pdu.Names{}, 0},
		{"attribute hides a bad environment", "host?container=foo", env("b r"), "foo", &pdu.Names{}, 0},
		{"empty", "host?container=", &Dialer{}, "", &pdu.Error{Code: pmerr.EINVAL}, pmerr.EINVAL},
		{"refused", "host?container=a+b", &Dialer{}, "a b", &pdu.Error{Code: pmerr.EINVAL}, pmerr.EINVAL},
		{"bare", "host?container", &Dialer{}, "", nil, codeSrch},
		{"environment empty", "host", env(""), "", nil, pmerr.EINVAL},
		{"environment bad", "host", env("a b"), "", nil, pmerr.EINVAL},
		{"environment bad, socket", "unix:/no/such", env("a/b"), "", nil, pmerr.EINVAL},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := listen(t, func(p *peer) {
				if flags := p.greet(featureContainer); flags != featureContainer {
					t.Errorf("flags %#x", flags)
				}
				if tt.answer == nil {
					drain(p)
					return
				}
				var a pdu.Attr
				if p.receive(&a); a.Code != pdu.AttrContainer || string(a.Value) != tt.want {
					t.Errorf("attribute %d %q", a.Code, a.Value)
				}
				p.receive(&pdu.Child{})
				p.send(tt.answer)
				drain(p)
			})
			d := testDialer(port)
			d.Container = tt.d.Container
			_, err := dialText(t, d, tt.spec)
			checkCode(t, err, tt.code)
		})
	}
}

// TestUnsolicited checks that a refusal of a requested feature is found before Dial returns.
func TestUnsolicited(t *testing.T) {
	port := listen(t, func(p *peer) {
		p.greet(featureContainer)
		p.send(&pdu.Error{Code: pmerr.IPC})
		drain(p)
	})
	_, err := dialText(t, testDialer(port), "host?container=x")
	checkCode(t, err, pmerr.IPC)
}

// TestNoSecrets checks that a password does not get into messages.
func TestNoSecrets(t *testing.T) {
	port := saslDaemon(t, "GSSAPI", func(*peer, string) {})
	bad := "x y"
	for _, d := range []*Dialer{testDialer(1), testDialer(port), {Container: &bad}} {
		for _, spec := range []string{"host?user=bob&pass=sekrit", "unix:/no/such?user=bob&pass=sekrit", "[]?user=bob&pass=sekrit"} {
			if d.Lookup == nil {
				d.Lookup = loopback
			}
			_, err := dialText(t, d, spec)
			if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), "sekrit") {
				t.Errorf("%s: %v", spec, err)
			}
		}
	}
}

func TestFeatureText(t *testing.T) {
	for f, want := range map[feature]string{featureSecure: "TLS", featureAuth | featureContainer: "authentication and containers", 0: ""} {
		if got := featureText(f); got != want {
			t.Errorf("%#x: %q", f, got)
		}
	}
}
