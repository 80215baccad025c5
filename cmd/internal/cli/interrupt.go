package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a write to a stream may take after a signal.
const patience = time.Second

// Interruptible returns a context that ends when one of the signals arrives, until stop is called. If a write to standard output or
// standard error then blocks for a second, because it has no reader, the signal ends the program as if it were not caught.
func (env *Env) Interruptible(ctx context.Context, sigs ...os.Signal) (_ context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	arrived, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(arrived, sigs...)
	go func() {
		select {
		case sig := <-arrived:
			cancel()
			for !stalled(env.stalls) { // after stop too: the last writes come then
			}
			dieOf(sig)
		case <-done:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		cancel()
		signal.Stop(arrived)
		close(done)
	})
}

// A stall tells whether writes to a stream go on.
type stall struct{ begun, ended atomic.Int64 }

func (s *stall) begin() { s.begun.Add(1) }
func (s *stall) end()   { s.ended.Add(1) }

// stalled waits for a while, and reports whether one of the streams has been written to all the time, and no write has ended.
func stalled(streams []*stall) bool {
	var before []int64
	for _, s := range streams {
		before = append(before, s.ended.Load())
		if s.begun.Load() == before[len(before)-1] {
			before[len(before)-1] = -1
		}
	}
	time.Sleep(patience)
	for i, s := range streams {
		if s.ended.Load() == before[i] {
			return true
		}
	}
	return false
}
