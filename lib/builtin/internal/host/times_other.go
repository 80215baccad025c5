//go:build !unix

package host

// Times returns zeros: the processor time of a process cannot be read portably.
func Times() (user, sys float64) { return 0, 0 }
