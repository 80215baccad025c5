//go:build !unix

package cli

// Suspend does nothing where there is no job control.
func Suspend() {}
