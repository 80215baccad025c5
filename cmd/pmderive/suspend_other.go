//go:build !unix

package main

// suspend does nothing where there is no job control.
func suspend() {}
