package trace

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"pmtools/lib/trace/internal/tracepdu"
)

// An End ends a transaction: called, it reports how long the transaction took since Begin. Abort
// ends it without a report. Only the first of them counts, the others return NoProgress, so that
// Abort may come before a deferred end. It may be used by several goroutines. The zero End is nil,
// and cannot be called.
type End func(...step) error

// A step is something that is done with the transaction of an End. Programs have no need for the
// type: they call an End without arguments.
type step func(*transaction) error

type transaction struct {
	client *Client
	tag    string
	begun  time.Time
	ended  atomic.Bool
}

// Begin begins a transaction. Any number of transactions may have the same tag at a time. A tag that
// is wrong is reported by the End.
//
// While there is no agent, the End of Begin does nothing, also if the agent comes before the end.
func (c *Client) Begin(tag string) End {
	if silent, _ := c.silent(); silent {
		if c == nil {
			return nothing
		}
		return c.absent
	}
	c.debug(API, "begin", slog.String("tag", tag))
	t := &transaction{client: c, tag: tag}
	end := func(steps ...step) error {
		if len(steps) > 0 {
			return steps[0](t)
		}
		return t.end(time.Now())
	}
	t.begun = time.Now()
	return end
}

func nothing(...step) error { return nil }

func (t *transaction) end(now time.Time) error {
	if t.ended.Swap(true) {
		return &Error{Op: tracepdu.Transaction.String(), Tag: t.tag, Err: NoProgress}
	}
	return t.client.report(tracepdu.Transaction, t.tag, now.Sub(t.begun).Seconds())
}

// Abort ends the transaction without a report.
func (e End) Abort() error {
	return e(func(t *transaction) error {
		t.client.debug(API, "abort", slog.String("tag", t.tag))
		if t.ended.Swap(true) {
			return &Error{Op: tracepdu.Transaction.String(), Tag: t.tag, Err: NoProgress}
		}
		return nil
	})
}

// LogValue implements slog.LogValuer: a group of the tag and the seconds since Begin. It is empty
// for a transaction that began while there was no agent.
func (e End) LogValue() slog.Value {
	var v slog.Value
	_ = e(func(t *transaction) error { // it returns nil
		v = slog.GroupValue(slog.String("tag", t.tag), slog.Float64("seconds", time.Since(t.begun).Seconds()))
		return nil
	})
	return v
}

type contextKey struct{}

// NewContext returns a context that carries an open transaction.
func NewContext(ctx context.Context, end End) context.Context {
	return context.WithValue(ctx, contextKey{}, end)
}

// FromContext returns the innermost transaction that a context carries. Without one it returns an
// End that does nothing.
func FromContext(ctx context.Context) End {
	if end, ok := ctx.Value(contextKey{}).(End); ok && end != nil {
		return end
	}
	return nothing
}

// Attr returns the attribute "transaction" for the log: the tag of the transaction that a context
// carries, and the seconds since its Begin. Without one the log leaves it out.
func Attr(ctx context.Context) slog.Attr {
	v := FromContext(ctx).LogValue()
	if v.Kind() != slog.KindGroup {
		return slog.Attr{}
	}
	return slog.Attr{Key: "transaction", Value: v}
}
