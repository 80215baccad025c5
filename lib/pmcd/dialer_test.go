package pmcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// refusing returns a DialContext that counts and refuses.
func refusing(n *int) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		*n++
		return nil, errors.New("refused")
	}
}

// TestDialOrder checks which addresses are tried, one after the other.
func TestDialOrder(t *testing.T) {
	for _, tt := range []struct {
		name, spec string
		d          Dialer
		want       string
		code       pmerr.Code
	}{
		{"default port", "host", Dialer{}, "tcp 127.0.0.1:44321", codeConnRefused},
		{"environment's ports", "host", Dialer{Ports: []int{1, 2}}, "tcp 127.0.0.1:1, tcp 127.0.0.1:2", codeConnRefused},
		{"specification's ports", "host:3,0", Dialer{Ports: []int{1, 2}}, "tcp 127.0.0.1:3, tcp 127.0.0.1:0", codeConnRefused},
		{"IPv6 with a zone", "[fe80::1%eth0]:1", Dialer{}, "tcp [fe80::1%eth0]:1", codeConnRefused},
		{"default socket", "unix:", Dialer{}, "unix /run/pcp/pmcd.socket", pmerr.ENOENT},
		{"environment's socket", "unix:", Dialer{Socket: "/s"}, "unix /s", pmerr.ENOENT},
		{"specification's socket", "unix:x", Dialer{Socket: "/s"}, "unix /x", pmerr.ENOENT},
		{"local", "local:", Dialer{Ports: []int{1, 2}}, "unix /run/pcp/pmcd.socket, tcp 127.0.0.1:1, tcp 127.0.0.1:2", codeConnRefused},
		{"local without a proxy", "local:x", Dialer{Proxy: "p"}, "unix /x, tcp 127.0.0.1:44321", codeConnRefused},
		{"proxy", "host:1,2@p", Dialer{}, "tcp 127.0.0.1:44322", codeConnRefused},
		{"proxy's port", "host@p:7", Dialer{Proxy: "q", ProxyPort: 8}, "tcp 127.0.0.1:7", codeConnRefused},
		{"environment's proxy", "host", Dialer{Proxy: "q", ProxyPort: 8}, "tcp 127.0.0.1:8", codeConnRefused},
		{"unknown host", "nosuch:1,2", Dialer{}, "", codeHostUnreach},
		{"empty host", "[]:1,2", Dialer{}, "", codeHostUnreach},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tried []string
			d := tt.d
			d.Lookup = loopback
			d.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				if _, limited := ctx.Deadline(); !limited {
					t.Error("no time limit")
				}
				tried = append(tried, network+" "+address)
				return nil, errors.New("the cause")
			}
			_, err := dialText(t, &d, tt.spec)
			checkCode(t, err, tt.code)
			if got := strings.Join(tried, ", "); got != tt.want {
				t.Errorf("tried %s, want %s", got, tt.want)
			}
			if tt.want != "" && Reason(err) != "the cause" {
				t.Errorf("reason %q", Reason(err))
			}
		})
	}
}

// TestDialPorts checks that a failed handshake is a reason to try the next port, and that the last
// error is the one that is returned.
func TestDialPorts(t *testing.T) {
	refused := listen(t, func(p *peer) { p.send(&pdu.Error{Code: -1042, Greeting: true}) })
	good := listen(t, func(p *peer) { p.greet(featureLabels); drain(p) })
	c, err := dialText(t, testDialer(refused, good), "host")
	checkCode(t, err, 0)
	if c.features != featureLabels {
		t.Errorf("features %#x", c.features)
	}
	_, err = dialText(t, testDialer(), fmt.Sprintf("host:1,%d", refused))
	checkCode(t, err, pmerr.Permission)
}

// TestDialLocal checks local: and unix: with a socket whose daemon refuses.
func TestDialLocal(t *testing.T) {
	path := listenUnix(t, func(p *peer) { p.send(&pdu.Error{Code: -1042, Greeting: true}) })
	good := listen(t, func(p *peer) { p.greet(0); drain(p) })
	_, err := dialText(t, testDialer(good), "local:"+path)
	checkCode(t, err, 0)
	_, err = dialText(t, testDialer(good), "unix:"+path)
	checkCode(t, err, pmerr.ENOENT)
	if !errors.Is(err, pmerr.Permission) || Reason(err) != pmerr.Permission.Error() {
		t.Errorf("the cause is lost: %v", err)
	}
}

// TestRace checks that all addresses are tried at once and the first wins.
func TestRace(t *testing.T) {
	slow, fast := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::2")
	before := runtime.NumGoroutine()
	var mu sync.Mutex
	var ended []string
	d := &Dialer{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		defer func() { mu.Lock(); ended = append(ended, address); mu.Unlock() }()
		if strings.HasPrefix(address, "192") {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		a, b := net.Pipe()
		b.Close()
		return a, nil
	}}
	nc, err := d.race(t.Context(), []netip.Addr{slow, fast}, 5)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if want := []string{"[::2]:5", "192.0.2.1:5"}; !slices.Equal(ended, want) {
		t.Errorf("ended %q", ended)
	}
	if _, err := d.race(t.Context(), nil, 5); pmerr.Of(err) != codeConnRefused {
		t.Error(err)
	}
	for range 3000 { // goroutines that have sent their outcome may need a moment
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestRaceLate checks that a second winner is closed.
func TestRaceLate(t *testing.T) {
	closed := make(chan bool, 2)
	d := &Dialer{DialContext: func(context.Context, string, string) (net.Conn, error) {
		a, b := net.Pipe()
		go func() { b.Read(make([]byte, 1)); closed <- true }()
		return a, nil
	}}
	nc, err := d.race(t.Context(), []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	<-closed
	nc.Close()
	<-closed
}

func TestDialTimeouts(t *testing.T) {
	t.Run("connect", func(t *testing.T) {
		d := testDialer(1)
		d.ConnectTimeout = 20 * time.Millisecond
		d.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		_, err := dialText(t, d, "host")
		checkCode(t, err, codeConnRefused)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	t.Run("silent daemon", func(t *testing.T) {
		d := testDialer(listen(t, drain))
		d.RequestTimeout = 20 * time.Millisecond
		_, err := dialText(t, d, "host")
		checkCode(t, err, pmerr.Timeout)
	})
	t.Run("no limit", func(t *testing.T) {
		d := &Dialer{ConnectTimeout: -1, RequestTimeout: -1}
		if d.connectTimeout() > 0 || d.requestTimeout() != 0 {
			t.Error(d.connectTimeout(), d.requestTimeout())
		}
	})
}

// TestDialCancelled checks that the context's own error comes out wherever it ends.
func TestDialCancelled(t *testing.T) {
	silent := listen(t, drain)
	inTLS := listen(t, func(p *peer) { p.greet(offerTLS); p.send(&pdu.Error{}); drain(p) })
	inSASL := listen(t, func(p *peer) { p.greet(featureAuth); drain(p) })
	inConfirm := listen(t, func(p *peer) { p.greet(featureContainer); drain(p) })
	hanging := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, tt := range []struct {
		name, spec string
		d          Dialer
	}{
		{"before", "host", Dialer{}},
		{"lookup", "host", Dialer{Lookup: func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() }}},
		{"connect", "host:1,2", Dialer{DialContext: hanging}},
		{"socket", "unix:", Dialer{DialContext: hanging}},
		{"local", "local:", Dialer{DialContext: hanging}},
		{"proxy", "host@p", Dialer{DialContext: hanging}},
		{"greeting", fmt.Sprintf("host:%d,1", silent), Dialer{}},
		{"TLS", fmt.Sprintf("pcps:host:%d", inTLS), Dialer{}},
		{"authentication", fmt.Sprintf("host:%d?userauth", inSASL), Dialer{}},
		{"confirmation", fmt.Sprintf("host:%d?container=x", inConfirm), Dialer{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec, err := ParseSpec(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.name == "before" {
				cancel()
			} else {
				time.AfterFunc(30*time.Millisecond, cancel)
			}
			d := tt.d
			d.HostName = func() (string, error) { return "", errors.New("unknown") }
			if d.Lookup == nil {
				d.Lookup = loopback
			}
			if _, err := d.Dial(ctx, spec); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

func TestDialWithoutHost(t *testing.T) {
	_, err := (&Dialer{}).Dial(t.Context(), &Spec{})
	checkCode(t, err, pmerr.NotHost)
}

// TestSystemDefaults connects with nothing replaced.
func TestSystemDefaults(t *testing.T) {
	port := listen(t, func(p *peer) { p.greet(0); drain(p) })
	_, err := dialText(t, &Dialer{}, fmt.Sprintf("127.0.0.1:%d", port))
	checkCode(t, err, 0)
	if name, err := (&Dialer{}).hostName(); name == "" && err == nil {
		t.Error("no host name")
	}
	d := &Dialer{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, nil }}
	_, err = d.lookup(t.Context(), "host")
	checkCode(t, err, codeHostUnreach)
}

func TestReason(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{pmerr.TLS, ""},
		{errors.New("x"), ""},
		{&Error{Err: pmerr.TLS}, ""},
		{because(pmerr.TLS, errors.New("why")), "why"},
		{because(pmerr.TLS, nil), ""},
		{fmt.Errorf("more: %w", &Error{Err: because(pmerr.TLS, errors.New("why"))}), "why"},
		{&Error{Err: because(pmerr.ENOENT, because(pmerr.TLS, errors.New("why")))}, "TLS protocol failure: why"},
		{errors.Join(errors.New("a"), errors.New("b")), ""},
	} {
		if got := Reason(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

// TestCause: the text of a code does not contradict the cause.
func TestCause(t *testing.T) {
	for _, tt := range []struct {
		code pmerr.Code
		want string
	}{
		{codeConnRefused, "network is unreachable"}, {codeHostUnreach, "network is unreachable"},
		{pmerr.TLS, "TLS protocol failure: network is unreachable"},
	} {
		err := because(tt.code, errors.New("network is unreachable"))
		if err.Error() != tt.want || !errors.Is(err, tt.code) || Reason(err) != "network is unreachable" {
			t.Errorf("%d: %v, reason %q", tt.code, err, Reason(err))
		}
	}
}

// BenchmarkDial is a connection with nothing but the greeting.
func BenchmarkDial(b *testing.B) {
	client := func() net.Conn {
		a, daemon := net.Pipe()
		go func() {
			greeting, _ := (&pdu.Error{Greeting: true, Info: 0x0201_0e44}).Encode(nil)
			daemon.Write(greeting)
			io.ReadFull(daemon, make([]byte, 20))
			daemon.Close()
		}()
		return a
	}
	d := &Dialer{DialContext: func(context.Context, string, string) (net.Conn, error) { return client(), nil }}
	spec, err := ParseSpec("127.0.0.1")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := d.Dial(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// TestLocalhostWithoutNames: localhost has the loopback addresses where nothing knows the name.
func TestLocalhostWithoutNames(t *testing.T) {
	for _, err := range []error{&net.DNSError{IsNotFound: true}, &net.DNSError{IsTemporary: true}, errors.New("no file")} {
		d := Dialer{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, err }}
		addrs, failed := d.lookup(t.Context(), "localhost")
		if failed != nil || slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !a.IsLoopback() }) || len(addrs) != 2 {
			t.Errorf("after %v: %v, %v", err, addrs, failed)
		}
		if addrs, err := d.lookup(t.Context(), "host"); err == nil {
			t.Errorf("another host is %v", addrs)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := Dialer{Lookup: func(ctx context.Context, _ string) ([]netip.Addr, error) { return nil, ctx.Err() }}
	if _, err := d.lookup(ctx, "localhost"); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
}
