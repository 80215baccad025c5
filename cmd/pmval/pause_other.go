//go:build !linux

package main

import "time"

// pause waits for a short time.
func pause(d time.Duration) { time.Sleep(d) }
