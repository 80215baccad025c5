package pmcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// TestServices calls each method of one connection twice.
func TestServices(t *testing.T) {
	defer checkLeaks(t)()
	s, w := sample(t)
	c := connect(t, s, long)
	for range 2 {
		for _, v := range services() {
			if got, err := v.call(context.Background(), c); err != nil || fmt.Sprint(got) != v.want {
				t.Errorf("%s: got %v, error %v, want %s", v.name, got, err, v.want)
			}
		}
	}
	if w.Stores() != 2 {
		t.Errorf("%d stores", w.Stores())
	}
	if uint16(c.features) != pmcdtest.Features || local(c) {
		t.Errorf("features %v, local %t", c.features, local(c))
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	checkDead(t, c)
	s.Close()
}

func TestLocal(t *testing.T) {
	s, _ := sample(t)
	path := filepath.Join(t.TempDir(), "s")
	if _, err := s.Listen("unix", path); err != nil {
		t.Skip(err)
	}
	spec, err := ParseSpec("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := new(Dialer).Dial(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !local(c) {
		t.Error("not local")
	}
	if _, err := c.Names(context.Background(), idBin); err != nil {
		t.Error(err)
	}
}

func TestErrorText(t *testing.T) {
	e := &Error{Op: "send", Addr: "host:1", Err: fmt.Errorf("%w: %w", pmerr.Timeout, os.ErrDeadlineExceeded)}
	if got, want := e.Error(), "pmcd: send host:1: Timeout waiting for a response from PMCD: i/o timeout"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(e, pmerr.Timeout) || !errors.Is(e, os.ErrDeadlineExceeded) {
		t.Error("the cause is not in the chain")
	}
}

// A pipe is a connection with scripted writes.
type pipe struct {
	net.Conn
	writes int
	write  func(n int, p []byte) (int, error)
}

// Write implements net.Conn.
func (p *pipe) Write(b []byte) (int, error) {
	p.writes++
	return p.write(p.writes, b)
}

// TestNotSent fails to write a store, and parts of it.
func TestNotSent(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, row := range []struct {
		name    string
		part    int
		notSent bool
	}{
		{"nothing", 0, true}, {"one byte", 1, false}, {"all but one", 43, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, w := sample(t)
			c := connect(t, s, long)
			c.nc = &pipe{c.nc, 0, func(int, []byte) (int, error) { return row.part, broken }}
			err := c.Store(context.Background(), []pcp.Values{{ID: idWrite, Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{5}}})
			var e *Error
			if !errors.Is(err, pmerr.IPC) {
				t.Errorf("error %+v", err)
			} else if !errors.Is(err, broken) || !errors.As(err, &e) {
				t.Errorf("error %+v", err)
			} else if e.NotSent != row.notSent || e.Op != "send" {
				t.Errorf("error %+v", err)
			}
			checkDead(t, c)
			if w.Stores() != 0 {
				t.Errorf("%d stores", w.Stores())
			}
		})
	}
}

// TestWriteTimeout writes to a daemon that does not read.
func TestWriteTimeout(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := newConn(ours, connOptions{timeout: short})
	err := c.Store(context.Background(), []pcp.Values{{ID: idWrite, Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{5}}})
	var e *Error
	if !errors.Is(err, pmerr.Timeout) || !errors.As(err, &e) || !e.NotSent {
		t.Errorf("error %v", err)
	}
}

// TestRecords sends each message by itself.
func TestRecords(t *testing.T) {
	for _, records := range []bool{false, true} {
		s, _ := sample(t)
		c := connect(t, s, long)
		nc := c.nc
		p := &pipe{nc, 0, func(_ int, b []byte) (int, error) { return nc.Write(b) }}
		c.nc, c.opt.records = p, records
		var res pcp.Result
		if err := c.Fetch(context.Background(), []pcp.ID{idOne}, nil, types, &res); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 1, true: 2}[records]; p.writes != want {
			t.Errorf("records %t: %d writes, want %d", records, p.writes, want)
		}
	}
}

// TestPipelineOrder asks for more than fits into the window; answers and refusals keep their order.
func TestPipelineOrder(t *testing.T) {
	s, w := sample(t)
	s.SetFeatures(pmcdtest.Features &^ pmcdtest.Descs)
	var ids []pcp.ID
	for i := range uint32(5*window + 3) {
		id := pcp.NewID(29, 7+i>>10, i&0x3ff)
		ids = append(ids, id)
		m := pmcdtest.Metric{Name: fmt.Sprint("m.", i), Desc: pcp.Desc{ID: id, Type: pcp.Type(i % 6), InDom: pcp.NullInDom}}
		if i%7 == 3 {
			m.DescErr = pmerr.Code(-1000 - int32(i))
		}
		w.Metrics = append(w.Metrics, m)
	}
	c := connect(t, s, long)
	got, err := c.Describe(context.Background(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got {
		if i%7 == 3 && r.Err != pmerr.Code(-1000-i) || i%7 != 3 && (r.Err != nil || r.Value.ID != ids[i]) {
			t.Errorf("%d: %+v", i, r)
		}
	}
	if n := s.Count(pdu.TypeDescReq); n != len(ids) {
		t.Errorf("%d requests", n)
	}
}

// TestPipelineWindow counts the requests under way while the daemon does not answer.
func TestPipelineWindow(t *testing.T) {
	for _, row := range []struct {
		name string
		size int // of a name
		n    int
		want int // requests that are sent before the first reply
	}{
		{"small", 4, 2 * window, window}, {"few", 10, 5, 5}, {"large", 5000, 10, 4}, {"as large as can be", maxRequest, 3, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := sample(t)
				c := connect(t, s, long)
				s.SetEdit(pmcdtest.Drop())
				asked := 0
				err := c.each(context.Background(), &pipeline{row.n, func(int) (pdu.Message, pdu.Message) {
					asked++
					return &pdu.Traverse{Name: strings.Repeat("x", row.size)}, &pdu.Names{}
				}, func(int, error) error { return nil }})
				if !errors.Is(err, pmerr.Timeout) || asked != row.want || len(c.out) != 0 {
					t.Errorf("error %v, %d requests, want %d, %d bytes wait", err, asked, row.want, len(c.out))
				}
			})
		})
	}
}

// TestPipelineCut ends the connection after each of several replies.
func TestPipelineCut(t *testing.T) {
	ds := []pcp.InDom{pmcdtest.BinInDom, pmcdtest.ColorInDom, pcp.NullInDom, pmcdtest.NobodyInDom, pmcdtest.BinInDom}
	for n := range 4 {
		for _, e := range []pmcdtest.Edit{pmcdtest.Cut(0), pmcdtest.Cut(15), pmcdtest.Type(pdu.TypeText), pmcdtest.Length(-4)} {
			s, _ := sample(t)
			c := connect(t, s, long)
			s.SetEdit(pmcdtest.On(pdu.TypeInstanceReq, n, e))
			if _, err := c.Instances(context.Background(), ds); !errors.Is(err, pmerr.IPC) {
				t.Errorf("reply %d: error %v", n, err)
			}
			checkDead(t, c)
			s.Close()
		}
	}
}

// TestPipelineReordered gets two replies of different types in the wrong order.
func TestPipelineReordered(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	var held []byte
	s.SetEdit(func(r *pmcdtest.Reply) {
		switch r.Request {
		case pdu.TypeChild:
			held, r.Bytes = r.Bytes, nil
		case pdu.TypeDescReq:
			r.Bytes = append(r.Bytes, held...)
		}
	})
	requests := []pdu.Message{&pdu.Child{}, &pdu.DescReq{ID: idBin}}
	err := c.each(context.Background(), &pipeline{2, func(i int) (pdu.Message, pdu.Message) {
		return requests[i], []pdu.Message{&pdu.Names{}, &pdu.Desc{}}[i]
	}, func(int, error) error { return nil }})
	if !errors.Is(err, pmerr.IPC) {
		t.Errorf("error %v", err)
	}
	checkDead(t, c)
}

// TestPipelineEnds ends the context between two replies.
func TestPipelineEnds(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := c.each(ctx, &pipeline{3 * window, func(int) (pdu.Message, pdu.Message) { return &pdu.Child{}, &pdu.Names{} }, func(int, error) error {
		if n++; n == 5 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || n != 5 {
		t.Errorf("error %v after %d replies", err, n)
	}
	checkDead(t, c)
}

// TestPipelineUnsent has a request that cannot be made among others.
func TestPipelineUnsent(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	var got []error
	err := c.each(context.Background(), &pipeline{3, func(i int) (pdu.Message, pdu.Message) {
		if i == 1 {
			return &pdu.Attr{Value: make([]byte, 1<<16)}, &pdu.Names{}
		}
		return &pdu.Child{}, &pdu.Names{}
	}, func(_ int, err error) error {
		got = append(got, err)
		return nil
	}})
	if err != nil {
		t.Errorf("error %v, %v", err, got)
	} else if len(got) != 3 || got[0] != nil {
		t.Errorf("error %v, %v", err, got)
	} else if !errors.Is(got[1], pdu.ErrFormat) || got[2] != nil {
		t.Errorf("error %v, %v", err, got)
	}
}

// TestManyConns has many connections in one process, each with its own answers.
func TestManyConns(t *testing.T) {
	defer checkLeaks(t)()
	s, _ := sample(t)
	n, fetches := 200, 3
	var conns []*Conn
	for range n {
		conns = append(conns, connect(t, s, long))
	}
	errs := make(chan error, n)
	for i, c := range conns {
		go func() {
			var p pcp.Profile
			p.Del(pmcdtest.BinInDom)
			p.Add(pmcdtest.BinInDom, []int32{100, 200, 300}[i%3])
			var res pcp.Result
			for range fetches {
				err := c.Fetch(context.Background(), []pcp.ID{idBin, idOne}, &p, types, &res)
				if err == nil && !slices.Equal(res.Sets[0].Words, []uint64{[]uint64{100, 200, 300}[i%3]}) {
					err = fmt.Errorf("connection %d: values %v", i, res.Sets[0].Words)
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range conns {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if now, ever := s.Conns(); now != n || ever != n {
		t.Errorf("%d connections of %d", now, ever)
	}
	for _, c := range conns {
		c.Close()
	}
	s.Close()
}

// quiet is a transport that returns given bytes.
type quiet struct {
	net.Conn
	in []byte
}

// Read implements net.Conn.
func (q *quiet) Read(p []byte) (int, error) {
	n := copy(p, q.in)
	q.in = q.in[n:]
	return n, nil
}

// Write implements net.Conn.
func (q *quiet) Write(p []byte) (int, error)      { return len(p), nil }
func (q *quiet) SetDeadline(time.Time) error      { return nil }
func (q *quiet) SetReadDeadline(time.Time) error  { return nil }
func (q *quiet) SetWriteDeadline(time.Time) error { return nil }
func (q *quiet) Close() error                     { return nil }

// BenchmarkIdleConn measures the memory that a connection keeps when it has fetched a large result,
// some small ones, and does nothing.
func BenchmarkIdleConn(b *testing.B) {
	large := &pcp.Result{Sets: []pcp.Values{{ID: idBin, Type: pcp.Int32}}}
	for i := range int32(20000) {
		large.Sets[0].Insts, large.Sets[0].Words = append(large.Sets[0].Insts, i), append(large.Sets[0].Words, 1)
	}
	first, err := (&pdu.HighResResult{Result: pdu.Result{Values: large}}).Encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	large.Sets[0].Insts, large.Sets[0].Words = large.Sets[0].Insts[:100], large.Sets[0].Words[:100]
	later, err := (&pdu.HighResResult{Result: pdu.Result{Values: large}}).Encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	const n = 200
	var kept float64
	for b.Loop() {
		var before, after runtime.MemStats
		conns := make([]*Conn, n)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range conns {
			c := newConn(nil, connOptions{})
			c.features = featureHighRes
			for k := range 8 {
				msg := later
				if k == 0 {
					msg = first
				}
				nc := &quiet{in: msg}
				if c.nc == nil {
					c.nc, c.r = nc, pdu.NewReader(nc)
				} else {
					c.nc.(*quiet).in = msg
				}
				var res pcp.Result
				if err := c.Fetch(context.Background(), []pcp.ID{idBin}, nil, types, &res); err != nil {
					b.Fatal(err)
				}
			}
			conns[i] = c
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		kept = float64(after.HeapAlloc-before.HeapAlloc) / n
		runtime.KeepAlive(conns)
	}
	b.ReportMetric(kept, "B/conn")
	if kept > 64<<10 {
		b.Errorf("%.0f bytes for each connection", kept)
	}
}

// TestTrace traces the messages of a request.
func TestTrace(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	var got strings.Builder
	c.opt.trace = func(direction string, f pdu.Frame) { _ = pdu.Trace(&got, direction, f) }
	if _, err := c.Lookup(context.Background(), []string{"sample.bin"}); err != nil {
		t.Fatal(err)
	}
	want := "> PMNS_NAMES from=0 len=40 names=[\"sample.bin\"] status=[]\n< PMNS_IDS from=0 len=24 status=1 ids=[29.0.6]\n"
	if got.String() != want {
		t.Errorf("got\n%s want\n%s", got.String(), want)
	}
}

// local reports whether the daemon is reached through a socket of this machine.
func local(c *Conn) bool { return c.nc.RemoteAddr().Network() == "unix" }
