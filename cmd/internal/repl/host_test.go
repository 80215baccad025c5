package repl_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/derive/query"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/sampling"
)

// hostSession returns a session over a scripted daemon.
func hostSession(t *testing.T, server *pmcdtest.Server, more ...func(*repl.Options)) *repl.Session {
	t.Helper()
	t.Cleanup(func() { server.Close() })
	return newSession(t, "", append([]func(*repl.Options){func(o *repl.Options) {
		o.Kind, o.Name = repl.Host, "127.0.0.1"
		o.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
			if kind != repl.Host {
				return nil, errors.New("another kind")
			}
			return pmapi.OpenHost(ctx, name, &pmcd.Dialer{DialContext: server.Dial, RequestTimeout: 5 * time.Second})
		}
		o.Settings.Interval = 10 * time.Millisecond
		o.Now = time.Now
	}}, more...)...)
}

func TestHost(t *testing.T) {
	s := hostSession(t, pmcdtest.NewServer(pmcdtest.Sample()))
	for _, tt := range []struct{ item, want string }{
		{"sample.bin", "bin-100  100\nbin-200  200\nbin-300  300\n"},
		{"sample.bin[bin-200] + 1", "bin-200  201\n"},
		{"delta(sample.long.one)", "0\n"},
		{"sample.string.hullo", "\"hullo world!\"\n"},
		{"sample.novalues", "no values\n"},
		{"sample.nodesc", "!! the metadata of sample.nodesc is not available\n  sample.nodesc\n  ^\n"},
		{"sample.bim", "!! unknown metric sample.bim\n  sample.bim\n  ^\n  did you mean sample.bin?\n"},
		{":time", "!! the source is live; only archives have a time to go to\n"},
		{":next", "!! the source is live; only archives have a time to go to\n"},
		{":step 5", "!! the source is live; only archives have a time to go to\n"},
		{":labels sample.bin", "sample.bin  {\"agent\":\"sample\", \"hostname\":\"test\", \"role\":\"testing\"}\nbin-100     {\"bin\":100}\nbin-200     {}\nbin-300     {\"bin\":300}\n"},
	} {
		if got := run(s, tt.item); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.item, got, tt.want)
		}
	}
	if out := run(s, "sample.broken"); !strings.Contains(out, "!! no values: ") {
		t.Errorf("a metric with an error: %s", out)
	}
	if out := run(s, ":text sample.control"); out != "A control\n" {
		t.Errorf(":text: %q", out)
	}
	if p := s.Prompt(); p != "pmderive> " {
		t.Errorf("the prompt is %q", p)
	}
}

// TestRoundTrips counts what an expression asks a daemon.
func TestRoundTrips(t *testing.T) {
	server := pmcdtest.NewServer(pmcdtest.Sample())
	s := hostSession(t, server)
	run(s, ":set raw on")
	before := len(server.Requests())
	if out := run(s, "sample.long.one + sample.control * sample.ulong"); strings.Contains(out, "!!") {
		t.Fatal(out)
	}
	var kinds []pdu.Type
	for _, r := range server.Requests()[before:] {
		kinds = append(kinds, r.Type)
	}
	if n := server.Count(pdu.TypeNames); n > 1 {
		t.Errorf("names are asked for %d times: %v", n, kinds)
	}
	if n := server.Count(pdu.TypeFetch) + server.Count(pdu.TypeHighResFetch); n != 1 {
		t.Errorf("%d fetches: %v", n, kinds)
	}
}

// TestWatchEnds ends a watch as Ctrl-C does; the session goes on.
func TestWatchEnds(t *testing.T) {
	s := hostSession(t, pmcdtest.NewServer(pmcdtest.Sample()))
	ctx, cancel := context.WithCancel(context.Background())
	w := &endAfter{lines: 4, end: cancel}
	if err := s.Run(ctx, ":watch sample.long.one", w); err != nil {
		t.Errorf("a watch that is ended: %v", err)
	}
	if !strings.Contains(w.buf.String(), " =1\nwatch ends") {
		t.Errorf("the output is %q", w.buf.String())
	}
	if out := run(s, "sample.long.one"); out != "1\n" {
		t.Errorf("afterwards: %s", out)
	}
	// So does an item that waits for its second sample.
	run(s, ":set interval 1min")
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Run(ctx, "rate(sample.long.one)", w); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an item that is ended: %v", err)
	}
	if out := run(s, "sample.long.one"); out != "1\n" {
		t.Errorf("afterwards: %s", out)
	}
}

// endAfter is a buffer that does something after some lines.
type endAfter struct {
	buf   bytes.Buffer
	lines int
	end   func()
}

func (e *endAfter) Write(p []byte) (int, error) {
	if e.lines -= bytes.Count(p, []byte("\n")); e.lines <= 0 {
		e.end()
	}
	return e.buf.Write(p)
}

// TestLostDaemon covers a daemon that goes away and comes back. Definitions stay.
func TestLostDaemon(t *testing.T) {
	server := pmcdtest.NewServer(pmcdtest.Sample())
	s := hostSession(t, server)
	run(s, "x.a = sample.long.one + 1")
	server.Hangup()
	if out := run(s, "x.a"); !strings.HasPrefix(out, "!! connection lost: ") || !strings.Contains(out, "the next item connects again") {
		t.Errorf("a lost connection: %s", out)
	}
	if out := run(s, "x.a"); out != "expanded x.a\n2\n" {
		t.Errorf("afterwards: %s", out)
	}
	server.SetEdit(pmcdtest.On(pdu.TypeHighResFetch, 0, pmcdtest.Cut(7)))
	if out := run(s, "x.a"); !strings.Contains(out, "!! connection lost: ") {
		t.Errorf("half an answer: %s", out)
	}
	server.SetEdit(nil)
	server.SetDown(true)
	if out := run(s, "x.a"); !strings.HasPrefix(out, "!! the connection cannot be made again: ") {
		t.Errorf("no daemon: %s", out)
	}
	if texts, _ := s.Complete("x.", 2); len(texts) != 1 {
		t.Errorf("completion without a daemon: %q", texts)
	}
	server.SetDown(false)
	if got := names(s); len(got) != 1 || got[0] != "x.a" {
		t.Errorf("definitions: %q", got)
	}
}

// TestNewInstances covers an instance that appears while samples are taken.
func TestNewInstances(t *testing.T) {
	world := pmcdtest.Sample()
	server := pmcdtest.NewServer(world)
	s := hostSession(t, server, func(o *repl.Options) { o.Settings.Output = "csv" })
	i := slices.IndexFunc(world.Metrics, func(m pmcdtest.Metric) bool { return m.Name == "sample.bin" })
	bin := &world.Metrics[i]
	all := bin.Values
	bin.Values.Insts, bin.Values.Words = all.Insts[:1], all.Words[:1]
	w := &endAfter{lines: 1, end: func() { bin.Values.Insts, bin.Values.Words = all.Insts, all.Words }}
	if err := eval(s, "csv", &query.Query{Exprs: []string{"sample.bin"}, Times: sampling.Times{Samples: 2, Interval: time.Millisecond}}, w); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(w.buf.String(), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], " sample.bin bin-100=100") || !strings.HasSuffix(lines[1], " bin-200=200 bin-300=300") {
		t.Errorf("%q", lines)
	}
}
