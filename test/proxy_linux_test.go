package test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A hostileProxy speaks the proxy's protocol badly. It has read the client's first line.
type hostileProxy struct {
	name  string
	speak func(c *net.TCPConn)
	own   bool // the reference waits for ever, takes it for an answer, or says other words
}

const proxyLine = "pmproxy-server 1\n"

// proxyPDU returns a message: an error with the daemon's greeting, but for its length and type.
func proxyPDU(length, kind uint32) string {
	var b []byte
	for _, x := range []uint32{length, kind, 0, 0, 0x02010000} {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	return string(b)
}

// says writes texts, with pauses between them, and waits until the client has gone.
func says(pause time.Duration, texts ...string) func(c *net.TCPConn) {
	return func(c *net.TCPConn) {
		for _, text := range texts {
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
			time.Sleep(pause)
		}
		io.Copy(io.Discard, c)
	}
}

// goesOn writes a text, and another one again and again.
func goesOn(pause time.Duration, text, again string) func(c *net.TCPConn) {
	return func(c *net.TCPConn) {
		_, err := io.WriteString(c, text)
		for err == nil {
			_, err = io.WriteString(c, again)
			time.Sleep(pause)
		}
	}
}

// ends writes a text and ends the connection.
func ends(text string) func(c *net.TCPConn) {
	return func(c *net.TCPConn) {
		io.WriteString(c, text)
		c.CloseWrite()
		io.Copy(io.Discard, c)
	}
}

func hostileProxies() []hostileProxy {
	greeting := proxyPDU(20, 0x7000)
	list := []hostileProxy{
		{"says nothing", says(0), true},
		{"half a line", says(0, proxyLine[:7]), true},
		{"an endless line", goesOn(0, "", strings.Repeat("x", 64<<10)), false},
		{"an endless line, slowly", goesOn(100*time.Millisecond, "", "x"), true},
		{"bytes of value 0", goesOn(0, "", strings.Repeat("\x00", 64<<10)), false},
		{"another version", says(0, "pmproxy-server 2\n"), false},
		{"a longer version", says(0, "pmproxy-server 10\n"), false},
		{"an empty line", says(0, "\n"+proxyLine), false},
		{"another protocol", says(0, "HTTP/1.1 400 Bad Request\r\n\r\n"), false},
		{"what a terminal obeys", says(0, "\x1b]0;evil\x07\u009b31m\u202e\"\\\n"), false},
		{"a reset", func(c *net.TCPConn) { c.SetLinger(0); c.Close() }, false},
		{"a reset after the line", func(c *net.TCPConn) { io.WriteString(c, proxyLine); c.SetLinger(0); c.Close() }, true},
		{"a greeting before the line", says(0, greeting+proxyLine), true},
		{"a line in pieces", says(30*time.Millisecond, "pm", "proxy-", "server ", "1"), true},
		{"late, then nothing", says(300*time.Millisecond, "pmproxy", "-server 1\n"), true},
		{"a greeting, then nothing", says(0, proxyLine+greeting), true},
		{"a greeting, then the end", ends(proxyLine + greeting), true},
		{"a greeting, then greetings", goesOn(0, proxyLine, strings.Repeat(greeting, 1000)), true},
		{"a greeting without an end", goesOn(200*time.Millisecond, proxyLine+greeting[:6], "\x00"), true},
		{"a result of 256 MiB that comes slowly", goesOn(50*time.Millisecond, proxyLine+greeting+proxyPDU(256<<20, 0x7001), "\x00"), true},
	}
	for _, n := range []uint32{0, 1, 11, 12, 16, 1 << 20, 1 << 30, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
		list = append(list, hostileProxy{fmt.Sprintf("a greeting of %d bytes", n), goesOn(20*time.Millisecond, proxyLine+proxyPDU(n, 0x7000), strings.Repeat("\x00", 4096)), true})
	}
	for n := range len(proxyLine) + 1 {
		list = append(list, hostileProxy{fmt.Sprintf("the end after %d bytes", n), ends(proxyLine[:n]), n == len(proxyLine)})
	}
	for n := 1; n < len(greeting); n += 3 {
		list = append(list, hostileProxy{fmt.Sprintf("the end after %d bytes of the greeting", n), ends(proxyLine + greeting[:n]), true})
	}
	return list
}

// start serves until the test ends, and returns the port.
func (p *hostileProxy) start(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range open {
			c.Close()
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			go func() {
				defer c.Close()
				for b := make([]byte, 1); b[0] != '\n'; {
					if _, err := c.Read(b); err != nil {
						return
					}
				}
				p.speak(c.(*net.TCPConn))
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// proxied are the commands that connect. HOST is a host by way of the proxy.
var proxied = []string{
	"pminfo -h HOST x", "pmval -h HOST -s 1 x", "pmstore -h HOST x 1", // these three come first: the reference has them
	"pminfo -h HOST -dfmtT", "pmval -h HOST --output csv -s 1 x", "pmderive -h HOST eval x", "pmderive -h HOST x", "pmderive -h HOST :metrics",
	"pmderive -h HOST,HOST eval x -s 1", "pmderive -h HOST explain x", "pmderive -h HOST describe x", "pmderive -h HOST find x",
	"pmderive -h HOST check --syntax", "pmderive compare -h HOST -h 127.0.0.2@127.0.0.1:PORT x", "pmderive -h HOST eval x --archive-out DIR/rec",
	"pmderive -h HOST push --to http://127.0.0.1:1/ -s 1 x", "pmderive __complete -h HOST eval x", "pminfo __complete -h HOST x", "pmderive -h HOST eval :vmstat",
}

type proxyRun struct {
	status int
	out    string // on standard error, with the port as PORT
	took   time.Duration
	memory int64
}

// throughProxy runs a command line, whose host is behind the proxy of a port.
func throughProxy(t *testing.T, line string, port int, words ...string) proxyRun {
	t.Helper()
	for _, word := range strings.Fields(line)[len(words):] {
		words = append(words, strings.NewReplacer("HOST", fmt.Sprintf("127.0.0.1@127.0.0.1:%d", port), "PORT", fmt.Sprint(port), "DIR", t.TempDir()).Replace(word))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	if strings.Contains(line, " push ") { // push tries again until a signal ends it
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		time.AfterFunc(5*time.Second, cancel)
		c.WaitDelay = 20 * time.Second
	}
	c.Env = append(os.Environ(), "PMCD_CONNECT_TIMEOUT=1", "PMCD_REQUEST_TIMEOUT=1", "PCP_DERIVED_CONFIG=")
	c.Dir = t.TempDir()
	var errs bytes.Buffer
	c.Stderr = &errs
	begin := time.Now()
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	out := logged.ReplaceAllString(strings.ReplaceAll(errs.String(), fmt.Sprint(port), "PORT"), "[TIME] $1(PID)")
	return proxyRun{c.ProcessState.ExitCode(), out, time.Since(begin), int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10}
}

// wrong says what is wrong with the end of a command.
func (r *proxyRun) wrong(line string) string {
	name, _, _ := strings.Cut(line, " ")
	mayPass := name == "pminfo" || strings.Contains(line, "__complete") || strings.Contains(line, "check") // which go on without a host
	switch {
	case r.status < 0:
		return "it is killed"
	case r.status == 0 && !mayPass:
		return "no error"
	case r.took > 30*time.Second:
		return "it waits"
	case r.memory > max(200<<20, ownMemory()):
		return "it takes memory"
	case strings.Contains(r.out, "goroutine "):
		return "a panic"
	}
	return ""
}

// ownMemory returns the most memory that this process has had, in bytes. The system counts it as a command's, too, if this process
// starts the command, and the race detector takes more than a command may.
func ownMemory() int64 {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0
	}
	return int64(own.Maxrss) << 10
}

// TestHostileProxy: whatever a proxy says, commands end in time, with an error, in little memory; those of PCP with its words.
// PMTOOLS_RUNS=all tries each command, and makes the comparison with the reference for each of its three.
func TestHostileProxy(t *testing.T) {
	t.Parallel()
	all := os.Getenv("PMTOOLS_RUNS") == "all"
	theirs := filepath.Join(os.Getenv("PMTOOLS_PEER"), "bin-host")
	if _, err := os.Stat(filepath.Join(theirs, "pminfo")); err != nil {
		theirs = ""
	}
	slots := make(chan bool, 6)
	for i, p := range hostileProxies() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			slots <- true
			defer func() { <-slots }()
			port := p.start(t)
			for j, line := range proxied {
				if !all && j != i%len(proxied) && (theirs == "" || j != i%3) {
					continue
				}
				name, _, _ := strings.Cut(line, " ")
				got := throughProxy(t, line, port, command(t, name))
				if why := got.wrong(line); why != "" {
					t.Errorf("%s: %s: status %d after %v, with %d MiB\n%.2000s", line, why, got.status, got.took, got.memory>>20, got.out)
				}
				if j >= 3 || theirs == "" || p.own {
					continue
				}
				want := throughProxy(t, line, port, filepath.Join(theirs, name))
				if got.out != want.out || got.status != want.status {
					t.Errorf("%s: status %d, %q; the reference's status %d, %q", line, got.status, got.out, want.status, want.out)
				}
			}
		})
	}
}

// logged matches the beginning of a message with its time.
var logged = regexp.MustCompile(`\[[A-Z][^\]]*\] (\w+)\(\d+\)`)
