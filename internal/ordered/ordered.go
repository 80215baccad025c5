// Package ordered runs tasks side by side, and yields their results in the order of the tasks.
package ordered

import (
	"context"
	"iter"
	"sync"
)

// Tasks yields the results of n tasks, all of each before those of the next one. A number of workers run
// at a time, each of which waits when it is so many results ahead of what was taken. If ctx ends, or no more
// results are taken, yield returns false in the tasks.
func Tasks[T any](ctx context.Context, n, workers, ahead int, do func(ctx context.Context, i int, yield func(T) bool)) iter.Seq[T] {
	return func(take func(T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		queue := make(chan chan T, max(workers-1, 0))
		running.Go(func() {
			defer close(queue)
			for i := range n {
				results := make(chan T, ahead)
				select {
				case queue <- results:
				case <-ctx.Done():
					return
				}
				running.Go(func() {
					defer close(results)
					do(ctx, i, func(x T) bool {
						select {
						case results <- x:
							return true
						case <-ctx.Done():
							return false
						}
					})
				})
			}
		})
		for results := range queue {
			for x := range results {
				if !take(x) {
					return
				}
			}
		}
	}
}
