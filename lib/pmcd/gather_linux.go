package pmcd

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"pmtools/lib/pdu"
)

// gatherTime is the longest wait of gather in milliseconds.
const gatherTime = 10

// gather waits until several replies have arrived, or gatherTime has passed: waking up for each reply would
// spend most of our time, and of pmcd's, on context switches. It waits for as many bytes as that number of
// replies has at least.
func (c *Conn) gather(replies int) {
	nc, ok := c.nc.(*net.TCPConn)
	if !ok || replies < 2 {
		return
	}
	raw, err := nc.SyscallConn()
	if err != nil {
		return // the read reports the same error
	}
	_ = raw.Control(func(fd uintptr) {
		if lowWater(fd, (replies-1)*pdu.HeaderSize) == nil {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, gatherTime)
			_ = lowWater(fd, 1)
		}
	})
}

// lowWater sets the number of received bytes that ends a wait (SO_RCVLOWAT).
func lowWater(fd uintptr, n int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, n)
}
