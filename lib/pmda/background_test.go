package pmda

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// TestBackground: requests are answered at once while a reading takes long, with what was read last
// or its error.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sorry, n := errors.New("sorry"), 0
		b := NewBackground(10*time.Second, func(ctx context.Context) (int, error) {
			time.Sleep(20 * time.Second)
			if n++; n == 2 {
				return 0, sorry
			}
			return n, ctx.Err()
		})
		var value, taken int
		a, err := New(Table{Domain: 450, Metrics: []Metric{{
			Name: "a.b", Type: pcp.Int32, Needs: b.Reading(func(v int) { value = v; taken++ }), Fetch: One(func() int { return value }),
		}}})
		if err != nil {
			t.Fatal(err)
		}
		fetch := func() (int, error) {
			t.Helper()
			id, before := pcp.NewID(450, 0, 0), time.Now()
			var r pcp.Result
			if err := a.Fetch(t.Context(), &Request{Client: new(Client), IDs: []pcp.ID{id, id}}, &r); err != nil {
				t.Fatal(err)
			}
			if time.Since(before) != 0 {
				t.Errorf("a request took %v", time.Since(before))
			}
			if c := r.Sets[0].Err; c != 0 {
				return 0, c
			}
			return int(r.Sets[0].Words[0]), nil
		}
		start := time.Now()
		for _, tt := range []struct {
			at   time.Duration
			want int
			err  error
		}{{5, 0, pmerr.Again}, {25, 1, nil}, {49, 1, nil}, {55, 0, pmerr.Generic}, {85, 3, nil}} {
			time.Sleep(tt.at*time.Second - time.Since(start))
			synctest.Wait()
			if got, err := fetch(); got != tt.want || err != tt.err {
				t.Errorf("after %d s: %d, %v, want %d, %v", tt.at, got, err, tt.want, tt.err)
			}
		}
		if taken != 3 {
			t.Errorf("%d values were taken in 3 requests", taken)
		}
		if err := b.WaitReady(t.Context()); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, at, err := b.Last(); at.Sub(start) != 80*time.Second || err != nil {
			t.Errorf("last read at %v, %v", at, err)
		}
	})
}

// TestBackgroundReady: an agent waits for the first reading, or until it is ended.
func TestBackgroundReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBackground(time.Minute, func(ctx context.Context) (int, error) {
			select {
			case <-time.After(time.Minute):
				return 1, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.WaitReady(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := b.WaitReady(t.Context()); err != nil {
			t.Error(err)
		}
		b.Close()
	})
}
