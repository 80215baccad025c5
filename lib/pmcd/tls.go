package pmcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"pmtools/lib/pmerr"
)

// startTLS starts TLS on nc. The error wraps [pmerr.TLS] and the reason.
func startTLS(ctx context.Context, nc net.Conn, conf *tls.Config, timeout time.Duration) (net.Conn, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, pmerr.Timeout)
		defer cancel()
	}
	nc.SetDeadline(time.Time{})
	tc := tls.Client(nc, conf)
	if err := tc.HandshakeContext(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, because(pmerr.TLS, certificateReason(err))
	}
	return tc, nil
}

func (s *setup) secured(c *Conn, nc net.Conn) {
	tc, ok := nc.(*tls.Conn)
	if !ok || s.d.Step == nil {
		return
	}
	state := tc.ConnectionState()
	s.d.step("tls", "%s: %s %s", c.addr(), tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite))
	for i, cert := range state.PeerCertificates {
		s.d.step("tls", "%s: certificate[%d] subject=%q issuer=%q valid from %s to %s", c.addr(), i, cert.Subject, cert.Issuer,
			cert.NotBefore.Format(time.RFC3339), cert.NotAfter.Format(time.RFC3339))
	}
}

// certificateReason adds the certificate's names to the error of a check, which lacks them.
func certificateReason(err error) error {
	var v *tls.CertificateVerificationError
	if errors.As(err, &v) && len(v.UnverifiedCertificates) > 0 {
		c := v.UnverifiedCertificates[0]
		return fmt.Errorf("certificate of %q, issued by %q: %w", c.Subject, c.Issuer, v.Err)
	}
	return err
}

func (s *setup) tlsConfig(host string, local bool) (*tls.Config, error) {
	if given := s.d.TLSConfig; given != nil {
		conf := given.Clone()
		conf.ServerName = cmp.Or(conf.ServerName, host)
		conf.MinVersion = max(conf.MinVersion, tls.VersionTLS12)
		conf.DynamicRecordSizingDisabled = true
		return conf, nil
	}
	own := s.d.tlsConf
	if own == nil {
		own = &tlsConf{}
		if s.d.TLSConfPath != "" {
			var err error
			if own, err = loadTLSConf(s.d.TLSConfPath); err != nil {
				return nil, err
			}
		}
	}
	return own.config(host, local)
}

// hasCertificate reports whether the client has a certificate. A bad configuration is reported when TLS starts.
func (s *setup) hasCertificate(host string) bool {
	conf, err := s.tlsConfig(host, false)
	return err != nil || len(conf.Certificates) > 0 || conf.GetClientCertificate != nil
}
