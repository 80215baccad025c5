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
			Transport: reusing{&http.Transport{
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

// A reusing transport keeps connections. The library closes the body of a request when the answer comes, and its WriteTo fails then:
// net/http, which looks for more of the body after its length, would close the connection. Read ends.
type reusing struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t reusing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		sent := *r
		sent.Body = struct{ io.ReadCloser }{r.Body}
		r = &sent
	}
	return t.RoundTripper.RoundTrip(r)
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
