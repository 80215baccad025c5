package agent

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	client "pmtools/lib/trace"
	"pmtools/lib/trace/internal/tracepdu"
)

// serve lets an Agent serve a port, and returns its address.
func serve(t *testing.T, a *Agent) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- a.Serve(l) }()
	t.Cleanup(func() {
		if err := errors.Join(a.Close(), <-done, a.Close()); err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// A raw is a connection of a client that may do what it wants.
type raw struct {
	t *testing.T
	net.Conn
}

// dial connects.
func dial(t *testing.T, addr string) *raw {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return &raw{t, c}
}

// next returns the next acknowledgement, or "end".
func (c *raw) next() string {
	var b [16]byte
	if _, err := io.ReadFull(c, b[:]); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.t.Error("no answer")
		}
		return "end"
	}
	return fmt.Sprint(int32(binary.BigEndian.Uint32(b[12:])))
}

// send sends bytes, and returns the answer.
func (c *raw) send(b []byte) string {
	_, _ = c.Write(b) // the agent may have hung up
	return c.next()
}

// message returns the message of a report that is to be acknowledged.
func message(k tracepdu.Kind, tag string, v float64) []byte {
	return (&tracepdu.Data{Kind: k, Sync: true, Tag: tag, Value: v}).Append(nil, 1)
}

// TestBadMessages sends messages that are not reports. The connection ends, and the agent goes on.
func TestBadMessages(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	a, _ := newAgent(t, Options{Logf: func(f string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&log, f+"\n", args...)
	}})
	addr := serve(t, a)
	good := message(tracepdu.Point, "good", -1)
	word := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.BigEndian.PutUint32(b[at:], v)
		return b
	}
	for _, tt := range []struct {
		name string
		msg  []byte
		log  string
	}{
		{"length 0", word(0, 0), "message of 0 bytes, not 16 to 280"},
		{"length 12", word(0, 12), "message of 12 bytes"},
		{"length 16", word(0, 16), "needed"},
		{"length 2^31-1", word(0, 1<<31-1), "message of 2147483647 bytes"},
		{"length 2^32-1", word(0, 1<<32-1), "message of -1 bytes"},
		{"acknowledgement", word(4, 0x7050), "message of type 0x7050, not 0x7051"},
		{"unknown type", word(4, 5), "message of type 0x5"},
		{"version 2", word(12, 0x02050280), "version 2"},
		{"tag of 0 bytes", word(12, 0x01000280), "tag without an end"},
		{"tag of 200 bytes", word(12, 0x01c80280), "200 bytes needed"},
		{"kind 7", word(12, 0x01050780), "unknown kind 7"},
		{"text", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "message of 1195725856 bytes"},
	} {
		c := dial(t, addr)
		if first := c.next(); first != "1" {
			t.Fatalf("%s: first %s", tt.name, first)
		}
		if got := c.send(good) + c.send(tt.msg); got != "2end" {
			t.Errorf("%s: answers %s", tt.name, got)
		}
		a.wait(t, 0)
		mu.Lock()
		if !strings.Contains(log.String(), tt.log) {
			t.Errorf("%s: log %q", tt.name, log.String())
		}
		log.Reset()
		mu.Unlock()
	}
	for _, part := range [][]byte{nil, good[:5], good[:20]} { // hang-ups
		c := dial(t, addr)
		_ = c.next()
		_, _ = c.Write(part)
		c.Close()
	}
	c := dial(t, addr)
	if c.next() != "1" {
		t.Error("no greeting")
	}
	for i := range good { // slowly
		if _, err := c.Write(good[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.next(); got != "2" {
		t.Errorf("slowly: %s", got)
	}
	long := strings.Repeat("x", tracepdu.MaxTag)
	if got := c.send(message(tracepdu.Point, long, -1)); got != "2" {
		t.Errorf("a long tag: %s", got)
	}
	if got := show(t, a, "trace.point.count"); got != "point.count 1:good=13 2:"+long+"=1" {
		t.Error(got)
	}
}

// wait waits until there are n connections.
func (a *Agent) wait(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		conns := len(a.places)
		switch {
		case conns == n:
			return
		case time.Now().After(deadline):
			t.Fatalf("%d connections, want %d", conns, n)
		}
	}
}

// TestStall drops a client that does not end a message, and one that takes no answers, but none that
// is silent.
func TestStall(t *testing.T) {
	a, _ := newAgent(t, Options{})
	a.stall = 20 * time.Millisecond
	addr := serve(t, a)
	silent, half, deaf := dial(t, addr), dial(t, addr), dial(t, addr)
	for _, c := range []*raw{silent, half, deaf} {
		_ = c.next()
	}
	good := message(tracepdu.Point, "p", -1)
	if _, err := half.Write(good[:15]); err != nil {
		t.Fatal(err)
	}
	if got := half.next(); got != "end" {
		t.Errorf("half a message: %s", got)
	}
	many := bytes.Repeat(good, 1000)
	for {
		if _, err := deaf.Write(many); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the client that takes no answers is still served")
			}
			break
		}
	}
	if got := silent.send(good); got != "2" {
		t.Errorf("after silence: %s", got)
	}
}

// TestSilence drops a client that never reports anything, but none that is silent after a report.
func TestSilence(t *testing.T) {
	a, _ := newAgent(t, Options{})
	a.silence = 50 * time.Millisecond
	addr := serve(t, a)
	good := message(tracepdu.Point, "p", -1)
	reported := dial(t, addr)
	if got := reported.next() + reported.send(good); got != "12" {
		t.Fatal(got)
	}
	silent, half := dial(t, addr), dial(t, addr)
	_, _ = half.Write(good[:15])
	for _, c := range []*raw{silent, half} {
		if got := c.next() + c.next(); got != "1end" {
			t.Errorf("a client without a report: %s", got)
		}
	}
	if got := reported.send(good); got != "2" {
		t.Errorf("after silence: %s", got)
	}
}

// TestManyClients has more clients than allowed, and one that a rule refuses.
func TestManyClients(t *testing.T) {
	a, _ := newAgent(t, Options{MaxClients: 20})
	addr := serve(t, a)
	var list []*raw
	for range 20 {
		c := dial(t, addr)
		if got := c.next() + c.send(message(tracepdu.Point, "p", -1)); got != "12" {
			t.Fatal(got)
		}
		list = append(list, c)
	}
	if c := dial(t, addr); c.next()+c.next() != "-12011end" {
		t.Error("one more was admitted")
	}
	a.wait(t, 20)
	list[3].Close()
	a.wait(t, 19)
	if c := dial(t, addr); c.next() != "1" {
		t.Error("no place became free")
	}
	rule, err := ParseRule("disallow:127.*")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := newAgent(t, Options{Access: []*Rule{rule}})
	c, err := client.New(&client.Options{Addr: serve(t, b)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Point("p"); !errors.Is(err, client.Permission) {
		t.Error(err)
	}
}

// TestClients reports from many clients at a time, in both modes, while metrics are asked for.
func TestClients(t *testing.T) {
	before := runtime.NumGoroutine()
	a, _ := newAgent(t, Options{})
	addr := serve(t, a)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			c, err := client.New(&client.Options{Addr: addr, State: client.State(i%2) * client.Async})
			if err != nil {
				t.Error(err)
				return
			}
			for k := range 200 {
				end := c.Begin("tx")
				if err := errors.Join(c.Point("p"), c.Observe("o", float64(k)), c.Count(fmt.Sprint("c", i), float64(k)), end()); err != nil {
					t.Error(err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	for range 20 {
		_ = show(t, a, "trace")
	}
	wg.Wait()
	a.wait(t, 0)
	for prefix, want := range map[string]string{
		"trace.transact.count": "transact.count 1:tx=2000", "trace.point.count": "point.count 1:p=2000", "trace.observe": "observe.count 1:o=2000\nobserve.rate\nobserve.value 1:o=199",
	} {
		if got := show(t, a, prefix); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := show(t, a, "trace.counter.value"); strings.Count(got, "=199") != 10 {
		t.Error(got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before+2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestClosed serves with an Agent that is closed.
func TestClosed(t *testing.T) {
	a, _ := newAgent(t, Options{})
	a.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Serve(l); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		t.Error("the listener is open")
	}
}

// FuzzServe is a client that sends anything. The agent ends the connection or answers, and counts
// exactly the acknowledged reports.
func FuzzServe(f *testing.F) {
	f.Add(message(tracepdu.Transaction, "tx", 0.5))
	f.Add(append(message(tracepdu.Counter, "c", 1e300), message(tracepdu.Observation, "", -1)...))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		a, err := New(nil)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := net.Pipe()
		acks := 0
		err = func() error {
			go func() {
				_, _ = ours.Write(stream)
				ours.Close()
			}()
			return a.serve(theirs, func(int32) error { acks++; return nil })
		}()
		theirs.Close()
		var count, tags uint64
		for k := range a.kinds {
			for _, tag := range a.kinds[k].byName {
				count, tags = count+tag.count, tags+1
			}
		}
		if err == nil || uint64(acks) > count {
			t.Fatalf("%d reports of %d tags, %d acknowledged, error %v", count, tags, acks, err)
		} else if count > uint64(len(stream)/25) || tags > count {
			t.Fatalf("%d reports of %d tags, %d acknowledged, error %v", count, tags, acks, err)
		}
	})
}

// BenchmarkServe is a client that reports as fast as it can.
func BenchmarkServe(b *testing.B) {
	a, err := New(nil)
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = a.Serve(l) }()
	defer a.Close()
	c, err := client.New(&client.Options{Addr: l.Addr().String(), State: client.Async})
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; b.Loop(); n++ {
		if err := c.Point("benchmark"); err != nil {
			b.Fatal(err)
		}
		if n%1000 == 0 {
			_ = c.Flush()
		}
	}
	_ = c.Close()
}
