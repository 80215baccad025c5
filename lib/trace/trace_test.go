package trace

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/lib/pmerr"
	"pmtools/lib/trace/internal/tracepdu"
	_ "pmtools/test/env"
)

// TestReports makes each kind of report in both modes.
func TestReports(t *testing.T) {
	for _, state := range []State{0, Async} {
		a := newAgent(t).start()
		c := a.client(Options{State: state})
		end := c.Begin("tx")
		for i, err := range []error{
			c.Point("p"), c.Observe("load", 1.5), c.Observe("odd", math.Inf(-1)), c.Count("bytes", 1e15),
			end(), c.Begin("two words")(), c.Begin("gone").Abort(), c.Point(strings.Repeat("x", MaxTag)), c.Flush(),
		} {
			if err != nil {
				t.Errorf("state %d, call %d: %v", state, i, err)
			}
		}
		a.want("point p", "observation load 1.5", "observation odd -Inf", "counter bytes 1e+15", "transaction tx", "transaction two words",
			"point "+strings.Repeat("x", MaxTag))
		if a.count != 1 {
			t.Errorf("state %d: %d connections", state, a.count)
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Error(err)
		}
		if err := c.Point("late"); err != ErrClosed {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestOrder reports from one goroutine faster than an agent reads. All arrive, in their order.
func TestOrder(t *testing.T) {
	a := newAgent(t).start()
	c := a.client(Options{State: Async})
	const n = 10000
	for i := range n {
		if err := c.Observe("i", float64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got, want := <-a.got, "observation i "+(slog.Float64Value(float64(i))).String(); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// TestGoroutines reports from several goroutines.
func TestGoroutines(t *testing.T) {
	for _, state := range []State{0, Async} {
		a := newAgent(t).start()
		c := a.client(Options{State: state})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 100 {
					end := c.Begin("tx")
					if err := errors.Join(c.Point("p"), end()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for range 1600 {
			count[<-a.got]++
		}
		if !reflect.DeepEqual(count, map[string]int{"point p": 800, "transaction tx": 800}) {
			t.Errorf("state %d: %v", state, count)
		}
	}
}

// TestEnds ends a transaction more than once, in any order.
func TestEnds(t *testing.T) {
	a := newAgent(t).start()
	c := a.client(Options{})
	one, two := c.Begin("a"), c.Begin("a")
	if err := errors.Join(one(), two()); err != nil {
		t.Error(err)
	}
	a.want("transaction a", "transaction a")
	three := c.Begin("b")
	for i, err := range []error{one(), one.Abort(), three.Abort(), three(), three.Abort()} {
		if (i == 2) != (err == nil) || i != 2 && !errors.Is(err, NoProgress) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	a.want()
}

// TestTags reports with tags that are wrong.
func TestTags(t *testing.T) {
	a := newAgent(t).start()
	c := a.client(Options{})
	for _, tt := range []struct {
		tag  string
		want Code
		text string
	}{
		{"", TagName, "trace: point: Invalid tag name - tag names cannot be NULL"},
		{"a\x00b", TagName, `trace: point "a\x00b": Invalid tag name - tag names cannot be NULL`},
		{strings.Repeat("x", MaxTag+1), TagLength, `trace: point "` + strings.Repeat("x", 40) + `...": Tag name is too long (maximum 256 characters)`},
	} {
		if err := c.Point(tt.tag); !errors.Is(err, tt.want) || err.Error() != tt.text {
			t.Errorf("%q: %v", tt.tag, err)
		}
		if err := c.Begin(tt.tag)(); !errors.Is(err, tt.want) {
			t.Errorf("transaction %q: %v", tt.tag, err)
		}
	}
	a.want()
}

// TestFaults meets agents with faults.
func TestFaults(t *testing.T) {
	ack := func(v int32) []byte { return tracepdu.AppendAck(nil, 1, v) }
	for _, tt := range []struct {
		name  string
		first []byte
		ack   []byte
		want  error
		text  string
	}{
		{"permission", ack(-12010), nil, Permission, "connect to .*: Cannot connect to PMDA - permission denied"},
		{"connections", ack(-12011), nil, ConnLimit, "connect to .*: Cannot connect to PMDA - connection limit reached"},
		{"another version", ack(2), nil, Version, "connect to .*: Incompatible versions between application and PMDA: it has 2, we have 1"},
		{"error of the system", ack(-5), nil, Code(-5), "connect to .*: Input/output error"},
		{"unknown error", ack(-12500), nil, Code(-12500), "connect to .*: Unknown error code."},
		{"hangs up at once", []byte{}, []byte{}, IPC, "connect to .*: IPC protocol failure: the agent has hung up"},
		{"text", []byte("HTTP/1.0 400 Bad Request\r\n\r\n"), nil, IPC, "connect to .*: IPC protocol failure: malformed data: message of 1213486160 bytes, not 16 to 280"},
		{"another message", (&tracepdu.Data{Kind: tracepdu.Point, Tag: "p"}).Append(nil, 1), nil, IPC, "connect to .*: IPC protocol failure: message of type 0x7051, not 0x7050"},
		{"wrong acknowledgement", ack(1), ack(3), IPC, "connect to .*: IPC protocol failure: acknowledgement of observation, not point"},
		{"error instead of it", ack(1), ack(-12004), TagType, `point "p" to .*: Tag is already in use for a different type of tracing`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t)
			a.first = func() []byte { return tt.first }
			a.ack = func(*tracepdu.Data) []byte { return tt.ack }
			if len(tt.first) == 0 {
				a.wg.Go(func() {
					if c, err := a.Accept(); err == nil {
						c.Close()
					}
				})
			} else {
				a.start()
			}
			c := a.client(Options{})
			err := c.Point("p")
			if !errors.Is(err, tt.want) || !regexp.MustCompile("^trace: "+tt.text+"$").MatchString(err.Error()) {
				// A peer that hangs up may do so by a reset.
				if len(tt.first) > 0 || !strings.HasPrefix(err.Error(), "trace: connect to ") {
					t.Errorf("error %v", err)
				}
			}
			if again := c.Point("p"); tt.want != TagType && again != err {
				t.Errorf("then %v", again)
			}
		})
	}
}

// TestNoAgent has no agent at all.
func TestNoAgent(t *testing.T) {
	a := newAgent(t)
	a.stop()
	for _, state := range []State{0, Async} {
		c := a.client(Options{State: state})
		err := errors.Join(c.Point("p"), c.Flush())
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("state %d: %v", state, err)
		} else if e.Op != "connect" || e.Addr != a.Addr().String() || !strings.Contains(err.Error(), "refused") {
			t.Errorf("state %d: %v", state, err)
		}
		end := c.Begin("tx")
		for i, err := range []error{c.Point("p"), c.Observe("", 1), c.Count("c", 1), end()} {
			if err != error(e) {
				t.Errorf("state %d, call %d: %v", state, i, err)
			}
		}
		if err := end.Abort(); err != nil {
			t.Error(err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = c.Point("p"); _ = c.Begin("tx")() }); n != 0 {
			t.Errorf("state %d: %v allocations without an agent", state, n)
		}
	}
}

// TestOneAttempt reports from several goroutines while there is no agent. A single one of them
// tries to connect.
func TestOneAttempt(t *testing.T) {
	var attempts atomic.Int32
	sorry := errors.New("sorry")
	c, err := New(&Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		attempts.Add(1)
		time.Sleep(10 * time.Millisecond) // so that the others wait
		return nil, sorry
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := c.Point("p"); !errors.Is(err, sorry) || err.Error() != "trace: connect to localhost:4323: sorry" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := attempts.Load(); n != 1 {
		t.Errorf("%d attempts to connect", n)
	}
}

// TestTimeouts meets agents that say nothing.
func TestTimeouts(t *testing.T) {
	const short = 20 * time.Millisecond
	a := newAgent(t) // it does not accept
	c := a.client(Options{Timeout: short, RequestTimeout: time.Hour})
	if err := c.Point("p"); !errors.Is(err, Timeout) {
		t.Errorf("connect: %v", err)
	}
	b := newAgent(t).start()
	b.ack = func(*tracepdu.Data) []byte { return []byte{0, 0} }
	c = b.client(Options{RequestTimeout: short})
	if err := c.Point("p"); !errors.Is(err, Timeout) {
		t.Errorf("report: %v", err)
	}
	b.want("point p")
	if err := c.Point("p"); !errors.Is(err, Timeout) || len(b.got) != 0 {
		t.Errorf("next report: %v, %d reports", err, len(b.got))
	}
}

// TestReconnect loses the agent and finds another one.
func TestReconnect(t *testing.T) {
	for _, state := range []State{0, Async} {
		a := newAgent(t).start()
		c := a.client(Options{State: state, Reconnect: []time.Duration{time.Microsecond, time.Millisecond}})
		if err := errors.Join(c.Point("first"), c.Flush()); err != nil {
			t.Fatal(err)
		}
		a.want("point first")
		a.hangUp()
		again := func(want string) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); len(a.got) == 0; {
				err := errors.Join(c.Point(want), c.Flush())
				if time.Now().After(deadline) {
					t.Fatal("no connection any more: ", err)
				}
			}
			if got := <-a.got; got != "point "+want {
				t.Errorf("report %q", got)
			}
		}
		again("second")
		// The agent is away for longer.
		addr := a.Addr().String()
		a.stop()
		for c.Point("lost") == nil {
			_ = c.Flush()
		}
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Skip("the port was taken: ", err)
		}
		b := &agent{t: t, Listener: l, got: make(chan string, 1000)}
		t.Cleanup(b.stop)
		for len(a.got) > 0 {
			<-a.got
		}
		a = b.start()
		again("third")
	}
}

// TestSameCall finds the new agent in the call that meets the end of the old one.
func TestSameCall(t *testing.T) {
	for _, state := range []State{0, Async} {
		a := newAgent(t).start()
		c := a.client(Options{State: state, Reconnect: []time.Duration{time.Hour}})
		if err := errors.Join(c.Point("first"), c.Flush()); err != nil {
			t.Fatal(err)
		}
		a.hangUp()
		if err := errors.Join(c.Point("second"), c.Flush()); err != nil {
			t.Fatal(err)
		}
		a.want("point first", "point second")
	}
}

// TestOverflow reports to an agent that reads nothing.
func TestOverflow(t *testing.T) {
	a := newAgent(t)
	accepted := make(chan net.Conn, 1)
	a.wg.Go(func() {
		if c, err := a.Accept(); err == nil {
			_, _ = c.Write(tracepdu.AppendAck(nil, 1, tracepdu.Version))
			accepted <- c
		}
	})
	c := a.client(Options{State: Async})
	if err := c.Point("first"); err != nil {
		t.Fatal(err)
	}
	conn := <-accepted
	tag := strings.Repeat("x", MaxTag)
	n := 0
	for c.Point(tag) == nil {
		if n++; n > 1_000_000 {
			t.Fatal("a million reports wait")
		}
	}
	if err := c.Point(tag); err != ErrOverflow {
		t.Error(err)
	}
	conn.Close()
	if err := c.Flush(); err == nil {
		t.Error("no error from Flush")
	}
}

// TestState sets flags.
func TestState(t *testing.T) {
	a := newAgent(t).start()
	c := a.client(Options{State: NoAgent})
	if err := errors.Join(c.Point("p"), c.Begin("tx")()); err != nil {
		t.Error(err)
	}
	for i, tt := range []struct {
		set, old State
		err      error
	}{
		{Async | API, NoAgent, nil}, {0, Async | API, nil}, {Comms, 0, nil},
	} {
		if old, err := c.SetState(tt.set); old != tt.old || err != tt.err {
			t.Errorf("call %d: %v, %v", i, old, err)
		}
	}
	if err := c.Point("p"); err != nil {
		t.Error(err)
	}
	if old, err := c.SetState(Async); old != Comms || !errors.Is(err, pmerr.EINVAL) || c.State() != Comms {
		t.Errorf("after a report: %v, %v, %v", old, err, c.State())
	}
	if old, err := c.SetState(NoAgent); old != Comms || err != nil {
		t.Errorf("after a report: %v, %v", old, err)
	}
	a.want("point p")
}

// TestNil uses no Client.
func TestNil(t *testing.T) {
	var c *Client
	end := c.Begin("tx")
	if err := errors.Join(c.Point("p"), c.Observe("o", 1), c.Count("c", 1), end(), end.Abort(), c.Flush(), c.Close()); err != nil || c.State() != NoAgent {
		t.Error(err)
	}
	if _, err := c.SetState(Async); err != nil {
		t.Error(err)
	}
}

// TestLog shows what the flags choose.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "time", "level", "addr", "data", "retry":
			return slog.Attr{}
		}
		return a
	}}))
	a := newAgent(t).start()
	c := a.client(Options{Logger: logger, State: API | Comms | PDU | PDUBuf})
	end := c.Begin("tx")
	if err := errors.Join(end(), c.Begin("x").Abort()); err != nil {
		t.Fatal(err)
	}
	want := `msg="trace: begin" tag=tx
msg="trace: transaction" tag=tx value=V
msg="trace: receive"
msg="trace: receive" value=1
msg="trace: connected"
msg="trace: send" bytes=28
msg="trace: send"
msg="trace: receive"
msg="trace: receive" value=1
msg="trace: begin" tag=x
msg="trace: abort" tag=x
`
	if got := regexp.MustCompile(`tag=tx value=\S+`).ReplaceAllString(out.String(), "tag=tx value=V"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOptions reads the environment.
func TestOptions(t *testing.T) {
	second := time.Second
	for _, tt := range []struct {
		env  string
		want Options
		warn string
	}{
		{"", Options{Addr: "localhost:4323"}, ""},
		{"HOST=h PORT=5 TIMEOUT=0.5 REQTIMEOUT=7 RECONNECT=1,2.5, NOAGENT=", Options{Addr: "h:5", Timeout: second / 2, RequestTimeout: 7 * second, State: NoAgent},
			`PCP_TRACE_RECONNECT="1,2.5,": expected numbers of seconds above 0, joined by commas, ignored`},
		{"HOST=::1 RECONNECT=1,2.5", Options{Addr: "[::1]:4323", Reconnect: []time.Duration{second, 5 * second / 2}}, ""},
		{"PORT=abc", Options{Addr: "localhost:4323"}, `PCP_TRACE_PORT="abc": expected a port from 1 to 65535, ignored`},
		{"PORT=0", Options{Addr: "localhost:4323"}, `PCP_TRACE_PORT="0"`},
		{"PORT=70000", Options{Addr: "localhost:4323"}, `PCP_TRACE_PORT="70000"`},
		{"TIMEOUT=-1", Options{Addr: "localhost:4323"}, `PCP_TRACE_TIMEOUT="-1": expected a number of seconds above 0, ignored`},
		{"TIMEOUT=nan", Options{Addr: "localhost:4323"}, `PCP_TRACE_TIMEOUT="nan"`},
		{"REQTIMEOUT=1e300", Options{Addr: "localhost:4323"}, `PCP_TRACE_REQTIMEOUT="1e300"`},
		{"RECONNECT=0", Options{Addr: "localhost:4323"}, `PCP_TRACE_RECONNECT="0"`},
	} {
		env := map[string]string{}
		for _, f := range strings.Fields(tt.env) {
			name, v, _ := strings.Cut(f, "=")
			env["PCP_TRACE_"+name] = v
		}
		warned := ""
		o := OptionsFromEnv(func(n string) (string, bool) { v, ok := env[n]; return v, ok }, func(err error) {
			if warned = err.Error(); !errors.Is(err, EnvFormat) {
				t.Error(err)
			}
		})
		if !reflect.DeepEqual(*o, tt.want) || !strings.Contains(warned, tt.warn) || (tt.warn == "") != (warned == "") {
			t.Errorf("%q: %+v, warning %q", tt.env, *o, warned)
		}
	}
	for _, o := range []Options{{Timeout: -1}, {RequestTimeout: -1}, {Reconnect: []time.Duration{0}}} {
		if _, err := New(&o); !errors.Is(err, pmerr.EINVAL) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if c, err := New(OptionsFromEnv(os.LookupEnv, nil)); err != nil || c.Close() != nil {
		t.Error(err)
	}
}
