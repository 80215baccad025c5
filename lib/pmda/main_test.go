package pmda

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda/helptext"
	_ "pmtools/test/env"
)

// A run is a run of an agent's main function.
type run struct {
	args   string
	stdin  io.Reader
	agent  func(o *Options) (Provider, error)
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// do runs it and returns the exit status.
func (r *run) do(ctx context.Context) int {
	p := &program{newAgent: r.agent, args: append([]string{"/some/where/pmdatest"}, strings.Fields(r.args)...), stdin: r.stdin, stdout: &r.stdout, stderr: &r.stderr}
	if r.stdin == nil {
		p.stdin = strings.NewReader("")
	}
	return p.run(ctx)
}

// oneMetric returns an agent with one metric.
func oneMetric(o *Options) (Provider, error) {
	return New(Table{Domain: o.DomainOr(400), Metrics: []Metric{{Name: "test.one", Type: pcp.Int32, OneLine: "one", Fetch: One(func() int { return 1 })}}})
}

// logText returns what stands in a log, without times and process numbers.
func logText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := regexp.MustCompile(`\[.{19}\] (\w+)\(\d+\)`).ReplaceAllString(string(text), "[DATE] $1(PID)")
	s = regexp.MustCompile(`(?m) on \S+ started .{24}$`).ReplaceAllString(s, " on HOST started DATE")
	return regexp.MustCompile(`(?m)finished .{24}$`).ReplaceAllString(s, "finished DATE")
}

// TestMainStatus checks exit status, messages and logs.
func TestMainStatus(t *testing.T) {
	head, tail := "Log for pmdatest on HOST started DATE\n\n", "\nLog finished DATE\n"
	dir := t.TempDir()
	for _, tt := range []struct {
		name   string
		args   string
		agent  func(o *Options) (Provider, error)
		status int
		stderr string // the first line
		log    string
	}{
		{"end of input", "-l DIR/log", oneMetric, 0, "", head + tail},
		{"bad domain", "-d x", oneMetric, 1, "pmdatest: -d requires numeric domain number", ""},
		{"help", "-?", oneMetric, 1, "Usage: pmdatest [options]", ""},
		{"no agent", "-l DIR/log", func(*Options) (Provider, error) { return nil, errors.New("sorry") }, 1, "", head + "[DATE] pmdatest(PID) Critical: sorry\n" + tail},
		{"no log", "-l DIR/no/log", oneMetric, 0, "Warning: cannot open log: open DIR/no/log: no such file or directory", ""},
		{"no help texts", "-l DIR/log -h DIR/nosuch", oneMetric, 0, "",
			head + "[DATE] pmdatest(PID) Warning: help texts: open DIR/nosuch.dir: no such file or directory\n" + tail},
		{"unknown user", "-l DIR/log -U nosuchuser", oneMetric, 1, "", head + "[DATE] pmdatest(PID) Critical: cannot find the nosuchuser user to switch to\n" + tail},
		{"agent that writes", "-l DIR/log -D appl0 -d 5", func(o *Options) (Provider, error) {
			o.Logf("%s %d %v", o.Program, o.Domain, o.Debug)
			return oneMetric(o)
		}, 0, "", head + "[DATE] pmdatest(PID) Info: pmdatest 5 [appl0]\n" + tail},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &run{args: strings.ReplaceAll(tt.args, "DIR", dir), agent: tt.agent}
			if got := r.do(context.Background()); got != tt.status {
				t.Errorf("status %d, want %d", got, tt.status)
			}
			line, _, _ := strings.Cut(r.stderr.String(), "\n")
			if want := strings.ReplaceAll(tt.stderr, "DIR", dir); !strings.HasSuffix(line, want) || want == "" && line != "" {
				t.Errorf("stderr %q, want %q", line, want)
			}
			if tt.log != "" {
				if got, want := logText(t, filepath.Join(dir, "log")), strings.ReplaceAll(tt.log, "DIR", dir); got != want {
					t.Errorf("log\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
}

// TestLogs checks where the log is, that the last one is kept, and that anything but a plain file
// is not moved away.
func TestLogs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, text := range []string{"first", "second"} {
		r := &run{agent: func(*Options) (Provider, error) { return nil, errors.New(text) }}
		r.do(context.Background())
	}
	if now, before := logText(t, "test.log"), logText(t, "test.log.prev"); !strings.Contains(now, "second") || !strings.Contains(before, "first") {
		t.Errorf("logs:\n%s\n%s", now, before)
	}
	if err := os.Symlink("test.log", "link"); err != nil {
		t.Skip(err)
	}
	(&run{args: "-l link", agent: oneMetric}).do(context.Background())
	if fi, err := os.Lstat("link"); err != nil || fi.Mode().IsRegular() {
		t.Errorf("the link was moved away: %v", err)
	}
}

// TestPrintNames checks --pmns.
func TestPrintNames(t *testing.T) {
	r := &run{args: "-d 77 --pmns", agent: oneMetric}
	if s := r.do(context.Background()); s != 0 || r.stdout.String() != "root {\n\ttest\n}\n\ntest {\n\tone\t77:0:0\n}\n" {
		t.Errorf("status %d\n%s%s", s, r.stdout.String(), r.stderr.String())
	}
	r = &run{args: "--pmns", agent: func(o *Options) (Provider, error) {
		if !o.NamesOnly {
			t.Error("the agent does not know that it serves nobody")
		}
		return nil, errors.New("sorry")
	}}
	if s := r.do(context.Background()); s != 1 || r.stderr.String() != "pmdatest: sorry\n" {
		t.Errorf("status %d, %q", s, r.stderr.String())
	}
}

// closing is an agent that says when it is closed.
type closing struct {
	Provider
	closed *bool
}

func (c closing) Close() error { *c.closed = true; return nil }

// TestMainServes checks a dialogue over the pipe: that the agent has the daemon's attention, asks
// for what it wants, has the texts of a file, and is closed.
func TestMainServes(t *testing.T) {
	var in []byte
	for _, m := range []pdu.Message{&pdu.Creds{Version: 2}, &pdu.TextReq{Ident: uint32(pcp.NewID(253, 0, 0)), Kind: pcp.Help}} {
		b, err := m.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, b...)
	}
	help := filepath.Join(t.TempDir(), "help")
	entries, _ := helptext.Parse("help", "@ 1.0.0 one\nlong\n", nil)
	index, texts, err := helptext.Compile(entries, binary.BigEndian)
	if err != nil {
		t.Fatal(err)
	}
	for suffix, b := range map[string][]byte{".dir": index, ".pag": texts} {
		if err := os.WriteFile(help+suffix, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	closed := false
	r := &run{args: "-d 253 -l " + filepath.Join(t.TempDir(), "log") + " -h " + help, stdin: bytes.NewReader(in), agent: func(o *Options) (Provider, error) {
		o.Attrs, o.Containers = true, true
		p, err := oneMetric(o)
		return closing{p, &closed}, err
	}}
	if s := r.do(context.Background()); s != 0 || !closed {
		t.Errorf("status %d, closed %v", s, closed)
	}
	want := fmt.Sprintf("00000014 0000700c %08x 00000001 01020044 00000018 00007009 00000000 3f400000 00000004 6c6f6e67", os.Getpid())
	if got := wordsOf(r.stdout.Bytes()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// dialUntil connects to an agent that is about to listen.
func dialUntil(t *testing.T, network, address string) net.Conn {
	t.Helper()
	for range 3000 {
		if c, err := net.Dial(network, address); err == nil {
			return c
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nobody listens at ", address)
	return nil
}

// TestSockets checks agents that are reached over sockets.
func TestSockets(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close() // leaves a socket that nobody serves
	for _, tt := range []struct{ option, network string }{{"-i", "tcp4"}, {"-6", "tcp6"}, {"-u", "unix"}} {
		address := path
		if tt.network != "unix" {
			l, err := net.Listen(tt.network, map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"}[tt.network])
			if err != nil {
				t.Logf("%s is not tested: %v", tt.network, err)
				continue
			}
			address = l.Addr().String()
			l.Close()
		}
		operand := address
		if tt.network != "unix" {
			_, operand, _ = net.SplitHostPort(address)
		}
		r := &run{args: fmt.Sprintf("%s %s -l %s/log", tt.option, operand, dir), agent: oneMetric}
		done := make(chan int)
		go func() { done <- r.do(context.Background()) }()
		c := dialUntil(t, tt.network, address)
		f, err := pdu.NewReader(c).Next()
		if err != nil || f.Type != pdu.TypeCreds {
			t.Errorf("%s: %v, %v", tt.option, f.Type, err)
		}
		if tt.network == "unix" {
			if fi, err := os.Stat(path); err != nil {
				t.Error(err)
			} else if fi.Mode().Perm() != 0o660 {
				t.Errorf("mode of the socket: %v", fi.Mode())
			}
		}
		c.Close()
		if s := <-done; s != 0 {
			t.Errorf("%s: status %d", tt.option, s)
		}
	}
}

// TestBadSockets checks addresses at which no agent can listen, and one to which nobody comes.
func TestBadSockets(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"-i nosuchservice", "-i 99999", "-6 x", "-u DIR/no/sock", "-u DIR/file"} {
		r := &run{args: strings.ReplaceAll(args, "DIR", dir) + " -l " + dir + "/log", agent: oneMetric}
		if s := r.do(context.Background()); s != 1 || !strings.Contains(logText(t, dir+"/log"), "Critical") {
			t.Errorf("%s: status %d", args, s)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := (&program{}).connect(ctx, &flags{transport: 'u', address: filepath.Join(dir, "sock")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody came: %v", err)
	}
}
