package main

import (
	"syscall"
	"time"
)

// nap waits for a short time.
func nap(d time.Duration) {
	rest := syscall.NsecToTimespec(int64(max(d, 0)))
	for syscall.Nanosleep(&rest, &rest) == syscall.EINTR {
	}
}
