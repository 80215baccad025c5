package remotewrite

import (
	"cmp"
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
	maxTold  = 160             // characters of it in a message
	maxRest  = time.Second     // to wait for the text of an answer that says yes
	maxAfter = 5 * time.Minute // to wait because of Retry-After
)

// A Refusal is an answer to a request that the server will not take later either, not all of it, or that is not one to remote write.
type Refusal struct {
	Status string // such as "400 Bad Request"
	Code   int
	Text   string // the server's reason, on one line
	// Written is how many samples the server says to have taken all the same.
	Written int
}

// Error implements error.
func (r *Refusal) Error() string {
	text := "the server refuses: " + r.Status
	if r.Code/100 == 2 {
		text = "the server answers " + r.Status
	}
	if r.Text == "" {
		return text
	}
	text += ": " + told(r.Text)
	if r.late() {
		text += "; out_of_order_time_window in Prometheus's configuration lets it take samples that come late"
	}
	return text
}

// late reports whether the server takes no samples as old as these.
func (r *Refusal) late() bool {
	text := strings.ToLower(strings.ReplaceAll(r.Text, "-", " "))
	return r.Code/100 == 4 && (strings.Contains(text, "out of order") || strings.Contains(text, "out of bounds") || strings.Contains(text, "too old"))
}

// told returns as much of a reason as a message shows: a server may have a line for each sample.
func told(text string) string {
	if runes := []rune(text); len(runes) > maxTold {
		return string(runes[:maxTold]) + "..."
	}
	return text
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

// takenBy returns the number of samples that a server of 2.0 has taken of so many, or unknown if it does not say, or says what cannot be.
func takenBy(res *http.Response, samples, unknown int) int {
	n, err := strconv.Atoi(res.Header.Get(writtenHeader))
	if err != nil || n < 0 || n > samples {
		return unknown
	}
	return n
}

const writtenHeader = "X-Prometheus-Remote-Write-Samples-Written"

// answered returns the error of an answer to so many samples, nil if the server has them. cancel ends the reading of the body.
func (n *conn) answered(res *http.Response, version, samples int, cancel func()) error {
	code, status := res.StatusCode, clean(res.Status)
	switch code / 100 {
	case 2:
		return n.succeeded(res, version, samples, cancel)
	case 3:
		return &Refusal{Status: status, Code: code, Text: "the database is elsewhere; give its own URL"}
	case 4, 5:
		if version == 2 && code == http.StatusUnsupportedMediaType {
			n.rest(res, cancel)
			return errOld
		}
		text, all := reason(res)
		if text == "" && !all {
			text = "its reason was cut off"
		}
		if code != http.StatusTooManyRequests && code < 500 {
			return &Refusal{Status: status, Code: code, Text: text, Written: takenBy(res, samples, 0)}
		}
		if text != "" {
			text = ": " + told(text)
		}
		return &Failure{Err: errors.New("the server says " + status + text), After: retryAfter(res.Header.Get("Retry-After")), Unknown: code >= 500}
	}
	// The body is not read: after 101 it is the connection itself, which no context ends.
	return &Refusal{Status: status, Code: code, Text: "it is not an answer to remote write"}
}

// succeeded returns the error of an answer with a status of success. It is also a Refusal, but with all samples written, if only the
// answer is not one that databases give.
func (n *conn) succeeded(res *http.Response, version, samples int, cancel func()) error {
	refusal := &Refusal{Status: clean(res.Status), Code: res.StatusCode}
	mime, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	told := res.Header.Get(writtenHeader) != ""
	text := n.rest(res, cancel)
	if text != "" && (mime == "text/html" || mime == "application/xhtml+xml") {
		refusal.Text = fmt.Sprintf("it is not a database that takes remote write, but shows a page: %.80q", text)
		return refusal
	}
	if version == 2 && !told {
		return errOld
	}
	taken := samples
	if version == 2 { // servers of 1.0 do not tell, but some do as if none were taken
		taken = takenBy(res, samples, samples)
	}
	switch {
	case version == 1 && text != "":
		refusal.Text, refusal.Written = fmt.Sprintf("a database says nothing more, and this says %.80q; all count as taken", text), samples
		return refusal
	case taken < samples:
		refusal.Text, refusal.Written = fmt.Sprintf("it has taken %d of %d samples", taken, samples), taken
		return refusal
	}
	return nil
}

// rest returns the text of an answer, as far as it comes soon. A connection can be used again after all of it.
func (n *conn) rest(res *http.Response, cancel func()) string {
	defer time.AfterFunc(maxRest, cancel).Stop()
	text, all := reason(res)
	n.open.Store(all && !res.Close)
	return text
}

// reason returns the text of an answer on one line, or the title if it is a page, and whether that is all of it.
func reason(res *http.Response) (line string, all bool) {
	if res.Header.Get("Content-Encoding") != "" {
		return "its reason is compressed", false
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxText+1))
	line = clean(string(text))
	if _, title, ok := strings.Cut(line, "<title>"); ok { // of a page
		title, _, _ = strings.Cut(title, "</title>")
		line = cmp.Or(strings.TrimSpace(title), line)
	}
	return line, err == nil && len(text) <= maxText
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
