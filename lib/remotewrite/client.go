// Package remotewrite sends samples to databases that take Prometheus's remote write 1.0
// (https://prometheus.io/docs/specs/prw/remote_write_spec/).
//
// A [Request] collects samples; a [Queue] keeps requests on disk; a [Client] posts one; [Drain] sends
// those of a queue in their order until each has been taken or refused.
package remotewrite

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"pmtools/lib/safefile"
)

// Options say where and how samples are sent.
type Options struct {
	URL          string        // http or https
	User         string        // of basic authentication; the password is in PasswordFile
	PasswordFile string        // its first line
	TokenFile    string        // its first line is a bearer token; it is read for each request, so that it may change
	CAFile       string        // certificates in PEM that may sign the server's; "" for those of the system
	InsecureAuth bool          // secrets may go over plain http to other machines, where others can read them
	Timeout      time.Duration // of a request; 0 means 30 s
	Agent        string        // the User-Agent
}

// ErrClear is the error of a secret that would go over plain http to another machine.
var ErrClear = errors.New("anybody on the way can read a password or token that goes over http; send it over https")

// A Client posts requests. It may be used by several goroutines.
type Client struct {
	opt  Options
	url  *url.URL
	http http.Client
	open atomic.Bool // after the last answer the connection could be used again
}

// maxSecret is how long a file with a secret may be.
const maxSecret = 64 << 10

// maxAnswer is how much of an answer is read.
const maxAnswer = 4 << 10

// maxHeader is how long the header of an answer may be.
const maxHeader = 64 << 10

// maxRest is how long the body of an answer that says yes is waited for.
const maxRest = time.Second

// New returns a Client. What is wrong with the options is an error; no error has a secret.
func New(opt *Options) (*Client, error) {
	u, err := url.Parse(opt.URL)
	switch {
	case err != nil:
		return nil, errors.New("the URL cannot be read; it is such as http://host:8428/api/v1/write") // the text of err has it all
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s is no URL with http or https, such as http://host:8428/api/v1/write", u.Redacted())
	case opt.TokenFile != "" && (opt.User != "" || u.User != nil):
		return nil, errors.New("there are both a token and a user; the server takes one of them")
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
		pem, err := os.ReadFile(opt.CAFile)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificates in PEM", opt.CAFile)
		}
	}
	c.http = http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// Name returns the URL without what may be secret: the password and the query.
func (c *Client) Name() string { return nameOf(c.url) }

// nameOf returns a URL without what may be secret.
func nameOf(u *url.URL) string {
	name := *u
	name.RawQuery, name.Fragment = "", ""
	return name.Redacted()
}

// secret returns the first line of a file; "" is no file.
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

// A Refusal is an answer after which sending the same again is of no use.
type Refusal struct {
	Status string // such as "400 Bad Request"
	Code   int
	Text   string // what the server says, on one line
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Text == "" {
		return "the server refuses: " + r.Status
	}
	return "the server refuses: " + r.Status + ": " + r.Text
}

// A Failure is one that may pass.
type Failure struct {
	Err     error
	After   time.Duration // when the server wants to be asked again; 0 if it does not say
	Unknown bool          // the server may have the samples
	// Lost means that there is no connection, or that it has ended without an answer: the server may
	// have been killed. Any answer, even 503, comes from one that lives.
	Lost bool
}

// Error implements error.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Post sends a request. The error is a *Refusal, a *Failure, or that of ctx. It returns within the
// time of a request, whatever the server does.
func (c *Client) Post(ctx context.Context, body []byte) error {
	_, err := c.post(ctx, body)
	return err
}

// post is Post. It reports too whether the connection of the last request has been lost since, which
// without an error shows only in that there is a new one.
func (c *Client) post(ctx context.Context, body []byte) (lost bool, err error) {
	limited, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	connected := false
	traced := httptrace.WithClientTrace(limited, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		connected, lost = true, !i.Reused && c.open.Swap(false)
	}})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return false, &Refusal{Text: "no request can be made"}
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Content-Encoding", "snappy")
	req.Header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	req.Header.Set("User-Agent", c.opt.Agent)
	if err := c.authorize(req); err != nil {
		return false, &Failure{Err: err}
	}
	res, err := c.http.Do(req)
	c.open.Store(false)
	switch {
	case err == nil:
		defer res.Body.Close()
		return lost, c.answered(res, cancel)
	case ctx.Err() != nil:
		return lost, ctx.Err()
	case limited.Err() != nil && connected: // a server that is slow is not one that was killed
		return lost, &Failure{Err: fmt.Errorf("no answer within %v", c.opt.Timeout), Unknown: true}
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

// answered returns what an answer means. Cancel ends the reading of its body.
func (c *Client) answered(res *http.Response, cancel func()) error {
	code, status := res.StatusCode, clean(res.Status)
	switch code / 100 {
	case 2: // all has been taken, whatever is in the answer
		if n := res.ContentLength; 0 <= n && n <= maxAnswer {
			defer time.AfterFunc(maxRest, cancel).Stop()
			_, err := io.Copy(io.Discard, res.Body) // so that the connection can be used again
			c.open.Store(err == nil && !res.Close)
		}
		return nil
	case 3:
		return &Refusal{Status: status, Code: code, Text: "the database is elsewhere; --to takes its own URL"}
	case 4, 5:
		text := reason(res)
		if code != http.StatusTooManyRequests && code < 500 {
			return &Refusal{Status: status, Code: code, Text: text}
		}
		if text != "" {
			text = ": " + text
		}
		return &Failure{Err: errors.New("the server says " + status + text), After: retryAfter(res.Header.Get("Retry-After")), Unknown: code >= 500}
	}
	// After 101 the body is the connection itself, which no context ends.
	return &Refusal{Status: status, Code: code, Text: "it is not an answer to remote write"}
}

// reason returns the text of an answer on one line.
func reason(res *http.Response) string {
	if res.Header.Get("Content-Encoding") != "" {
		return "its reason is compressed"
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if said := clean(string(text)); said != "" || err == nil {
		return said
	}
	return "its reason was cut off"
}

// clean returns a text of the server on one line, without control characters.
func clean(text string) string {
	text = text[:min(len(text), maxAnswer)]
	return strings.Join(strings.Fields(strings.Map(printable, strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

// authorize adds what says who is sending.
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

// printable makes control characters blanks.
func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// maxAfter bounds how long a server can make us wait.
const maxAfter = 5 * time.Minute

// retryAfter reads the header: seconds, or a date.
func retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return min(time.Duration(min(n, 1e6))*time.Second, maxAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(time.Until(at), maxAfter))
	}
	return 0
}
