package timecontrol_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pmtools/internal/timecontrol"
	"pmtools/internal/timecontrol/timecontroltest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// set is the first packet of the tests' clients.
var set = timecontrol.Packet{Kind: timecontrol.Recorded, Delta: time.Second, Position: pcp.Timestamp{Sec: 5}, Zone: "UTC", ZoneLabel: "h"}

// listen starts a server, which ends with the test.
func listen(t testing.TB, play func(*timecontroltest.Player)) *timecontroltest.Server {
	t.Helper()
	s, err := timecontroltest.Listen(play)
	if err != nil {
		t.Skip("no port here: ", err)
	}
	return s
}

// wrong returns a packet whose length field is n.
func wrong(t *testing.T, p timecontrol.Packet, n uint32) []byte {
	t.Helper()
	b, err := p.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	binary.NativeEndian.PutUint32(b[4:], n)
	return b
}

// TestConnectFaults: the other side is not a server, or not the right one.
func TestConnectFaults(t *testing.T) {
	ack := timecontrol.Packet{Command: timecontrol.Ack, Kind: timecontrol.Recorded}
	for name, play := range map[string]func(p *timecontroltest.Player){
		"hangs up":   func(p *timecontroltest.Player) { p.Receive() },
		"other kind": func(p *timecontroltest.Player) { p.Receive(); p.Send(&timecontrol.Packet{Command: timecontrol.Ack}) },
		"no answer": func(p *timecontroltest.Player) {
			p.Receive()
			p.Send(&timecontrol.Packet{Command: timecontrol.Step})
			p.Receive()
		},
		"huge": func(p *timecontroltest.Player) { p.Receive(); p.Raw(wrong(t, ack, 1<<31)); p.Receive() },
		"long": func(p *timecontroltest.Player) { p.Receive(); p.Raw(wrong(t, ack, 90)); p.Receive() },
		"text": func(p *timecontroltest.Player) { p.Receive(); p.Raw([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) },
	} {
		s := listen(t, play)
		_, err := timecontrol.Connect(context.Background(), s.Port, &set)
		if bad, ok := errors.AsType[*timecontrol.Error](err); !ok || bad.Stage != timecontrol.Greeting {
			t.Errorf("%s: %v", name, err)
		}
		sent := s.Close()
		want := set
		want.Command = timecontrol.Set
		if len(sent) != 1 || sent[0] != want {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

// TestConnectNobody: a port without a server, and a server that does not answer.
func TestConnectNobody(t *testing.T) {
	s := listen(t, func(p *timecontroltest.Player) { p.Receive(); p.Receive() })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := timecontrol.Connect(ctx, s.Port, &set); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer: %v", err)
	}
	s.Close()
	_, err := timecontrol.Connect(context.Background(), s.Port, &set)
	if bad, ok := errors.AsType[*timecontrol.Error](err); !ok || bad.Stage != timecontrol.Reaching {
		t.Errorf("nobody: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := timecontrol.Start(context.Background(), &set, io.Discard); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("no pmtime: %v", err)
	}
}

// TestStart starts servers that write their port, or another text.
func TestStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	for _, c := range []struct{ script, want string }{
		{"echo port=%d", ""}, {"echo port=%dx", ""}, {"test $1 = -a && echo port=%d", ""},
		{"echo hello", "hello"}, {"exit 3", `""`}, {"head -c 1000000 /dev/zero", `\x00`}, {"echo port=0", "connect"},
	} {
		s := listen(t, (*timecontroltest.Player).Greet)
		dir := t.TempDir()
		text := "#!/bin/sh\n" + c.script + "\n"
		if c.want == "" {
			text = fmt.Sprintf(text, s.Port)
		}
		if err := os.WriteFile(filepath.Join(dir, "pmtime"), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		conn, err := timecontrol.Start(context.Background(), &set, io.Discard)
		if err == nil {
			conn.Close()
		}
		if s.Close(); (err == nil) != (c.want == "") {
			t.Errorf("%s: %v", c.script, err)
		}
	}
}

// TestReceiveFaults: packets that are cut short or too long, and a client that does not wait.
func TestReceiveFaults(t *testing.T) {
	step := timecontrol.Packet{Command: timecontrol.Step}
	for _, c := range []struct {
		name string
		sent []byte
		want error
	}{
		{"nothing", nil, io.EOF},
		{"half", wrong(t, step, 88)[:40], pmerr.IPC},
		{"short", wrong(t, step, 87), pmerr.IPC},
		{"huge", wrong(t, step, 1<<32-1), pmerr.IPC},
		{"without its end", wrong(t, step, 168), pmerr.IPC},
	} {
		s := listen(t, func(p *timecontroltest.Player) { p.Greet(); p.Raw(c.sent) })
		conn, err := timecontrol.Connect(context.Background(), s.Port, &set)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.ShowDialog(false); err != nil {
			t.Error(err)
		}
		if _, err := conn.Receive(context.Background()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		conn.Close()
		s.Close()
	}
	s := listen(t, func(p *timecontroltest.Player) { p.Greet(); p.Receive() })
	conn, err := timecontrol.Connect(context.Background(), s.Port, &set)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := conn.Receive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := conn.SetBounds(pcp.Timestamp{Sec: 1}, pcp.Timestamp{Sec: 2}); err != nil {
		t.Error(err)
	}
	conn.Close()
	s.Close()
}
