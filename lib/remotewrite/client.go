// Package remotewrite sends samples to databases that take Prometheus's remote write, 2.0 or 1.0
// (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/).
//
// A [Sender] makes series of the values of metrics, with PCP's labels from [Hosts], and collects their
// samples in a [Request]. A [Queue] keeps requests on disk, and a [Client] posts them: [Drain] sends
// those of a queue in their order until the server has taken or refused each. [Send] runs all of this.
//
// A Client sends 2.0 until the server shows that it does not know it: by 415, or by a success without the header that counts the
// samples. From then on it sends 1.0.
package remotewrite

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"pmtools/lib/safefile"
)

// Options say where and how samples are sent.
type Options struct {
	URL          string        // with http or https
	User         string        // of basic authentication; the password is in PasswordFile
	PasswordFile string        // its first line
	TokenFile    string        // its first line is a bearer token; it is read for each request, so that it may change
	CAFile       string        // certificates in PEM that may sign the server's; "" for those of the system
	InsecureAuth bool          // secrets may go over plain http to other machines, where others can read them
	Timeout      time.Duration // of a request; 0 means 30 s
	Agent        string        // the User-Agent
	// Show gets the first sample of each series of a request, with its time in milliseconds, and nothing is sent; nil means that
	// requests are sent. Calls do not overlap.
	Show func(s *Series, ms int64, value float64)
}

// ErrClear is the error of a secret that would go over plain http to another machine.
var ErrClear = errors.New("anybody on the way can read a password or token that goes over http; send it over https")

// A Client posts requests. It may be used by several goroutines.
type Client struct {
	opt       Options
	url       *url.URL
	transport *http.Transport
	old       atomic.Bool // the server knows 1.0 only
	showing   sync.Mutex
}

// A conn is a connection of a Client, made again when it is lost. Requests follow each other on it.
type conn struct {
	c    *Client
	http http.Client
	open atomic.Bool // after the last answer the connection could be used again
}

const (
	maxSecret       = 64 << 10 // of a file with a secret
	maxCertificates = 16 << 20 // of a file with certificates
	maxHeader       = 64 << 10 // of the header of an answer
)

// New returns a Client. It checks the options; no error has a secret in its text.
func New(opt *Options) (*Client, error) {
	if opt.Show != nil {
		return &Client{opt: *opt, url: new(url.URL), transport: new(http.Transport)}, nil
	}
	u, err := url.Parse(opt.URL)
	switch {
	case err != nil:
		return nil, errors.New("the URL cannot be read; write it like http://host:8428/api/v1/write") // the text of err has the password
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s is not a URL with http or https; write it like http://host:8428/api/v1/write", u.Redacted())
	case opt.TokenFile != "" && (opt.User != "" || u.User != nil):
		return nil, errors.New("there are both a token and a user; leave out one of them")
	case (opt.User == "") != (opt.PasswordFile == ""):
		return nil, errors.New("a user needs a file with the password, and the file a user")
	case u.Scheme == "http" && !opt.InsecureAuth && !loopback(u.Hostname()) && (opt.TokenFile != "" || opt.User != "" || u.User != nil):
		return nil, fmt.Errorf("%s: %w", nameOf(u), ErrClear)
	}
	c := &Client{opt: *opt, url: u}
	if c.opt.Timeout <= 0 {
		c.opt.Timeout = 30 * time.Second
	}
	for _, name := range []string{opt.PasswordFile, opt.TokenFile} {
		if _, err := secret(name); err != nil {
			return nil, err
		}
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableCompression: true, MaxResponseHeaderBytes: maxHeader, TLSClientConfig: &tls.Config{},
		// A dial outlives the request that began it, so it has time limits of its own.
		DialContext: (&net.Dialer{Timeout: c.opt.Timeout}).DialContext, TLSHandshakeTimeout: c.opt.Timeout,
	}
	if opt.CAFile != "" {
		pem, err := safefile.Read(opt.CAFile, maxCertificates)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificates in PEM", opt.CAFile)
		}
	}
	c.transport = transport
	return c, nil
}

func (c *Client) conn() *conn {
	return &conn{c: c, http: http.Client{
		Transport:     c.transport.Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (n *conn) close() { n.http.CloseIdleConnections() }

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// Name returns the URL without its secrets: the password and the query.
func (c *Client) Name() string { return nameOf(c.url) }

func nameOf(u *url.URL) string {
	name := *u
	name.RawQuery, name.Fragment = "", ""
	return name.Redacted()
}

func secret(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	text, err := safefile.Read(name, maxSecret)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("%s is empty; its first line is the secret", name)
	}
	if strings.ContainsFunc(line, unicode.IsControl) {
		return "", fmt.Errorf("%s has control characters; its first line is the secret", name)
	}
	return line, nil
}

// post sends a request. The error is a *Refusal, a *Failure, or that of ctx. post returns within the time-out and when ctx ends,
// whatever the server does. lost means that the connection of the last request was lost since; without an error, only a new
// connection shows that.
func (n *conn) post(ctx context.Context, b *Block) (lost bool, err error) {
	if n.c.opt.Show != nil {
		n.c.showing.Lock()
		defer n.c.showing.Unlock()
		for i := range b.series {
			s := &b.series[i]
			n.c.opt.Show(&s.Series, s.samples[0].ms, s.samples[0].value)
		}
		return false, nil
	}
	if !n.c.old.Load() {
		if lost, err = n.attempt(ctx, b, 2); err != errOld {
			return lost, err
		}
		n.c.old.Store(true)
	}
	again, err := n.attempt(ctx, b, 1)
	return lost || again, err
}

func (n *conn) attempt(ctx context.Context, b *Block, version int) (lost bool, err error) {
	c := n.c
	mime, number := "application/x-protobuf", "0.1.0"
	if version == 2 {
		mime, number = mime+";proto=io.prometheus.write.v2.Request", "2.0.0"
	}
	limited, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	connected := false
	traced := httptrace.WithClientTrace(limited, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		connected, lost = true, !i.Reused && n.open.Swap(false)
	}})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, c.url.String(), bytes.NewReader(b.message(version)))
	if err != nil {
		return false, &Refusal{Text: "no request can be made"}
	}
	req.Header.Set("Content-Type", mime)
	req.Header.Set("Content-Encoding", "snappy")
	req.Header.Set("X-Prometheus-Remote-Write-Version", number)
	req.Header.Set("User-Agent", c.opt.Agent)
	if err := c.authorize(req); err != nil {
		return false, &Failure{Err: err}
	}
	res, err := n.http.Do(req)
	n.open.Store(false)
	switch {
	case err == nil:
		defer res.Body.Close()
		return lost, n.answered(res, version, b.Samples, cancel)
	case ctx.Err() != nil:
		return lost, ctx.Err()
	case limited.Err() != nil && connected: // a slow server lives
		return lost, &Failure{Err: fmt.Errorf("no answer within %v", c.opt.Timeout), Unknown: true}
	case limited.Err() != nil:
		return true, &Failure{Err: fmt.Errorf("no connection within %v", c.opt.Timeout), Lost: true}
	}
	if bad, ok := errors.AsType[*url.Error](err); ok {
		err = bad.Err // its text has the URL
	}
	// Certificates that are wrong stay wrong.
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return lost, &Refusal{Status: "no connection", Text: clean(err.Error())}
	}
	return true, &Failure{Err: errors.New(clean(err.Error())), Unknown: connected, Lost: true}
}

func (c *Client) authorize(req *http.Request) error {
	switch {
	case c.opt.TokenFile != "":
		token, err := secret(c.opt.TokenFile)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	case c.opt.User != "":
		password, err := secret(c.opt.PasswordFile)
		if err != nil {
			return err
		}
		req.SetBasicAuth(c.opt.User, password)
	}
	return nil
}
