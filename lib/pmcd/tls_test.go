package pmcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

const offerTLS = featureSecure | featureSecureAck | featureAuth | featureContainer

// TestTLS connects with good and bad certificates on both sides.
func TestTLS(t *testing.T) {
	ca, other := newAuthority(t, "ca"), newAuthority(t, "other")
	caFile, otherFile := ca.file(t.TempDir()), other.file(t.TempDir())
	clientCert, clientKey := files(t, t.TempDir(), ca.client())
	foreignCert, foreignKey := files(t, t.TempDir(), other.client())
	good, wrongName := ca.server("host"), ca.server("elsewhere")
	expired := ca.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "old"}, DNSNames: []string{"host"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		NotBefore: certTime.Add(-2 * time.Hour), NotAfter: certTime.Add(-time.Hour),
	})
	for _, tt := range []struct {
		name   string
		server *tls.Config
		conf   tlsConf
		code   pmerr.Code
		reason string
	}{
		{"good", &tls.Config{Certificates: []tls.Certificate{good}}, tlsConf{CAFile: caFile}, 0, ""},
		{"good, TLS 1.2", &tls.Config{Certificates: []tls.Certificate{good}, MaxVersion: tls.VersionTLS12}, tlsConf{CAFile: caFile}, 0, ""},
		{"good name", &tls.Config{Certificates: []tls.Certificate{good}}, tlsConf{CAFile: caFile, VerifyServers: verifyFull}, 0, ""},
		{"other name, authority configured", &tls.Config{Certificates: []tls.Certificate{wrongName}}, tlsConf{CAFile: caFile}, pmerr.TLS, "elsewhere, not host"},
		{"other name, chain", &tls.Config{Certificates: []tls.Certificate{wrongName}}, tlsConf{CAFile: caFile, VerifyServers: verifyChain}, 0, ""},
		{"other name", &tls.Config{Certificates: []tls.Certificate{wrongName}}, tlsConf{CAFile: caFile, VerifyServers: verifyFull}, pmerr.TLS, "elsewhere, not host"},
		{"other authority", &tls.Config{Certificates: []tls.Certificate{good}}, tlsConf{CAFile: otherFile}, pmerr.TLS, `issued by "CN=ca": x509: certificate signed by unknown authority`},
		{"system's authorities", &tls.Config{Certificates: []tls.Certificate{good}}, tlsConf{}, pmerr.TLS, `certificate of "CN=daemon"`},
		{"nothing checked", &tls.Config{Certificates: []tls.Certificate{wrongName}}, tlsConf{VerifyServers: verifyNone}, 0, ""},
		{"expired", &tls.Config{Certificates: []tls.Certificate{expired}}, tlsConf{CAFile: caFile}, pmerr.TLS, "expired"},
		{"a client's certificate", &tls.Config{Certificates: []tls.Certificate{ca.client()}}, tlsConf{CAFile: caFile, VerifyServers: verifyChain}, pmerr.TLS, "incompatible key usage"},
		{"too old", &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, tlsConf{CAFile: caFile}, pmerr.TLS, "protocol version"},
		{"client certificate", &tls.Config{Certificates: []tls.Certificate{good}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert},
			tlsConf{CAFile: caFile, ClientCertFile: clientCert, ClientKeyFile: clientKey}, 0, ""},
		{"client certificate missing", &tls.Config{Certificates: []tls.Certificate{good}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert},
			tlsConf{CAFile: caFile}, pmerr.TLS, "certificate required"},
		{"client certificate missing, TLS 1.2", &tls.Config{Certificates: []tls.Certificate{good}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert, MaxVersion: tls.VersionTLS12},
			tlsConf{CAFile: caFile}, pmerr.TLS, ""},
		{"client certificate foreign", &tls.Config{Certificates: []tls.Certificate{good}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert},
			tlsConf{CAFile: caFile, ClientCertFile: foreignCert, ClientKeyFile: foreignKey}, pmerr.TLS, ""},
		{"configuration broken", &tls.Config{Certificates: []tls.Certificate{good}}, tlsConf{CAFile: "/no/such"}, pmerr.NotConn, "/no/such"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := listen(t, func(p *peer) {
				if flags := p.greet(offerTLS); flags != featureSecure|featureSecureAck {
					t.Errorf("flags %#x", flags)
				}
				if p.encrypt(tt.server, true) == nil {
					p.confirm()
					drain(p)
				} else {
					drain(p)
				}
			})
			d := testDialer(port)
			d.tlsConf = &tt.conf
			_, err := dialText(t, d, "pcps://host")
			checkCode(t, err, tt.code)
			if tt.code != 0 && !strings.Contains(Reason(err), tt.reason) {
				t.Errorf("reason %q, want %q in it", Reason(err), tt.reason)
			}
		})
	}
}

// TestTLSTalk checks that the connection works after TLS has begun, that the daemon sees the host's
// name, and that a program's own configuration is used.
func TestTLSTalk(t *testing.T) {
	ca := newAuthority(t, "ca")
	port := listen(t, func(p *peer) {
		p.send(&pdu.Error{Greeting: true, Info: uint32(featureSecure)})
		io.ReadFull(p.nc, make([]byte, 20)) // and not a byte more: TLS begins at once
		err := p.encrypt(&tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if h.ServerName != "host" {
				t.Errorf("name %q", h.ServerName)
			}
			c := ca.server("host")
			return &c, nil
		}}, false)
		if err != nil {
			t.Error(err)
		}
		p.confirm()
		p.confirm()
		drain(p)
	})
	d := testDialer(port)
	d.TLSConfig = &tls.Config{RootCAs: ca.pool()}
	d.TLSConfPath = "/no/such"
	c, err := dialText(t, d, "pcps://host")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.call(t.Context(), &pdu.Child{}, &pdu.Names{}); err != nil {
		t.Error(err)
	}
	if d.TLSConfig.ServerName != "" {
		t.Error("the program's configuration was changed")
	}
}

// TestTLSRefused checks the ways in which a daemon can refuse before TLS begins.
func TestTLSRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		ack  []pdu.Message
		code pmerr.Code
	}{
		{"refused", []pdu.Message{&pdu.Error{Code: pmerr.Permission}}, pmerr.Permission},
		{"positive", []pdu.Message{&pdu.Error{Code: 1}}, pmerr.IPC},
		{"something else", []pdu.Message{&pdu.Attr{}}, pmerr.IPC},
		{"hangs up", nil, pmerr.IPC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := listen(t, func(p *peer) {
				p.greet(offerTLS)
				p.send(tt.ack...)
			})
			_, err := dialText(t, testDialer(port), "pcps://host")
			checkCode(t, err, tt.code)
		})
	}
	t.Run("plain text too early", func(t *testing.T) {
		port := listen(t, func(p *peer) {
			p.greet(offerTLS)
			b, _ := (&pdu.Error{}).Encode(nil)
			p.nc.Write(append(b, b...))
			drain(p)
		})
		_, err := dialText(t, testDialer(port), "pcps://host")
		checkCode(t, err, pmerr.TLS)
	})
	t.Run("no TLS", func(t *testing.T) {
		port := listen(t, func(p *peer) {
			p.greet(offerTLS)
			p.send(&pdu.Error{})
			p.nc.Read(make([]byte, 1))
			p.send(&pdu.Error{Greeting: true})
			drain(p)
		})
		_, err := dialText(t, testDialer(port), "pcps://host")
		checkCode(t, err, pmerr.TLS)
	})
	t.Run("silent", func(t *testing.T) {
		port := listen(t, func(p *peer) {
			p.greet(offerTLS)
			p.send(&pdu.Error{})
			drain(p)
		})
		d := testDialer(port)
		d.RequestTimeout = 50 * time.Millisecond
		_, err := dialText(t, d, "pcps://host")
		checkCode(t, err, pmerr.Timeout)
	})
}

// TestTLSBroken checks a daemon that hangs up once TLS has begun.
func TestTLSBroken(t *testing.T) {
	ca := newAuthority(t, "ca")
	port := listen(t, func(p *peer) {
		p.greet(offerTLS | featureCertReqd)
		p.encrypt(&tls.Config{Certificates: []tls.Certificate{ca.server("host")}}, true)
	})
	d := testDialer(port)
	d.tlsConf = &tlsConf{VerifyServers: verifyNone}
	_, err := dialText(t, d, "pcps://localhost") // a certificate is not required of this host
	checkCode(t, err, pmerr.NeedClientCert)
	d.TLSConfig = &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{ca.client()}}
	_, err = dialText(t, d, "pcps://localhost")
	checkCode(t, err, pmerr.TLS)
	if !strings.Contains(Reason(err), "client certificate") {
		t.Errorf("reason %q", Reason(err))
	}
}

func TestStartTLSCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	here, there := net.Pipe()
	defer there.Close()
	go func() {
		there.Read(make([]byte, 1))
		cancel()
	}()
	_, err := startTLS(ctx, here, &tls.Config{ServerName: "x"}, 0)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
