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
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
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
	Timeout      time.Duration // of a request; 0 means 30 s
	Agent        string        // the User-Agent
}

// A Client posts requests. It may be used by several goroutines.
type Client struct {
	opt  Options
	url  *url.URL
	http http.Client
}

// maxSecret is how long a file with a secret may be.
const maxSecret = 64 << 10

// maxAnswer is how much of an answer is read.
const maxAnswer = 4 << 10

// maxHeader is how long the header of an answer may be.
const maxHeader = 64 << 10

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
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: maxHeader, TLSClientConfig: &tls.Config{}}
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
		Transport: transport, Timeout: c.opt.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Name returns the URL without what may be secret: the password and the query.
func (c *Client) Name() string {
	u := *c.url
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
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
	Gone    bool          // the server could not be reached, or has broken the connection
}

// Error implements error.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Post sends a request. The error is a *Refusal, a *Failure, or that of ctx.
func (c *Client) Post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return &Refusal{Text: "no request can be made"}
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Content-Encoding", "snappy")
	req.Header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	req.Header.Set("User-Agent", c.opt.Agent)
	if err := c.authorize(req); err != nil {
		return &Failure{Err: err}
	}
	res, err := c.http.Do(req)
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	if err != nil {
		if bad, ok := errors.AsType[*url.Error](err); ok {
			err = bad.Err // its text has the URL
		}
		return c.failed(err)
	}
	defer res.Body.Close()
	code := res.StatusCode
	if code/100 == 2 { // all has been taken, whatever is in the answer
		if n := res.ContentLength; 0 < n && n <= maxAnswer {
			_, _ = io.Copy(io.Discard, res.Body) // so that the connection can be used again
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	said := strings.Join(strings.Fields(strings.Map(printable, string(text))), " ")
	switch {
	case code == http.StatusTooManyRequests || code/100 == 5:
		msg := "the server says " + res.Status
		if said != "" {
			msg += ": " + said
		}
		return &Failure{Err: errors.New(msg), After: retryAfter(res.Header.Get("Retry-After")), Unknown: code/100 == 5, Gone: code == http.StatusServiceUnavailable}
	case code/100 == 3:
		said = "the database is elsewhere; --to takes its own URL"
	case err != nil && said == "":
		said = "its reason was cut off"
	}
	return &Refusal{Status: res.Status, Code: res.StatusCode, Text: said}
}

// failed returns the error of a request without an answer. Certificates that are wrong stay wrong.
func (c *Client) failed(err error) error {
	var bad *tls.CertificateVerificationError
	if errors.As(err, &bad) {
		return &Refusal{Status: "no connection", Text: err.Error()}
	}
	return &Failure{Err: err, Unknown: true, Gone: true}
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
