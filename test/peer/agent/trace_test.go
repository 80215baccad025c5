package agent

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/trace"
	"pmtools/test/peer/harness"
)

// A traceStand is our trace agent and the reference's, each under a daemon of its own.
type traceStand struct {
	*harness.Stand
	t            *testing.T
	world        *agentWorld // of our agent
	ours, theirs string      // the addresses of the agents
}

// newTraceStand starts the agents. Buckets last two seconds, and thirty of them count.
func newTraceStand(t *testing.T) *traceStand {
	t.Helper()
	s := &traceStand{Stand: harness.NewStand(t), t: t}
	if _, err := os.Stat(filepath.Join(s.Root, "usr/lib/pcp/pmdas/trace/pmdatrace")); err != nil {
		t.Skip("the reference's root has no trace agent: ", err)
	}
	names, err := os.ReadFile(filepath.Join(s.Root, "usr/lib/pcp/pmdas/trace/pmns"))
	if err != nil {
		t.Fatal(err)
	}
	names = append([]byte("root { trace }\n"), bytes.ReplaceAll(names, []byte("TRACE:"), []byte("10:"))...)
	s.Ours = s.Theirs
	start := func(program string, agents ...string) (w *agentWorld, env []string, addr string) {
		w = newAgentWorld(t, s.Root, agents...)
		port := freePort(t)
		w.write(t, "names", string(names))
		env = w.daemon(t, pmcdAgent+"trace 10 pipe binary "+program+" -d 10 -I "+port+" -T 60 -N 30 -A disallow:127.0.0.2 -U 1,-1,0,1,3,0 -V 0,0,1,0,0,3 -l DIR/trace.log\n"+agentAccess,
			"-n", w.inside+"/names")
		return w, append(env, "PCP_TRACE_HOST=127.0.0.1", "PCP_TRACE_PORT="+port), net.JoinHostPort("127.0.0.1", port)
	}
	s.world, s.OursEnv, s.ours = start("DIR/gotrace", "trace")
	_, s.TheirsEnv, s.theirs = start("/usr/lib/pcp/pmdas/trace/pmdatrace")
	s.Mask = regexp.MustCompile(`host:.*|trace\.control\.port\n(.*\n)*? +value \d+|("trace.control.port"|^|\n)(trace.control.port 1) \d+`)
	return s
}

// run compares a command line.
func (s *traceStand) run(line string) {
	s.Compare(harness.Command{Args: strings.Split(line, " ")})
}

// counts are the metrics that change with each report, and recent those that change as time goes by.
const (
	counts = "trace.transact.count trace.transact.total_time trace.point.count trace.observe.count trace.observe.value trace.counter.count trace.counter.value"
	recent = "trace.transact.rate trace.transact.ave_time trace.transact.min_time trace.transact.max_time trace.point.rate trace.observe.rate trace.counter.rate"
)

// settled waits until both agents show the same about the past, and all that was reported.
func (s *traceStand) settled(reports int) {
	s.t.Helper()
	var o, r string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		show := func(env []string) string {
			out, err := s.Theirs.Run(harness.Command{Args: append([]string{"pminfo", "-f"}, strings.Fields(recent)...), Env: env}, s.Root)
			if err != nil {
				s.t.Fatal(err)
			}
			return string(out.Stdout)
		}
		o, r = show(s.OursEnv), show(s.TheirsEnv)
		total := 0.0
		for _, m := range regexp.MustCompile(`(?m)^trace\.\w+\.rate\n(?:    inst .*\n)+`).FindAllString(o, -1) {
			for _, v := range regexp.MustCompile(`value ([\d.e+-]+)`).FindAllStringSubmatch(m, -1) {
				var rate float64
				fmt.Sscan(v[1], &rate)
				total += rate * 60
			}
		}
		if o == r && math.Round(total) == float64(reports) {
			s.Count(harness.Equal)
			return
		}
	}
	s.Fail(fmt.Sprintf("the past of %d reports\nours   %s\ntheirs %s", reports, o, r))
}

// A tee takes the reports of programs and hands them to both agents. The answers of the first go to
// the program; those of the second must be the same.
type tee struct {
	net.Listener
	s             *traceStand
	first, second string

	mu      sync.Mutex
	reports int
}

// newTee starts a tee.
func (s *traceStand) newTee(first, second string) *tee {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	p := &tee{Listener: l, s: s, first: first, second: second}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				if err := p.serve(c); err != nil {
					s.Fail("between program and agents: " + err.Error())
				}
			})
		}
	})
	s.t.Cleanup(func() { l.Close(); wg.Wait() })
	return p
}

// serve hands on the messages of one program.
func (p *tee) serve(c net.Conn) error {
	defer c.Close()
	one, err := dialTrace(p.first)
	if err != nil {
		return err
	}
	defer one.Close()
	two, err := dialTrace(p.second)
	if err != nil {
		return err
	}
	defer two.Close()
	answer := func(wanted bool) error {
		a, err := readMessage(one)
		b, err2 := readMessage(two)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !bytes.Equal(a[12:], b[12:]) {
			return fmt.Errorf("answers %x and %x", a, b)
		}
		if wanted {
			_, err = c.Write(a)
		}
		return err
	}
	for err = answer(true); err == nil; {
		m, e := readMessage(c)
		switch {
		case errors.Is(e, io.EOF) || errors.Is(e, syscall.ECONNRESET): // the reference's client may leave so
			return p.end(one, two)
		case e != nil:
			return e
		}
		p.mu.Lock()
		p.reports++
		p.mu.Unlock()
		answered := m[15]&0x80 != 0
		m[15] |= 0x80 // the reference hangs up on a client that is faster than it reads
		_, e = one.Write(m)
		_, e2 := two.Write(m)
		if err = errors.Join(e, e2); err == nil {
			err = answer(answered)
		}
	}
	return err
}

// end waits until the agents have taken all reports: it makes one more that they acknowledge.
func (p *tee) end(one, two net.Conn) error {
	for _, c := range []net.Conn{one, two} {
		if _, err := c.Write(traceMessage("the end", 2, -1)); err != nil {
			return err
		}
		if _, err := readMessage(c); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reports++
	return nil
}

// count returns how many reports have passed, once they are not less than n.
func (p *tee) count(n int) int {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		got := p.reports
		p.mu.Unlock()
		if got >= n || time.Now().After(deadline) {
			return got
		}
	}
}

// dialTrace connects to an agent.
func dialTrace(addr string) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err == nil {
		_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	}
	return c, err
}

// readMessage reads a message of the trace protocol.
func readMessage(r io.Reader) ([]byte, error) {
	head := make([]byte, 12)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head)
	if n < 12 || n > 1000 {
		return nil, fmt.Errorf("message of %d bytes", n)
	}
	m := append(head, make([]byte, n-12)...)
	_, err := io.ReadFull(r, m[12:])
	return m, err
}

// traceMessage returns a report that is to be acknowledged.
func traceMessage(tag string, kind byte, value float64) []byte {
	b := []byte{1, byte(len(tag) + 1), kind, 0x80}
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(value))
	b = append(append(b, tag...), 0)
	for len(b)%4 != 0 {
		b = append(b, '~')
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(12+len(b)))
	return append(append(head, 0, 0, 0x70, 0x51, 0, 0, 0, 1), b...)
}

// A traceCall is a call of the trace library.
type traceCall struct {
	op, tag string
	value   float64
}

// traceCalls returns random calls, and how many of them report something.
func traceCalls(n int, r *rand.Rand) (calls []traceCall, reports int) {
	tags := []string{"tx", "two words", "two others", "x", "µs", "a.b/c", "\"quoted\"", strings.Repeat("long", 31), "-1", " "}
	values := []float64{0, -0.5, 1, 17, 1e300, 5e-324, math.Inf(1), math.NaN(), 1 << 53, 123456.789}
	open := map[string]bool{}
	for len(calls) < n {
		tag := tags[r.IntN(len(tags))]
		c := traceCall{op: "point", tag: tag}
		switch r.IntN(8) {
		case 0, 1, 2:
			c.op = "begin"
			if open[tag] {
				if c.op = "end"; r.IntN(4) == 0 {
					c.op = "abort"
				}
			}
			open[tag] = c.op == "begin"
		case 3, 4:
			c.op, c.value = "observe", values[r.IntN(len(values))]
		case 5, 6:
			c.op, c.value = "count", float64(r.IntN(1000000))/4
		}
		if c.op != "begin" && c.op != "abort" {
			reports++
		}
		calls = append(calls, c)
	}
	return calls, reports
}

// ourCalls makes calls with our client.
func (s *traceStand) ourCalls(addr string, state trace.State, calls []traceCall, _ func()) {
	c, err := trace.New(&trace.Options{Addr: addr, State: state})
	if err != nil {
		s.t.Fatal(err)
	}
	ends := map[string]trace.End{}
	for _, call := range calls {
		var err error
		switch call.op {
		case "begin":
			ends[call.tag] = c.Begin(call.tag)
		case "end":
			err = ends[call.tag]()
		case "abort":
			err = ends[call.tag].Abort()
		case "point":
			err = c.Point(call.tag)
		case "observe":
			err = c.Observe(call.tag, call.value)
		case "count":
			err = c.Count(call.tag, call.value)
		}
		if err != nil {
			s.t.Fatalf("%+v: %v", call, err)
		}
	}
	if err := c.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// compile compiles testdata/trace.c, which calls the reference's client, in the reference's root.
func (s *traceStand) compile() {
	code, err := os.ReadFile("testdata/trace.c")
	if err != nil {
		s.t.Fatal(err)
	}
	s.world.write(s.t, "trace.c", string(code))
	out, err := exec.Command("chroot", s.Root, "gcc", "-O1", "-Wall", "-D_GNU_SOURCE", "-o", s.world.inside+"/trace", s.world.inside+"/trace.c", "-l:libpcp_trace.so.2").CombinedOutput()
	if err != nil || len(out) > 0 {
		s.t.Skipf("the reference's client cannot be compiled: %v\n%s", err, out)
	}
}

// theirCalls makes calls with the reference's client. Asynchronous reports may be lost
// when it ends, so that it waits before.
func (s *traceStand) theirCalls(addr string, state trace.State, calls []traceCall, wait func()) {
	s.t.Helper()
	script := fmt.Sprintf("state\t%d\n", state)
	for _, c := range calls {
		script += fmt.Sprintf("%s\t%s\t%g\n", c.op, c.tag, c.value)
	}
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command("chroot", s.Root, s.world.inside+"/trace")
	cmd.Env = append(os.Environ(), "PCP_TRACE_HOST=127.0.0.1", "PCP_TRACE_PORT="+port)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	_, _ = io.WriteString(stdin, script) // what it has not read is missed below
	wait()
	stdin.Close()
	bad := cmd.Wait()
	if i := regexp.MustCompile(`(?m)^.* -\d+$`).FindIndex(stdout.Bytes()); i != nil {
		bad = errors.New(string(stdout.Bytes()[i[0]:i[1]]))
	}
	if n := bytes.Count(stdout.Bytes(), []byte("\n")); bad != nil || stderr.Len() > 0 || n != len(calls)+1 {
		s.t.Errorf("the reference's client: %v, %d lines\n%s", bad, n, stderr.Bytes())
	}
}

// TestTraceCalls makes 10,000 random calls with our client and with the reference's, in both modes,
// and compares the metrics that our agent and the reference's have of them.
func TestTraceCalls(t *testing.T) {
	s := newTraceStand(t)
	s.compile()
	r := rand.New(rand.NewPCG(uint64(harness.Number("PMTOOLS_SEED", 1)), 15))
	n := harness.Number("PMTOOLS_RUNS", 10000)
	for _, client := range []struct {
		name          string
		first, second string
		calls         func(string, trace.State, []traceCall, func())
	}{{"ours", s.theirs, s.ours, s.ourCalls}, {"theirs", s.ours, s.theirs, s.theirCalls}} {
		for _, state := range []trace.State{0, trace.Async} {
			t.Run(fmt.Sprint(client.name, state), func(sub *testing.T) {
				s.t = sub
				defer func() { s.t = t }()
				calls, reports := traceCalls(n, r)
				p := s.newTee(client.first, client.second)
				client.calls(p.Addr().String(), state, calls, func() { p.count(reports) })
				if got := p.count(reports + 1); got != reports+1 {
					sub.Fatalf("%d reports have passed, want %d", got, reports+1)
				}
				s.run("pminfo -f " + counts)
				s.settled(reports + 1)
				s.run("pmstore trace.control.reset 1")
				// The reference may answer with the error until there are tags again.
				whole := s.Mask
				s.Mask = regexp.MustCompile(`No value\(s\) available!|Error: Unknown or illegal instance identifier`)
				s.run("pminfo -f " + counts + " " + recent)
				s.Mask = whole
			})
		}
	}
	calls, reports := traceCalls(n, r)
	s.ourCalls(s.theirs, trace.Async, calls, nil)
	s.flooded(s.TheirsEnv, reports)
	s.theirCalls(s.ours, trace.Async, calls, func() { s.flooded(s.OursEnv, reports) })
	s.Report(t)
}

// flooded waits until an agent has counted all reports of a client that does not wait for answers.
// That the reference's agent with the reference's client has not: it hangs up if the client is
// faster.
func (s *traceStand) flooded(env []string, reports int) {
	var got int
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		out, err := s.Theirs.Run(harness.Command{Args: strings.Fields("pminfo -f trace.transact.count trace.point.count trace.observe.count trace.counter.count"), Env: env}, s.Root)
		if err != nil {
			s.t.Fatal(err)
		}
		got = 0
		for _, v := range regexp.MustCompile(`value (\d+)`).FindAllSubmatch(out.Stdout, -1) {
			n, _ := strconv.Atoi(string(v[1]))
			got += n
		}
		if got == reports {
			s.Count(harness.Equal)
			return
		}
	}
	s.Fail(fmt.Sprintf("%d reports without answers, want %d", got, reports))
}

// traceLines are the command lines that are compared, each with the state that the ones before have
// left. None asks about the past, which changes as time goes by.
var traceLines = []string{
	"pminfo trace", "pminfo -m trace", "pminfo -d trace", "pminfo -f trace", "pminfo -I trace", "pminfo -ls trace", "pmprobe -v trace", "pmprobe -i trace",
	"pmtrace here", "pmtrace -q here", "pmtrace -v 4.5 two#words", "pmtrace -v -1e5 two#others", "pmtrace -v abc odd", "pmtrace -c 7 here", "pmtrace -c 5 here",
	"pmtrace -e true tx", "pmtrace -q -e false tx", "pmtrace", "pmtrace -Z", "pmtrace -S 16 nowhere",
	"pminfo -f " + counts, "pminfo -I trace.point.count trace.observe.value", "pminfo -ls trace.observe.value", "pmprobe -I trace.observe.value trace.transact.count", "pmprobe -i trace.counter.value",
	"pmval -s 1 trace.observe.value", "pmval -s 1 -i two trace.observe.value", "pmval -s 1 trace.observe.value[two#others]", "pmval -s 1 -i no trace.observe.value", "pmval -s 1 trace.counter.count",
	"pminfo -f -b 1 trace.control", "pminfo -F trace.point.count", "pminfo -f trace.none",
	"pmstore trace.control.period 5", "pmstore trace.control.interval 5", "pmstore trace.control.buckets 5", "pmstore trace.control.port 5", "pmstore trace.point.count 5",
	"pmstore -i here trace.point.count 5", "pmstore -i here trace.counter.value 5",
	"pmstore trace.control.debug appl1", "pmstore trace.control.debug APPL1,pdu,", "pmstore trace.control.debug all", "pmstore trace.control.debug nosuch",
	"pmstore trace.control.debug appl1,nosuch", "pmstore trace.control.debug 3", "pminfo -f trace.control",
	"pmstore trace.control.reset -1", "pmstore trace.control.reset 0", "pminfo -f " + counts, "pmtrace there", "pmtrace here", "pminfo -f trace.point.count",
}

// TestTraceAgent compares our trace agent with the reference's by the reference's commands, and by
// what no client would send.
func TestTraceAgent(t *testing.T) {
	s := newTraceStand(t)
	s.Mask = regexp.MustCompile(s.Mask.String() + `|total_time\n(    inst .*\n)*|old value="\w*"`)
	for _, line := range traceLines {
		args := strings.Split(line, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "#", " ")
		}
		s.Compare(harness.Command{Args: args})
	}
	s.messages()
	s.run("pminfo -f " + counts)
	s.Report(t)
	if t.Failed() {
		text, _ := os.ReadFile(filepath.Join(s.world.dir, "trace.log"))
		t.Logf("log:\n%s", text)
	}
}

// messages sends messages to both agents and compares the answers.
func (s *traceStand) messages() {
	good := traceMessage("good", 3, 5)
	word := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.BigEndian.PutUint32(b[at:], v)
		return b
	}
	list := map[string][]byte{
		"good": good, "length 0": word(0, 0), "length 12": word(0, 12), "length 16": word(0, 16), "length 24": word(0, 24), "length 2^31-1": word(0, 1<<31-1), "length 2^32-1": word(0, 1<<32-1),
		"type 0": word(4, 0), "acknowledgement": word(4, 0x7050), "version 2": word(12, 0x02050380), "version 0": word(12, 0x00050380),
		"tag of 0 bytes": word(12, 0x01000380), "tag of 3 bytes": word(12, 0x01030380), "tag of 100 bytes": word(12, 0x01640380),
		"kind 0": word(12, 0x01050080), "kind 1": word(12, 0x01050180), "kind 4": word(12, 0x01050480), "kind 5": word(12, 0x01050580), "kind 255": word(12, 0x0105ff80),
		"flags 255": word(12, 0x010503ff), "NUL in the tag": word(24, 0x61006162), "no tag": traceMessage("", 2, -1),
		"tag of 124": traceMessage(strings.Repeat("t", 124), 2, -1), "infinite": traceMessage("inf", 1, math.Inf(-1)),
	}
	for name, m := range list {
		if o, r := exchange(s.ours, "127.0.0.1", m), exchange(s.theirs, "127.0.0.1", m); o != r {
			s.Fail(fmt.Sprintf("%s: %x\nours   %s\ntheirs %s", name, m, o, r))
		} else {
			s.Count(harness.Equal)
		}
	}
	// The reference refuses with the same error, or at times by a reset.
	if o, r := exchange(s.ours, "127.0.0.2", good), exchange(s.theirs, "127.0.0.2", good); o != "ffffd116 end" || strings.HasPrefix(r, "00000001") {
		s.Fail(fmt.Sprintf("a host that may not connect\nours   %s\ntheirs %s", o, r))
	}
}

// exchange sends a message from a host of this machine, and returns the answers.
func exchange(addr, from string, m []byte) string {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 20 * time.Second}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	var answers []string
	for range 2 {
		a, err := readMessage(c)
		if err != nil {
			return strings.Join(append(answers, "end"), " ")
		}
		if answers = append(answers, fmt.Sprintf("%x", a[12:])); len(answers) == 1 {
			_, _ = c.Write(m) // the agent may have hung up
		}
	}
	return strings.Join(answers, " ")
}
