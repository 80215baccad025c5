package pmcd

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A tlsConf holds the entries of a tls.conf for clients (wire.md W3.6). The zero value trusts the system's
// authorities and has no certificate.
type tlsConf struct {
	CAFile string // tls-ca-cert-file: authorities to trust, instead of the system's
	CADir  string // tls-ca-cert-dir: a directory of such files

	ClientCertFile string // tls-client-cert-file: the client's certificate
	ClientKeyFile  string // tls-client-key-file

	// CertFile and KeyFile identify a pmcd on this host. They stand in for the client's files if those are
	// not set and these can be read.
	CertFile, KeyFile string

	VerifyServers verifyMode
}

type verifyMode string

// The key tls-verify-servers is ours: the reference checks servers only with tls-verify-clients, and never
// their names.
const (
	// verifyDefault is verifyFull, but verifyChain over a Unix socket, which has no name to check.
	verifyDefault verifyMode = ""
	// verifyFull checks the chain of signatures up to a trusted authority, the dates, and the host's name.
	verifyFull verifyMode = "full"
	// verifyChain checks all that but the host name.
	verifyChain verifyMode = "chain"
	// verifyNone checks nothing: traffic is encrypted, but anyone may be on the other side.
	verifyNone verifyMode = "no"
)

const maxConfLine = 64 << 10

// parseTLSConf parses lines "key = word" or "key: word", and comments from "#" on. It skips keys for servers.
func parseTLSConf(r io.Reader) (*tlsConf, error) {
	c := &tlsConf{}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxConfLine)
	for n := 1; s.Scan(); n++ {
		if err := c.line(s.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *tlsConf) line(text string) error {
	text, _, _ = strings.Cut(text, "#")
	i := strings.IndexAny(text, "=:")
	if i < 0 {
		return nil
	}
	key := strings.TrimSpace(text[:i])
	words := strings.Fields(text[i+1:])
	if len(words) == 0 {
		return nil
	}
	if key == "tls-verify-servers" {
		return c.verify(words[0])
	}
	files := map[string]*string{
		"tls-ca-cert-file": &c.CAFile, "tls-ca-cert-dir": &c.CADir, "tls-cert-file": &c.CertFile, "tls-key-file": &c.KeyFile,
		"tls-client-cert-file": &c.ClientCertFile, "tls-client-key-file": &c.ClientKeyFile,
	}
	if file := files[key]; file != nil {
		*file = words[0]
	}
	return nil
}

// verify takes the value of tls-verify-servers. An unknown word is an error: a default might be weaker than
// intended.
func (c *tlsConf) verify(word string) error {
	switch m := verifyMode(word); m {
	case verifyFull, verifyChain, verifyNone:
		c.VerifyServers = m
	case "yes", "true":
		c.VerifyServers = verifyDefault
	case "false":
		c.VerifyServers = verifyNone
	default:
		return fmt.Errorf("tls-verify-servers: %q is none of full, chain, yes and no", word)
	}
	return nil
}

// loadTLSConf reads the file at path. A missing file is an empty one.
func loadTLSConf(path string) (*tlsConf, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &tlsConf{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := parseTLSConf(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// config returns the TLS configuration for host, or for a socket of this host. Files that c names and that
// cannot be read are errors.
func (c *tlsConf) config(host string, local bool) (*tls.Config, error) {
	if (c.ClientCertFile == "") != (c.ClientKeyFile == "") {
		return nil, &TLSFileError{Text: "Client certificate and key must be configured together"}
	}
	roots, err := c.roots()
	if err != nil {
		return nil, err
	}
	cert, err := c.certificate()
	if err != nil {
		return nil, err
	}
	conf := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: host, RootCAs: roots,
		DynamicRecordSizingDisabled: true, // each message must be one record
	}
	if cert != nil {
		conf.Certificates = []tls.Certificate{*cert}
	}
	mode := c.VerifyServers
	if mode == verifyDefault && local {
		mode = verifyChain
	}
	switch mode { // the zero configuration checks chain and name: verifyFull
	case verifyNone:
		conf.InsecureSkipVerify = true
	case verifyChain:
		conf.InsecureSkipVerify = true // the standard library's check includes the name: checkChain replaces it
		conf.VerifyConnection = func(s tls.ConnectionState) error { return checkChain(s, roots) }
	}
	return conf, nil
}

func checkChain(s tls.ConnectionState, roots *x509.CertPool) error {
	if len(s.PeerCertificates) == 0 {
		return errors.New("no certificate")
	}
	others := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		others.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: others})
	if err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
	}
	return nil
}

// roots returns the configured authorities, nil for the system's.
func (c *tlsConf) roots() (*x509.CertPool, error) {
	if c.CAFile == "" && c.CADir == "" {
		return nil, nil
	}
	pool, found := x509.NewCertPool(), false
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if found = pool.AppendCertsFromPEM(pem); !found {
			return nil, &TLSFileError{"Cannot load the CA Certificate list from " + c.CAFile, err}
		}
	}
	if c.CADir != "" {
		entries, err := os.ReadDir(c.CADir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries { // unreadable files and files of other kinds are skipped: that only reduces trust
			if pem, err := os.ReadFile(filepath.Join(c.CADir, e.Name())); err == nil && pool.AppendCertsFromPEM(pem) {
				found = true
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: no certificates", c.CADir)
	}
	return pool, nil
}

// certificate returns our certificate, or nil. If we may not read the files, which often only pmcd may,
// there is none.
func (c *tlsConf) certificate() (*tls.Certificate, error) {
	certFile, keyFile, of := c.ClientCertFile, c.ClientKeyFile, "client "
	own := certFile != "" || keyFile != ""
	if !own {
		certFile, keyFile, of = c.CertFile, c.KeyFile, ""
	}
	if certFile == "" || keyFile == "" {
		return nil, nil
	}
	chain, err := os.ReadFile(certFile)
	if err == nil && !x509.NewCertPool().AppendCertsFromPEM(chain) {
		err = errors.New("no certificate")
	}
	bad := &TLSFileError{"Cannot load " + of + "certificate chain from " + certFile, err}
	if err == nil {
		var key []byte
		if key, err = os.ReadFile(keyFile); err == nil {
			var cert tls.Certificate
			if cert, err = tls.X509KeyPair(chain, key); err == nil {
				return &cert, nil
			}
		}
		bad = &TLSFileError{"Cannot load " + of + "private key from " + keyFile, err}
	}
	if !own && (errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)) {
		return nil, nil
	}
	return nil, bad
}

// A TLSFileError is a file named by tls.conf that cannot be used. Dial wraps it in [pmerr.NotConn].
type TLSFileError struct {
	Text string // in the reference's words
	Err  error  // the cause, nil if Text says all
}

// Error returns text and cause.
func (e *TLSFileError) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return e.Text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *TLSFileError) Unwrap() error { return e.Err }
