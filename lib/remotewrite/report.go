package remotewrite

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// A Report counts samples by their fate.
type Report struct {
	Sent    int     // taken by the server
	Refused int     // by the server
	Damaged int     // in files of the queue that cannot be sent
	Waiting int     // in the queue at the end of Send
	Missing Missing // from the queue
}

// Missing counts samples that a Sender has not put into the queue.
type Missing struct {
	NoRoom      int  // live samples without room in the queue
	Interrupted int  // recorded samples that waited for room when the context ended
	Unordered   int  // samples not later than the sample before in their series
	Doubles     int  // samples of series with the labels of others
	Failed      bool // metrics had errors, or a clock went back
}

// report returns what has become of the samples so far.
func (q *Queue) report() Report {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fate
}

// String returns the numbers for the user: that of the samples sent, and others that are not 0.
func (r *Report) String() string {
	text := fmt.Sprintf("%d samples sent", r.Sent)
	for _, x := range []struct {
		n    int
		what string
	}{
		{r.Refused, "refused"}, {r.Damaged, "damaged in the queue"}, {r.Missing.NoRoom, "lost without room in the queue"},
		{r.Waiting + r.Missing.Interrupted, "not sent"}, {r.Missing.Unordered, "left out, not later than the one before"},
		{r.Missing.Doubles, "left out, with the labels of others"},
	} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return text
}

// Complete reports whether the server has all samples but those of a time that another has already.
func (r *Report) Complete() bool {
	return !r.Missing.Failed && r.Refused+r.Damaged+r.Waiting+r.Missing.NoRoom+r.Missing.Interrupted+r.Missing.Doubles == 0
}

// Send drains a queue while produce fills it, and closes it. It returns when produce has returned and
// all is sent, but not later than grace after the end of ctx. The error is that of produce.
func Send(ctx context.Context, q *Queue, c *Client, b Backoff, grace time.Duration, warn func(error), produce func() error) (Report, error) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	var report Report
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		report, _ = Drain(sending, q, c, b, warn) // it ends early with sending only
	}()
	err := produce()
	q.Finish()
	<-ended
	report.Waiting = q.Waiting()
	bad := q.Close()
	err = cmp.Or(err, bad)
	return report, err
}
