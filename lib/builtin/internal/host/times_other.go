//go:build !unix

package host

import "os"

// Times returns zeros: the processor time of a process cannot be read portably.
func Times() (user, sys float64) { return 0, 0 }

// Alive reports whether a process exists.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
