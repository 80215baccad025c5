package pmcd

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDialBusy has a Unix socket with more clients waiting than it allows: the system refuses one
// more at once, and Dial waits.
func TestDialBusy(t *testing.T) {
	dir, err := os.MkdirTemp("", "busy")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Skip("no Unix sockets here: ", err)
	}
	defer unix.Close(fd)
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	var clients []net.Conn
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	for range 4 { // until the queue is full
		c, err := net.Dial("unix", path)
		if err != nil {
			break
		}
		clients = append(clients, c)
	}
	go func() {
		for range clients {
			time.Sleep(20 * time.Millisecond)
			if n, _, err := unix.Accept(fd); err == nil {
				unix.Close(n)
			}
		}
	}()
	d := &Dialer{ConnectTimeout: 5 * time.Second}
	c, err := d.dial(t.Context(), "unix", path)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	c.Close()
}
