package pmcd

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"pmtools/lib/pdu"
)

// gatherTime is how many milliseconds gather waits at most.
const gatherTime = 10

// gather waits until several replies have come, or a moment has passed: a process that is woken for
// each one takes most of its time, and of the daemon's, for waking up. How many there are at least is
// known by the bytes that so many replies cannot do without.
func (c *Conn) gather(replies int) {
	nc, ok := c.nc.(*net.TCPConn)
	if !ok || replies < 2 {
		return
	}
	raw, err := nc.SyscallConn()
	if err != nil {
		return // so does the read
	}
	_ = raw.Control(func(fd uintptr) {
		if lowWater(fd, (replies-1)*pdu.HeaderSize) == nil {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, gatherTime)
			_ = lowWater(fd, 1)
		}
	})
}

// lowWater sets how many bytes must have come before a wait for them ends.
func lowWater(fd uintptr, n int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, n)
}
