package when

import (
	"syscall"
	"time"
)

func pause(d time.Duration) {
	rest := syscall.NsecToTimespec(int64(max(d, 0)))
	for syscall.Nanosleep(&rest, &rest) == syscall.EINTR {
	}
}
