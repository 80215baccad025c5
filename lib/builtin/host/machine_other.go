//go:build !darwin && !windows

package host

func newMachine() machine { return portable() }
