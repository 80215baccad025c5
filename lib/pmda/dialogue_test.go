package pmda

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// bytesOf returns the bytes of hexadecimal words.
func bytesOf(t testing.TB, words string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(words), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wordsOf returns bytes as hexadecimal words.
func wordsOf(b []byte) string {
	var s strings.Builder
	for i := 0; i < len(b); i += 4 {
		if i > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprintf(&s, "%x", b[i:min(i+4, len(b))])
	}
	return s.String()
}

// A daemon is the other end of a Server's connection.
type daemon struct {
	t    *testing.T
	conn net.Conn
	r    *pdu.Reader
	done chan error // what Serve has returned
	logs chan string
}

// serve starts a Server and takes its Creds.
func serve(t *testing.T, s *Server) *daemon {
	t.Helper()
	ours, theirs := net.Pipe()
	d := &daemon{t: t, conn: ours, r: pdu.NewReader(ours), done: make(chan error, 1), logs: make(chan string, 1000)}
	s.Logf = func(format string, args ...any) { d.logs <- fmt.Sprintf(format, args...) }
	go func() { d.done <- s.Serve(context.Background(), theirs) }()
	t.Cleanup(func() { d.conn.Close() })
	f := d.next()
	if f.Type != pdu.TypeCreds || f.From != int32(os.Getpid()) {
		t.Fatalf("first message %v from %d", f.Type, f.From)
	}
	return d
}

// next returns the next message of the agent.
func (d *daemon) next() pdu.Frame {
	d.t.Helper()
	if err := d.conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		d.t.Fatal(err)
	}
	f, err := d.r.Next()
	if err != nil {
		d.t.Fatal("no answer: ", err)
	}
	return f
}

// write sends bytes.
func (d *daemon) write(b []byte) {
	d.t.Helper()
	if _, err := d.conn.Write(b); err != nil {
		d.t.Fatal(err)
	}
}

// send sends a message of a client.
func (d *daemon) send(from int32, m pdu.Message) {
	d.t.Helper()
	b, err := m.Encode(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	pdu.SetFrom(b, from)
	d.write(b)
}

// ask sends a request and returns the answer as words, header included.
func (d *daemon) ask(m pdu.Message) string {
	d.t.Helper()
	d.send(7, m)
	return d.answer()
}

// answer returns the next message of the agent as words.
func (d *daemon) answer() string {
	d.t.Helper()
	f := d.next()
	return fmt.Sprintf("%08x %08x %08x %s", len(f.Body)+pdu.HeaderSize, int32(f.Type), f.From, wordsOf(f.Body))
}

// end closes the connection, and returns what Serve returned.
func (d *daemon) end() error {
	d.t.Helper()
	d.conn.Close()
	select {
	case err := <-d.done:
		return err
	case <-time.After(30 * time.Second):
		d.t.Fatal("Serve does not return")
	}
	return nil
}

// errorWords is an Error as words.
func errorWords(c pmerr.Code) string {
	return fmt.Sprintf("00000010 00007000 00000000 %08x", uint32(c))
}

// counting is an agent like the reference's simple one, but always the same.
type counting struct {
	*Agent
	fetches int64
	color   [3]int64
}

// newCounting returns a counting agent of domain 253.
func newCounting(t testing.TB) *counting {
	t.Helper()
	c := &counting{color: [3]int64{0, 100, 200}}
	colors := &InDom{Serial: 0, Instances: []pcp.Instance{{ID: 0, Name: "red"}, {ID: 1, Name: "green"}, {ID: 2, Name: "blue two"}}, Labels: `{"b":1,"a":"x"}`,
		OneLine: "colours", InstLabels: func(inst int32) string { return []string{`{"n":0}`, "", `{"n":2}`}[inst] }}
	a, err := New(Table{Domain: 253, Labels: `{"role":"testing"}`, Metrics: []Metric{
		{Name: "simple.numfetch", Cluster: 0, Item: 0, Type: pcp.Uint32, Sem: pcp.Instant, OneLine: "one", Help: "long",
			Fetch: One(func() int64 { return c.fetches }), Store: func(_ *Client, v *pcp.Values) error {
				if int32(v.Words[0]) < 0 {
					return pmerr.Sign
				}
				c.fetches = int64(v.Words[0])
				return nil
			}},
		{Name: "simple.color", Cluster: 0, Item: 1, Type: pcp.Int32, Sem: pcp.Instant, InDom: colors, Help: "only long", Labels: `{"item":true}`,
			Fetch: Each(func(inst int32) (int64, error) {
				c.color[inst]++
				return c.color[inst], nil
			})},
		{Name: "simple.text", Cluster: 1, Item: 0, Type: pcp.String, Sem: pcp.Discrete, Fetch: One(func() string { return "hullo world!" })},
		{Name: "simple.time", Cluster: 1, Item: 1, Type: pcp.Double, Sem: pcp.Counter, Units: pcp.Units{DimTime: 1, ScaleTime: pcp.Sec},
			Fetch: One(func() float64 { return 1.5 })},
	}, ClusterLabels: func(cluster uint32) string {
		if cluster == 1 {
			return `{"cluster":1}`
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Agent = a
	return c
}

// Fetch counts.
func (c *counting) Fetch(ctx context.Context, req *Request, dst *pcp.Result) error {
	c.fetches++
	return c.Agent.Fetch(ctx, req, dst)
}

// TestDialogue plays dialogues that were seen between the reference's daemon and its agents
// (collector.md C1.4, wire.md W9).
func TestDialogue(t *testing.T) {
	d := serve(t, &Server{Provider: newCounting(t)})
	for _, step := range []struct{ name, send, want string }{
		{"creds of the daemon", "00000014 0000700c 000004d2 00000001 01020000", ""},
		{"description", "00000010 00007004 00000007 3f400000", "00000020 00007005 00000000 3f400000 00000001 ffffffff 00000003 00000000"},
		{"unknown description", "00000010 00007004 00000007 3f400063", "00000010 00007000 00000000 ffffcfba"},
		{"profile", "0000001c 00007002 00000000 00000000 00000000 00000000 00000000", ""},
		{"fetch of known and unknown", "00000024 00007003 00000007 00000007 00000000 00000000 00000002 3f400000 3f400063",
			"00000034 00007001 00000000 00000000 00000000 00000002 3f400000 00000001 00000000 ffffffff 00000001 3f400063 ffffcfba"},
		{"end of a client", "00000010 00007000 00000007 ffffcf99", ""},
		{"fetch of a string", "00000020 00007003 00000001 00000001 00000000 00000000 00000001 3f400400",
			"00000040 00007001 00000000 00000000 00000000 00000001 3f400400 00000001 00000001 ffffffff 0000000b 06000011 68756c6c 6f20776f 726c6421 007e7e7e"},
		{"fetch of a double", "00000020 00007003 00000001 00000001 00000000 00000000 00000001 3f400401",
			"00000038 00007001 00000000 00000000 00000000 00000001 3f400401 00000001 00000001 ffffffff 0000000b 0500000c 3ff80000 00000000"},
		{"profile of green", "00000030 00007002 00000000 00000000 00000000 00000001 00000000 3f400000 00000001 00000001 00000000 00000001", ""},
		{"fetch with it", "00000020 00007003 00000001 00000001 00000000 00000000 00000001 3f400001",
			"0000002c 00007001 00000000 00000000 00000000 00000001 3f400001 00000001 00000000 00000001 00000065"},
		{"profile without green", "00000030 00007002 00000000 00000000 00000000 00000001 00000000 3f400000 00000000 00000001 00000000 00000001", ""},
		{"fetch with it", "00000020 00007003 00000001 00000001 00000000 00000000 00000001 3f400001",
			"00000034 00007001 00000000 00000000 00000000 00000001 3f400001 00000002 00000000 00000000 00000001 00000002 000000c9"},
		{"profile of nothing", "0000001c 00007002 00000000 00000000 00000001 00000000 00000000", ""},
		{"fetch with it", "00000024 00007003 00000001 00000001 00000000 00000000 00000002 3f400001 3f400000",
			"00000034 00007001 00000000 00000000 00000000 00000002 3f400001 00000000 3f400000 00000001 00000000 ffffffff 00000006"},
		{"profile of all of a domain", "0000002c 00007002 00000000 00000000 00000001 00000001 00000000 3f400000 00000000 00000000 00000000", ""},
		{"labels of all instances", "00000014 00007012 00000001 3f400000 00000020",
			"0000006a 00007013 00000000 3f400000 00000020 00000000 00000003 00000000 00000001 0000005c 00000007 00020120 00050001 00000001 00000000 00000063 00000000 " +
				"00000002 00000001 00000063 00000007 00020120 00050001 7b226e22 3a307d7b 226e223a 327d"},
		{"profile of green", "00000030 00007002 00000000 00000000 00000000 00000001 00000000 3f400000 00000001 00000001 00000000 00000001", ""},
		{"labels of green, which has none", "00000014 00007012 00000001 3f400000 00000020", "0000002c 00007013 00000000 3f400000 00000020 00000000 00000001 00000001 00000000 0000002c 00000000"},
		{"profile of nothing", "0000001c 00007002 00000000 00000000 00000001 00000000 00000000", ""},
		{"labels of no instance", "00000014 00007012 00000001 3f400000 00000020", "0000002c 00007013 00000000 3f400000 00000020 00000000 00000001 ffffffff 00000000 0000002c 00000000"},
		{"profile of all", "0000001c 00007002 00000000 00000000 00000000 00000000 00000000", ""},
		{"fetch of one twice", "00000024 00007003 00000001 00000001 00000000 00000000 00000002 3f400001 3f400001",
			"00000060 00007001 00000000 00000000 00000000 00000002 3f400001 00000003 00000000 00000000 00000002 00000001 00000066 00000002 000000ca " +
				"3f400001 00000003 00000000 00000000 00000003 00000001 00000067 00000002 000000cb"},
		{"all instances", "00000020 00007006 00000001 3f400000 00000000 00000000 ffffffff 00000000",
			"00000040 00007007 00000000 3f400000 00000003 00000000 00000003 7265647e 00000001 00000005 67726565 6e7e7e7e 00000002 00000008 626c7565 2074776f"},
		{"an instance by name", "00000024 00007006 00000001 3f400000 00000000 00000000 ffffffff 00000004 626c7565", "0000001c 00007007 00000000 3f400000 00000001 00000002 00000000"},
		{"no labels", "00000014 00007012 00000001 3f400000 00000008", "0000001c 00007013 00000000 3f400000 00000008 00000000 00000000"},
		{"labels of the domain", "00000014 00007012 00000001 000000fd 00000002",
			"00000046 00007013 00000000 000000fd 00000002 00000000 00000001 ffffffff 00000001 00000034 00000012 00020402 00080009 7b22726f 6c65223a 22746573 74696e67 227d"},
		{"text", "00000014 00007008 00000001 3f400000 00000005", "00000018 00007009 00000000 3f400000 00000003 6f6e657e"},
		{"accepted store", "0000002c 00007001 00000001 12345678 7fffffff 00000001 3f400000 00000001 00000000 ffffffff 0000002a", "00000010 00007000 00000000 00000000"},
		{"refused store", "0000002c 00007001 00000001 00000000 00000000 00000001 3f400000 00000001 00000000 ffffffff fffffffd", "00000010 00007000 00000000 ffffcfb4"},
		{"control, which is retired", "00000010 0000700a 00000001 00000000", ""},
		{"attribute", "00000012 00007011 00000000 0000000b 3000", ""},
	} {
		if d.write(bytesOf(t, step.send)); step.want == "" {
			continue
		}
		if got := d.answer(); got != step.want {
			t.Errorf("%s:\n got %s\nwant %s", step.name, got, step.want)
		}
	}
	if err := d.end(); err != nil {
		t.Errorf("at the end of the stream: %v", err)
	}
}

// TestCreds checks what an agent asks for at the beginning.
func TestCreds(t *testing.T) {
	for _, tt := range []struct {
		server Server
		want   string
	}{
		{Server{}, "00000001 01020000"},
		{Server{Attrs: true}, "00000001 01020004"},
		{Server{Attrs: true, Containers: true}, "00000001 01020044"},
	} {
		var out strings.Builder
		tt.server.Provider = newCounting(t)
		err := tt.server.Serve(context.Background(), struct {
			io.Reader
			io.Writer
		}{strings.NewReader(""), &out})
		if got := wordsOf([]byte(out.String())[12:]); err != nil || got != tt.want {
			t.Errorf("%s, %v, want %s", got, err, tt.want)
		}
	}
}

// TestEndOfStream checks how a Server ends.
func TestEndOfStream(t *testing.T) {
	cut := errors.New("cut")
	for _, tt := range []struct {
		name string
		in   io.Reader
		want error
	}{
		{"between messages", strings.NewReader(""), nil},
		{"within a header", strings.NewReader("\x00\x00"), io.ErrUnexpectedEOF},
		{"within a body", strings.NewReader("\x00\x00\x00\x10\x00\x00\x70\x04\x00\x00\x00\x00"), io.ErrUnexpectedEOF},
		{"message too short", strings.NewReader("\x00\x00\x00\x0b\x00\x00\x70\x04\x00\x00\x00\x00"), pdu.ErrFormat},
		{"negative type", strings.NewReader("\x00\x00\x00\x0c\xff\x00\x70\x04\x00\x00\x00\x00"), pdu.ErrFormat},
		{"broken stream", io.MultiReader(strings.NewReader("\x00"), errReader{cut}), cut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Serve(context.Background(), newCounting(t), struct {
				io.Reader
				io.Writer
			}{tt.in, io.Discard})
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// An errReader is a stream that fails.
type errReader struct{ err error }

// Read implements io.Reader.
func (r errReader) Read([]byte) (int, error) { return 0, r.err }
