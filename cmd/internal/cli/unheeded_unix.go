//go:build unix

package cli

import (
	"os"
	"syscall"
)

// unheeded are the signals that end programs, but not those of Go: it ignores them, or prints its
// goroutines.
var unheeded = []os.Signal{syscall.SIGQUIT, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2}
