package when

import (
	"testing"
	"time"
)

// TestPause waits no less than it should, and not for a time that is over.
func TestPause(t *testing.T) {
	for _, d := range []time.Duration{-time.Hour, 0, time.Microsecond, exact} {
		began := time.Now()
		if pause(d); time.Since(began) < d {
			t.Errorf("%v after %v", time.Since(began), d)
		}
	}
}
