//go:build unix

package host

import "syscall"

// Times returns the processor time that this process has used, in seconds, as exactly as the
// reference has it: in hundredths.
func Times() (user, sys float64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, 0
	}
	return hundredths(r.Utime.Nano()), hundredths(r.Stime.Nano())
}

func hundredths(ns int64) float64 { return float64(ns/1e7) / 100 }
