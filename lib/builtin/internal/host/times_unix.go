//go:build unix

package host

import (
	"errors"
	"syscall"
)

// Times returns the processor time that this process has used, in seconds, cut to hundredths as in
// the reference.
func Times() (user, sys float64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, 0
	}
	return hundredths(r.Utime.Nano()), hundredths(r.Stime.Nano())
}

func hundredths(ns int64) float64 { return float64(ns/1e7) / 100 }

// Alive reports whether a process exists.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
