package when

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestClock: the times do not drift; a late sample is taken at once, and times that have passed are
// left out without moving the others.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c := Clock{Interval: 10 * time.Second}
		for i, tt := range []struct {
			busy time.Duration // what the sample before took
			due  time.Duration // since the beginning
			at   time.Duration
		}{
			{0, 0, 0},
			{3 * time.Second, 10 * time.Second, 10 * time.Second},
			{12 * time.Second, 20 * time.Second, 22 * time.Second},
			{time.Second, 30 * time.Second, 30 * time.Second},
			{35 * time.Second, 60 * time.Second, 65 * time.Second},
			{0, 70 * time.Second, 70 * time.Second},
		} {
			time.Sleep(tt.busy)
			due, err := c.Wait(t.Context())
			if err != nil || due.Sub(begin) != tt.due || time.Since(begin) != tt.at {
				t.Errorf("sample %d: due at %v, taken at %v, %v; want %v, %v", i, due.Sub(begin), time.Since(begin), err, tt.due, tt.at)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if _, err := new(Clock).Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without an interval: got %v", err)
		}
	})
}
