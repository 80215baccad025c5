//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// unheeded are the signals that end programs, but not those of Go.
var unheeded = []os.Signal{syscall.SIGQUIT}
