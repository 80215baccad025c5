package main

import (
	"testing"
	"time"
)

// TestNap waits no less than it should, and not for a time that is over.
func TestNap(t *testing.T) {
	for _, d := range []time.Duration{-time.Hour, 0, time.Microsecond, exact} {
		began := time.Now()
		if nap(d); time.Since(began) < d {
			t.Errorf("%v after %v", time.Since(began), d)
		}
	}
}
