package pmda

import (
	"context"
	"sync"
	"time"

	"pmtools/lib/pmerr"
)

// A Background reads something slow again and again in a goroutine of its own, so that requests are
// answered at once, with the last result: the daemon gives up on an agent after five seconds.
type Background[T any] struct {
	every  time.Duration
	read   func(context.Context) (T, error)
	cancel context.CancelFunc
	ended  chan struct{} // closed when the goroutine ends
	first  chan struct{} // closed after the first reading

	mu   sync.Mutex
	last T
	err  error
	at   time.Time
}

// NewBackground starts reading: at once, and then each time that every has passed since the end of
// the reading before. Close ends it.
func NewBackground[T any](every time.Duration, read func(context.Context) (T, error)) *Background[T] {
	ctx, cancel := context.WithCancel(context.Background())
	b := &Background[T]{every: every, read: read, cancel: cancel, ended: make(chan struct{}), first: make(chan struct{}), err: pmerr.Again}
	go b.run(ctx)
	return b
}

func (b *Background[T]) run(ctx context.Context) {
	defer close(b.ended)
	for n := 0; ctx.Err() == nil; n++ {
		value, err := b.read(ctx)
		b.mu.Lock()
		b.last, b.err, b.at = value, err, time.Now()
		b.mu.Unlock()
		if n == 0 {
			close(b.first)
		}
		select {
		case <-time.After(b.every):
		case <-ctx.Done():
		}
	}
}

// Last returns the last result, its time, and its error: pmerr.Again before the first
// reading has ended. The value is not changed by later readings, if read returns another each time.
func (b *Background[T]) Last() (T, time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last, b.at, b.err
}

// Reading returns a Reading that calls take with the result of the last reading, once for each
// request. The error of the reading is that of the metrics.
func (b *Background[T]) Reading(take func(T)) *Reading {
	return &Reading{Read: func(context.Context, *Request) error {
		value, _, err := b.Last()
		if err == nil {
			take(value)
		}
		return err
	}}
}

// WaitReady waits for the end of the first reading. An agent whose line in the daemon's
// configuration has the word notready is a Waiter by it.
func (b *Background[T]) WaitReady(ctx context.Context) error {
	select {
	case <-b.first:
		return nil
	case <-b.ended:
		return pmerr.Again
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the reading, and waits until it has ended.
func (b *Background[T]) Close() error {
	b.cancel()
	<-b.ended
	return nil
}
