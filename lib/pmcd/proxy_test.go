package pmcd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"pmtools/lib/pmerr"
)

// proxyLines plays the proxy: it reads the client's first line, answers, reads the second, and
// returns both.
func proxyLines(p *peer, answer string) (hello, target string) {
	readLine := func() string {
		var line []byte
		for b := make([]byte, 1); len(line) == 0 || line[len(line)-1] != '\n'; line = append(line, b[0]) {
			if _, err := p.nc.Read(b); err != nil {
				break
			}
		}
		return string(line)
	}
	hello = readLine()
	p.nc.Write([]byte(answer))
	return hello, readLine()
}

func TestProxy(t *testing.T) {
	for _, tt := range []struct {
		name, spec, answer string
		target             string
		code               pmerr.Code
	}{
		{"numeric", "10.1.2.3:45321@proxy:PORT", "pmproxy-server 1\n", "10.1.2.3 45321\n", 0},
		{"name", "host@proxy:PORT", "pmproxy-server 1\n", "127.0.0.1 44321\n", 0},
		{"name that only the proxy may know", "nosuch@proxy:PORT", "pmproxy-server 1\n", "nosuch 44321\n", 0},
		{"IPv6", "[::1]@proxy:PORT", "pmproxy-server 1\n", "::1 44321\n", 0},
		{"carriage return", "1.2.3.4@proxy:PORT", "pmproxy-server 1\r", "1.2.3.4 44321\n", 0},
		{"first port of the proxy", "1.2.3.4@proxy:PORT,1,2", "pmproxy-server 1\n", "1.2.3.4 44321\n", 0},
		{"attributes behind", "1.2.3.4@proxy:PORT?exclusive", "pmproxy-server 1\n", "1.2.3.4 44321\n", 0},
		{"other version", "1.2.3.4@proxy:PORT", "pmproxy-server 2\n", "", pmerr.IPC},
		{"another protocol", "1.2.3.4@proxy:PORT", "HTTP/1.1 400 Bad Request\r\n", "", pmerr.IPC},
		{"endless line", "1.2.3.4@proxy:PORT", strings.Repeat("x", 1000), "", pmerr.IPC},
		{"hangs up", "1.2.3.4@proxy:PORT", "", "", pmerr.IPC},
		{"bad name", "no%20such host@proxy:PORT", "", "", codeHostUnreach},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := listen(t, func(p *peer) {
				if tt.answer == "" {
					return
				}
				hello, target := proxyLines(p, tt.answer)
				if hello != "pmproxy-client 1\n" || target != tt.target {
					t.Errorf("got %q, %q; want %q", hello, target, tt.target)
				}
				if tt.code == 0 {
					p.greet(0)
				}
				drain(p)
			})
			var warnings []string
			d := testDialer()
			d.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
				if strings.Contains(host, "such") {
					host = "nosuch"
				}
				return loopback(ctx, host)
			}
			d.Warn = func(s string) { warnings = append(warnings, s) }
			_, err := dialText(t, d, strings.ReplaceAll(tt.spec, "PORT", fmt.Sprint(port)))
			checkCode(t, err, tt.code)
			if (len(warnings) > 0) != (tt.code == pmerr.IPC) {
				t.Errorf("warnings %q", warnings)
			}
			if len(warnings) > 0 && !strings.HasPrefix(warnings[0], `__pmConnectPMCD: bad version string from pmproxy: "`) {
				t.Errorf("warning %q", warnings[0])
			}
		})
	}
}

// TestProxyOrder checks where the default proxy is used, and which failures end the attempts.
func TestProxyOrder(t *testing.T) {
	var mu sync.Mutex
	var targets []string
	port := listen(t, func(p *peer) {
		_, target := proxyLines(p, "pmproxy-server 1\n")
		mu.Lock()
		targets = append(targets, target)
		mu.Unlock()
		if target == "127.0.0.1 3\n" {
			p.greet(0)
			drain(p)
		}
	})
	d := testDialer()
	d.Proxy, d.ProxyPort = "proxy", port
	_, err := dialText(t, d, "host:1,2,3,4")
	checkCode(t, err, 0)
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(targets, ""); got != "127.0.0.1 1\n127.0.0.1 2\n127.0.0.1 3\n" {
		t.Errorf("asked for %q", got)
	}
	path := listenUnix(t, func(p *peer) { p.greet(0); drain(p) })
	for _, spec := range []string{"unix:" + path, "local:" + path} {
		_, err := dialText(t, d, spec)
		checkCode(t, err, 0)
	}
	dials := 0
	d = testDialer()
	d.DialContext = refusing(&dials)
	_, err = dialText(t, d, "host:1,2,3@proxy")
	checkCode(t, err, codeConnRefused)
	if dials != 1 {
		t.Errorf("%d attempts", dials)
	}
	_, err = dialText(t, d, "host@nosuch")
	checkCode(t, err, codeHostUnreach)
}

func TestProxySilent(t *testing.T) {
	port := listen(t, drain)
	d := testDialer()
	d.RequestTimeout = 50 * time.Millisecond
	_, err := dialText(t, d, fmt.Sprintf("1.2.3.4@proxy:%d", port))
	checkCode(t, err, pmerr.Timeout)

	d.RequestTimeout = -1
	spec, err := ParseSpec(fmt.Sprintf("1.2.3.4@proxy:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.Dial(ctx, spec); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// FuzzProxyLine: a line of a proxy ends where it ends, and the bytes after it stay unread.
func FuzzProxyLine(f *testing.F) {
	for _, s := range []string{"pmproxy-server 1\nrest", "pmproxy-server 1\r", "", "\n", strings.Repeat("x", 200), "abc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := bufio.NewReader(iotest.OneByteReader(strings.NewReader(text)))
		line, err := readLine(r)
		rest := make([]byte, len(text)+1)
		n, _ := r.Read(rest)
		switch {
		case err != nil && (len(text) >= maxAnswer || strings.ContainsAny(text, "\r\n")):
			t.Error(err)
		case err == nil && (!strings.HasPrefix(text, line) || len(line) > maxAnswer || strings.ContainsAny(line, "\r\n")):
			t.Errorf("%q: line %q", text, line)
		case err == nil && n > 0 && len(line) < maxAnswer && !strings.HasPrefix(text[len(line)+1:], string(rest[:n])):
			t.Errorf("%q: line %q, then %q", text, line, rest[:n])
		}
	})
}
