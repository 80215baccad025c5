//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Suspend stops the process group, as Ctrl-Z does on a terminal in its usual mode, and returns when
// the group continues.
func Suspend() {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-resumed:
	case <-time.After(100 * time.Millisecond): // the group is orphaned: no shell could continue it, so the kernel did not stop it
	}
}
