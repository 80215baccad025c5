package trace

import (
	"log/slog"
	"sync/atomic"
	"time"

	"pmtools/lib/trace/internal/tracepdu"
)

// An End ends a transaction: called, it reports how long the transaction took since Begin. Abort
// ends it without a report. Only the first of them counts, the others return NoProgress, so that
// Abort may come before a deferred end. It may be used by several goroutines. The zero End is nil,
// and cannot be called.
type End func(...abort) error

// An abort makes an End abort its transaction. Programs have no need for the type: they call an End
// without arguments.
type abort struct{}

// Begin begins a transaction. Any number of transactions may have the same tag at a time. A tag that
// is wrong is reported by the End.
//
// While there is no agent, the End of Begin does nothing, also if the agent comes before the end.
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
