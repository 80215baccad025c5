//go:build !linux

package main

import "time"

// nap waits for a short time.
func nap(d time.Duration) { time.Sleep(d) }
