package remotewrite

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxText  = 4 << 10         // bytes of an answer's text
	maxRest  = time.Second     // to wait for the text of an answer that says yes
	maxAfter = 5 * time.Minute // to wait because of Retry-After
)

// A Refusal is an answer to a request that the server will not take later either.
type Refusal struct {
	Status string // such as "400 Bad Request"
	Code   int
	Text   string // the server's reason, on one line
	// Written is how many samples the server says to have taken all the same.
	Written int
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Text == "" {
		return "the server refuses: " + r.Status
	}
	return "the server refuses: " + r.Status + ": " + r.Text
}

// A Failure is an error after which the same request may succeed.
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

// errOld is the error of a server that does not know version 2.0.
var errOld = errors.New("the server knows remote write 1.0 only")

// takenBy returns the number of samples that a server of 2.0 has taken, or -1 if it does not say.
func takenBy(res *http.Response) int {
	n, err := strconv.Atoi(res.Header.Get("X-Prometheus-Remote-Write-Samples-Written"))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// answered returns the error of an answer to so many samples, nil if the server has them. cancel ends the reading of the body.
func (n *conn) answered(res *http.Response, version, samples int, cancel func()) error {
	code, status, taken := res.StatusCode, clean(res.Status), takenBy(res)
	if version == 2 && (code == http.StatusUnsupportedMediaType || code/100 == 2 && taken < 0) {
		n.rest(res, cancel)
		return errOld
	}
	if code/100 == 2 && version == 2 && taken < samples {
		n.rest(res, cancel)
		return &Refusal{Status: status, Code: code, Text: fmt.Sprintf("it has taken %d of %d samples", taken, samples), Written: taken}
	}
	switch code / 100 {
	case 2: // the text does not matter
		n.rest(res, cancel)
		return nil
	case 3:
		return &Refusal{Status: status, Code: code, Text: "the database is elsewhere; give its own URL"}
	case 4, 5:
		text := reason(res)
		if code != http.StatusTooManyRequests && code < 500 {
			return &Refusal{Status: status, Code: code, Text: text, Written: max(taken, 0)}
		}
		if text != "" {
			text = ": " + text
		}
		return &Failure{Err: errors.New("the server says " + status + text), After: retryAfter(res.Header.Get("Retry-After")), Unknown: code >= 500}
	}
	// The body is not read: after 101 it is the connection itself, which no context ends.
	return &Refusal{Status: status, Code: code, Text: "it is not an answer to remote write"}
}

// rest reads the rest of a short answer: a connection can be used again after all of it.
func (n *conn) rest(res *http.Response, cancel func()) {
	if length := res.ContentLength; 0 <= length && length <= maxText {
		defer time.AfterFunc(maxRest, cancel).Stop()
		_, err := io.Copy(io.Discard, res.Body)
		n.open.Store(err == nil && !res.Close)
	}
}

func reason(res *http.Response) string {
	if res.Header.Get("Content-Encoding") != "" {
		return "its reason is compressed"
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxText))
	if line := clean(string(text)); line != "" || err == nil {
		return line
	}
	return "its reason was cut off"
}

func clean(text string) string {
	text = text[:min(len(text), maxText)]
	return strings.Join(strings.Fields(strings.Map(printable, strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

func retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return min(time.Duration(min(n, 1e6))*time.Second, maxAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(time.Until(at), maxAfter))
	}
	return 0
}
