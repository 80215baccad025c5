//go:build !linux

package when

import "time"

// pause waits for a short time.
func pause(d time.Duration) { time.Sleep(d) }
