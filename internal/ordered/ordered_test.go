package ordered

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "pmtools/test/env"
)

// TestTasks: results come in order, whatever the order in which tasks end, and no more tasks run than there are
// workers.
func TestTasks(t *testing.T) {
	for workers := range 5 {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int32
			do := func(_ context.Context, i int, yield func(int) bool) {
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				for k := range 3 {
					time.Sleep(time.Duration((i*7)%5) * time.Second)
					if !yield(10*i + k) {
						t.Errorf("task %d ended", i)
					}
				}
			}
			var want []int
			for i := range 20 {
				want = append(want, 10*i, 10*i+1, 10*i+2)
			}
			if got := slices.Collect(Tasks(t.Context(), 20, workers, 1, do)); !slices.Equal(got, want) {
				t.Errorf("%d workers: %v, want %v", workers, got, want)
			}
			if got := int(most.Load()); got > max(workers, 1) {
				t.Errorf("%d workers: %d tasks have run at a time", workers, got)
			}
		})
	}
}

// TestTasksEnd: when nobody takes results any more, or the context ends, the tasks end.
func TestTasksEnd(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ended, begun atomic.Int32
			tasks := Tasks(ctx, 100, 3, 2, func(_ context.Context, i int, yield func(int) bool) {
				begun.Add(1)
				for yield(i) {
				}
				ended.Add(1)
			})
			taken := 0
			for range tasks {
				if taken++; taken == 10 {
					if !cancelled {
						break
					}
					cancel()
				}
			}
			if begun.Load() == 0 || begun.Load() != ended.Load() || begun.Load() > 4 {
				t.Errorf("cancelled %v: %d tasks have begun, %d ended", cancelled, begun.Load(), ended.Load())
			}
		})
	}
}
