package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"pmtools/lib/pmerr"
)

// settings are what the environment says of the server and who asks it.
type settings struct {
	region, endpoint string
	credentials      aws.Credentials
	pause            time.Duration // between attempts, at most
	wait             time.Duration // for a server that neither reads nor writes
}

// attempts is how often a request is made that the server throttles, or that is lost.
const attempts = 6

// environment reads the variables that AWS's own tools have.
func environment(getenv func(string) string) (*settings, error) {
	first := func(names ...string) string {
		for _, name := range names {
			if text := getenv(name); text != "" {
				return text
			}
		}
		return ""
	}
	s := &settings{
		region:   first("AWS_REGION", "AWS_DEFAULT_REGION"),
		endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
		credentials: aws.Credentials{
			AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"),
		},
		pause: 20 * time.Second, wait: 2 * time.Minute,
	}
	switch u, err := url.Parse(s.endpoint); {
	case s.credentials.AccessKeyID == "" || s.credentials.SecretAccessKey == "":
		return nil, errors.New("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where there is one")
	case s.endpoint != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil):
		return nil, errors.New("AWS_ENDPOINT_URL: want a URL as http://127.0.0.1:9000")
	case s.endpoint == "" && s.region == "":
		return nil, errors.New("no region: set AWS_REGION, as to eu-central-1; or AWS_ENDPOINT_URL for a server that is not Amazon's")
	case s.region == "":
		s.region = "us-east-1"
	}
	return s, nil
}

func (s *settings) options() s3.Options {
	o := s3.Options{
		Region: s.region,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return s.credentials, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = attempts, s.pause }),
		HTTPClient: &http.Client{
			Transport: bounded{&http.Transport{
				Proxy: http.ProxyFromEnvironment, DialContext: s.dial, TLSHandshakeTimeout: 30 * time.Second,
				MaxIdleConnsPerHost: atOnce, IdleConnTimeout: time.Minute,
			}},
			// Another server would get the credentials, or what is signed with them.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		// Servers that are not Amazon's do not know all checksums. The signature has one of each part.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}
	if s.endpoint != "" {
		o.BaseEndpoint, o.UsePathStyle = &s.endpoint, true
	}
	return o
}

func (s *settings) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return waiting{c, s.wait}, nil
}

// A waiting connection ends where nothing is read or written for a while.
type waiting struct {
	net.Conn
	wait time.Duration
}

// Read implements net.Conn.
func (c waiting) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.wait)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn. While it goes on, nothing has to be read.
func (c waiting) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.wait)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Limits of what a server answers.
const (
	maxTable  = 4 << 30   // bytes of an object that says how long it is
	maxText   = 8 << 20   // of any other answer
	maxNames  = 1 << 20   // objects and prefixes below a path, of which a page has 1000
	maxObject = 256 << 20 // bytes of an object that does not say it
)

// bounded limits the answers that the library reads into memory: all but objects, which are read here.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		// The library closes the body when the answer comes, and its WriteTo fails then: net/http, which looks for more of the body after
		// its length, would close the connection. Read ends.
		sent := *r
		sent.Body = struct{ io.ReadCloser }{r.Body}
		r = &sent
	}
	answer, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if q := r.URL.Query(); r.Method != http.MethodGet || answer.StatusCode >= 300 || q.Has("list-type") || q.Has("uploadId") {
		answer.Body = &boundedBody{answer.Body, maxText}
	}
	return answer, nil
}

// A boundedBody is an error after so many bytes.
type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

var errTooLong = fmt.Errorf("%w: the answer of the server is longer than those of S3", pmerr.TooBig)

// pages counts the pages of a list.
type pages struct {
	most, count int
	last        string // its token
}

// next returns an error if a server goes on for longer than S3 does, or goes round in circles. more is the token of the next page.
func (p *pages) next(more *string, names int) error {
	p.count++
	if more != nil && *more == p.last || names > p.most || p.count > 10+2*p.most/1000 {
		return fmt.Errorf("%w: the list of the server has no end: %d pages, %d names", pmerr.TooBig, p.count, names)
	}
	p.last = aws.ToString(more)
	return nil
}

// noUpload is the code of an upload that was completed or aborted.
const noUpload = "NoSuchUpload"

// codeOf returns the code and the message of a server's error, "" if it is none.
func codeOf(err error) (code, message string) {
	if bad, ok := errors.AsType[smithy.APIError](err); ok {
		return bad.ErrorCode(), bad.ErrorMessage()
	}
	return "", ""
}

// failed returns what could not be done, and what to do. The error of an object that is not there is fs.ErrNotExist.
func (b *Bucket) failed(what, path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s %s: %w", what, b.Name(path), bad) // a file of this machine
	}
	code, message := codeOf(err)
	if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok && answer.HTTPStatusCode()/100 == 3 && answer.Response != nil {
		if to, err := answer.Response.Location(); err == nil {
			return fmt.Errorf("%s %s: the server sends the request on to %s, which does not get the credentials: set AWS_REGION or AWS_ENDPOINT_URL to where the bucket is",
				what, b.Name(path), printable(to.Scheme+"://"+to.Host))
		}
	}
	say := func(text string) error { return fmt.Errorf("%s %s: %s", what, b.Name(path), text) }
	switch code {
	case "NoSuchKey", "NotFound":
		return &fs.PathError{Op: what, Path: b.Name(path), Err: fs.ErrNotExist}
	case "NoSuchBucket":
		return say("there is no bucket " + b.name + " (NoSuchBucket): make it, or check AWS_REGION and AWS_ENDPOINT_URL")
	case "AccessDenied", "AllAccessDisabled", "Forbidden":
		return say("the bucket denies it (" + code + "): the credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload, " +
			"s3:ListMultipartUploadParts and s3:ListBucket")
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
		return say("the credentials are not accepted (" + code + "): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN")
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
		return say("the bucket is elsewhere (" + code + "): set AWS_REGION to its region")
	case "SlowDown", "ServiceUnavailable", "TooManyRequests", "RequestLimitExceeded", "Throttling":
		return say(fmt.Sprintf("the bucket throttles (%s): %d attempts failed; try again later, or with fewer requests at the same time", code, attempts))
	case "NotImplemented":
		return say("the server does not know multipart uploads or conditional writes (NotImplemented), which exports need")
	case "":
		if errors.Is(err, pmerr.TooBig) {
			return fmt.Errorf("%s %s: %w: check AWS_ENDPOINT_URL", what, b.Name(path), pmerr.TooBig)
		}
		if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok && answer.HTTPStatusCode() >= 400 {
			return say(fmt.Sprintf("the server answered with HTTP status %d, and not as S3 does: check AWS_ENDPOINT_URL", answer.HTTPStatusCode()))
		}
		return say(reason(err) + ": check AWS_ENDPOINT_URL and AWS_REGION, and try again")
	}
	return say(printable(code + ": " + message))
}

// reason returns an error without the request that the library names.
func reason(err error) string {
	for _, after := range []string{"https response error StatusCode: 0, RequestID: , HostID: , request send failed, ", "exceeded maximum number of attempts, "} {
		if _, text, ok := strings.Cut(err.Error(), after); ok {
			return printable(text)
		}
	}
	return printable(err.Error())
}

// printable returns text of a server for a terminal.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > 400 {
		text = strings.ToValidUTF8(text[:400], "") + "..."
	}
	return text
}
