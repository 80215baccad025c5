package pmcd

import (
	"net"
	"syscall"
	"testing"

	"pmtools/lib/pdu"
)

// TestGather waits for replies that come, for some that do not, and at the end of the connection.
// Afterwards a read waits for a single byte again.
func TestGather(t *testing.T) {
	next := make(chan int)
	port := listen(t, func(p *peer) {
		p.greet(0)
		for n := range next {
			for range n {
				p.send(&pdu.Error{Code: -1})
			}
		}
	})
	c, err := dialText(t, testDialer(port), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ come, want int }{{10, 10}, {3, 300}, {1, 1}, {40, 2}} {
		next <- row.come
		c.gather(row.want)
		for range row.come {
			var e pdu.Error
			if err := c.reply(t.Context(), &e); err != nil || e.Code != -1 {
				t.Errorf("%d of %d replies: code %d, error %v", row.come, row.want, e.Code, err)
			}
		}
		raw, err := c.nc.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Error(err)
			break
		}
		raw.Control(func(fd uintptr) {
			if n, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT); n != 1 || err != nil {
				t.Errorf("a wait ends with %d bytes, error %v", n, err)
			}
		})
	}
	close(next)
	c.gather(5)
	if _, err := c.recv(t.Context()); err == nil {
		t.Error("no error at the end")
	}
}
