package trace

import (
	"log/slog"
	"sync/atomic"
	"time"

	"pmtools/lib/trace/internal/tracepdu"
)

// An End ends a transaction: calling it reports the time since Begin, Abort ends the transaction
// without a report. Only the first call has an effect, later ones return NoProgress, so that Abort
// may precede a deferred End. Goroutines may share it. The zero End is nil, and cannot be called.
type End func(...abort) error

// An abort makes an End abort its transaction. Programs have no need for the type: they call an End
// without arguments.
type abort struct{}

// Begin begins a transaction. Any number of transactions may have the same tag at a time. An invalid
// tag is an error of the End.
//
// Without an agent at Begin, the End does nothing, even if the agent starts meanwhile.
func (c *Client) Begin(tag string) End {
	if silent, _ := c.silent(); silent {
		if c == nil {
			return func(...abort) error { return nil }
		}
		return c.absent
	}
	c.debug(API, "begin", slog.String("tag", tag))
	var ended atomic.Bool
	begun := time.Now()
	return func(aborted ...abort) error {
		took := time.Since(begun)
		if len(aborted) > 0 {
			c.debug(API, "abort", slog.String("tag", tag))
		}
		switch {
		case ended.Swap(true):
			return &Error{Op: tracepdu.Transaction.String(), Tag: tag, Err: NoProgress}
		case len(aborted) > 0:
			return nil
		}
		return c.report(tracepdu.Transaction, tag, took.Seconds())
	}
}

// Abort ends the transaction without a report.
func (e End) Abort() error { return e(abort{}) }
