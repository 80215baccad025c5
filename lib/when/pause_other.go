//go:build !linux

package when

import "time"

func pause(d time.Duration) { time.Sleep(d) }
