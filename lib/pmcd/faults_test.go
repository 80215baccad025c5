package pmcd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// short is the timeout of tests that wait for it, and long one that is never reached.
const (
	short = 40 * time.Millisecond
	long  = time.Minute
)

// connect dials a scripted daemon.
func connect(t testing.TB, s *pmcdtest.Server, timeout time.Duration) *Conn {
	t.Helper()
	spec, err := ParseSpec("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	d := Dialer{DialContext: s.Dial, RequestTimeout: long}
	c, err := d.Dial(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	c.opt.timeout = timeout
	t.Cleanup(func() { c.Close() })
	return c
}

// sample starts a daemon with the metrics of pmcdtest.Sample.
func sample(t testing.TB) (*pmcdtest.Server, *pmcdtest.World) {
	w := pmcdtest.Sample()
	s := pmcdtest.NewServer(w)
	t.Cleanup(func() { s.Close() })
	return s, w
}

// Metrics of pmcdtest.Sample.
var (
	idBin    = pcp.NewID(29, 0, 6)
	idOne    = pcp.NewID(29, 0, 10)
	idWrite  = pcp.NewID(29, 0, 36)
	idDouble = pcp.NewID(29, 0, 3)
	idHullo  = pcp.NewID(29, 0, 31)
	idNoDesc = pcp.NewID(29, 0, 55)
	idNone   = pcp.NewID(500, 1, 1)
)

// types returns the types of pmcdtest.Sample.
func types(id pcp.ID) pcp.Type {
	for _, m := range pmcdtest.Sample().Metrics {
		if m.Desc.ID == id {
			return m.Desc.Type
		}
	}
	return pcp.Unknown
}

// A service is one method of a connection: its request, and its answer for pmcdtest.Sample.
type service struct {
	name    string
	request pdu.Type
	reply   pdu.Type
	call    func(ctx context.Context, c *Conn) (any, error)
	want    string
}

// services returns all methods.
func services() []service {
	return []service{
		{"lookup", pdu.TypeNames, pdu.TypeIDs, func(ctx context.Context, c *Conn) (any, error) {
			return c.Lookup(ctx, []string{"sample.bin", "sample.double"})
		}, "[{29.0.6 <nil>} {29.0.3 <nil>}]"},
		{"names", pdu.TypeIDs, pdu.TypeNames, func(ctx context.Context, c *Conn) (any, error) { return c.Names(ctx, idBin) }, "[sample.bin]"},
		{"children", pdu.TypeChild, pdu.TypeNames, func(ctx context.Context, c *Conn) (any, error) {
			return c.Children(ctx, "sample.long")
		}, "[{one true} {write_me true}]"},
		{"traverse", pdu.TypeTraverse, pdu.TypeNames, func(ctx context.Context, c *Conn) (any, error) { return c.Traverse(ctx, "sample.string") },
			"[sample.string.hullo sample.string.write_me]"},
		{"describe", pdu.TypeDescIDs, pdu.TypeDescs, func(ctx context.Context, c *Conn) (any, error) {
			ds, err := c.Describe(ctx, []pcp.ID{idBin, idOne})
			return fmt.Sprint(len(ds)), err
		}, "2"},
		{"describe one", pdu.TypeDescReq, pdu.TypeDesc, func(ctx context.Context, c *Conn) (any, error) {
			ds, err := c.Describe(ctx, []pcp.ID{idBin})
			if err == nil && ds[0].Err != nil {
				return nil, ds[0].Err
			}
			return fmt.Sprint(len(ds)), err
		}, "1"},
		{"instances", pdu.TypeInstanceReq, pdu.TypeInstance, func(ctx context.Context, c *Conn) (any, error) {
			return one(c.Instances(ctx, []pcp.InDom{pmcdtest.BinInDom}))
		}, "[{100 bin-100} {200 bin-200} {300 bin-300}]"},
		{"lookup instance", pdu.TypeInstanceReq, pdu.TypeInstance, func(ctx context.Context, c *Conn) (any, error) {
			return c.LookupInst(ctx, pmcdtest.ColorInDom, "green")
		}, "1"},
		{"instance name", pdu.TypeInstanceReq, pdu.TypeInstance, func(ctx context.Context, c *Conn) (any, error) {
			return c.InstName(ctx, pmcdtest.ColorInDom, 1)
		}, "green light"},
		{"text", pdu.TypeTextReq, pdu.TypeText, func(ctx context.Context, c *Conn) (any, error) {
			return one(c.Text(ctx, pcp.OneLine, []uint32{uint32(idBin)}))
		}, "Several constant instances"},
		{"labels", pdu.TypeLabelReq, pdu.TypeLabel, func(ctx context.Context, c *Conn) (any, error) {
			return one(c.Labels(ctx, pcp.DomainLabels, []uint32{29}))
		},
			`{[{-1 <nil> [{agent "sample" 2} {role "testing" 2}]}] {0 0} {0 0}}`},
		{"instance labels", pdu.TypeLabelReq, pdu.TypeLabel, func(ctx context.Context, c *Conn) (any, error) {
			return one(c.Labels(ctx, pcp.InstanceLabels, []uint32{uint32(pmcdtest.BinInDom)}))
		}, "{[{100 <nil> [{bin 100 32}]} {200 <nil> []} {300 <nil> [{bin 300 32}]}] {0 0} {0 0}}"},
		{"fetch", pdu.TypeHighResFetch, pdu.TypeHighResResult, func(ctx context.Context, c *Conn) (any, error) {
			var res pcp.Result
			if err := c.Fetch(ctx, []pcp.ID{idBin, idHullo, idDouble}, nil, types, &res); err != nil {
				return nil, err
			}
			return fmt.Sprintf("%v %s %d", res.Sets[0].Words, res.Sets[1].Blobs[0], res.Sets[2].Len()), nil
		}, "[100 200 300] hullo world! 1"},
		{"store", pdu.TypeResult, pdu.TypeError, func(ctx context.Context, c *Conn) (any, error) {
			return "ok", c.Store(ctx, []pcp.Values{{ID: idWrite, Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{5}}})
		}, "ok"},
	}
}

// one returns the answer to a single question.
func one[T any](answers []pcp.Answer[T], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return answers[0].Value, answers[0].Err
}

// replySize returns how long the reply of a service is.
func replySize(t *testing.T, v *service) (size int) {
	t.Helper()
	s, _ := sample(t)
	c := connect(t, s, long)
	s.SetEdit(pmcdtest.On(v.request, 0, func(r *pmcdtest.Reply) { size = len(r.Bytes) }))
	got, err := v.call(context.Background(), c)
	if err != nil || fmt.Sprint(got) != v.want {
		t.Fatalf("got %v, error %v, want %s", got, err, v.want)
	}
	c.Close()
	return size
}

// checkDead checks that a connection is of no use any more.
func checkDead(t *testing.T, c *Conn) {
	t.Helper()
	for _, v := range services() {
		start := time.Now()
		_, err := v.call(context.Background(), c)
		var e *Error
		if !errors.Is(err, pmerr.IPC) {
			t.Errorf("%s on a dead connection: error %v after %v", v.name, err, time.Since(start))
		} else if !errors.As(err, &e) || !e.NotSent || time.Since(start) > 30*time.Second {
			t.Errorf("%s on a dead connection: error %v after %v", v.name, err, time.Since(start))
		}
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close of a dead connection: %v", err)
	}
}

// checkFault calls a service whose reply is edited, and checks the error and the connection
// afterwards.
func checkFault(t *testing.T, v *service, timeout time.Duration, e pmcdtest.Edit, want pmerr.Code) {
	t.Helper()
	s, w := sample(t)
	c := connect(t, s, timeout)
	s.SetEdit(pmcdtest.On(v.request, 0, e))
	_, err := v.call(context.Background(), c)
	var own *Error
	if !errors.Is(err, want) || !errors.As(err, &own) || own.NotSent {
		t.Errorf("error %v, want %v", err, want)
	}
	if n := w.Stores(); n > 1 || n == 0 && v.request == pdu.TypeResult {
		t.Errorf("%d stores", n)
	}
	stores := w.Stores()
	checkDead(t, c)
	if n := w.Stores(); n != stores {
		t.Errorf("%d stores on a dead connection", n-stores)
	}
	s.Close()
}

// TestFaultCut ends the connection at each byte of each reply.
func TestFaultCut(t *testing.T) {
	defer checkLeaks(t)()
	for _, v := range services() {
		t.Run(v.name, func(t *testing.T) {
			for n := range replySize(t, &v) {
				checkFault(t, &v, long, pmcdtest.Cut(n), pmerr.IPC)
			}
		})
	}
}

// TestFaultStop stops in the middle of each reply, and later, with the connection open.
func TestFaultStop(t *testing.T) {
	t.Cleanup(checkLeaks(t))
	for _, v := range services() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			size := replySize(t, &v)
			for _, n := range []int{0, 1, 11, 12, size - 1} {
				checkFault(t, &v, short, func(r *pmcdtest.Reply) { r.Bytes = r.Bytes[:n] }, pmerr.Timeout)
			}
			checkFault(t, &v, short, pmcdtest.Delay(time.Hour), pmerr.Timeout)
			checkFault(t, &v, short, pmcdtest.Length(4), pmerr.Timeout)
			checkFault(t, &v, short, pmcdtest.Word(0, uint32(pdu.Longest(v.reply))), pmerr.Timeout)
		})
	}
}

// TestFaultWrong sends messages that are not replies to the request.
func TestFaultWrong(t *testing.T) {
	defer checkLeaks(t)()
	for _, v := range services() {
		t.Run(v.name, func(t *testing.T) {
			for typ := pdu.TypeError; typ <= pdu.TypeDescs+1; typ++ {
				if typ != v.reply && typ != pdu.TypeError {
					checkFault(t, &v, long, pmcdtest.Type(typ), pmerr.IPC)
				}
			}
			for name, e := range map[string]pmcdtest.Edit{
				"negative type":      pmcdtest.Type(-1),
				"log control":        pmcdtest.Type(0x8000),
				"length of nothing":  pmcdtest.Word(0, 0),
				"length of a header": pmcdtest.Word(0, 12),
				"short length":       pmcdtest.Length(-1),
				"negative length":    pmcdtest.Word(0, 1<<31),
				"two gigabytes":      pmcdtest.Word(0, 1<<31-1),
				"longer than any":    pmcdtest.Word(0, uint32(pdu.Longest(v.reply))+1),
				"garbage":            pmcdtest.Garbage([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")),
				"greeting again":     pmcdtest.Put(&pdu.Error{Code: 4711, Greeting: true}, &pdu.Error{}),
				"closed":             pmcdtest.Cut(0),
			} {
				t.Run(name, func(t *testing.T) { checkFault(t, &v, long, e, pmerr.IPC) })
			}
			if v.reply != pdu.TypeError {
				t.Run("success without a reply", func(t *testing.T) { checkFault(t, &v, long, pmcdtest.Put(&pdu.Error{}), pmerr.IPC) })
			}
		})
	}
}

// TestFaultBytes changes each byte of each reply. Nothing is known of the outcome but that there is
// one.
func TestFaultBytes(t *testing.T) {
	t.Cleanup(checkLeaks(t))
	for _, v := range services() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			for at := range replySize(t, &v) {
				s, _ := sample(t)
				c := connect(t, s, short)
				s.SetEdit(pmcdtest.On(v.request, 0, func(r *pmcdtest.Reply) { r.Bytes[at] ^= 0x81 }))
				start := time.Now()
				_, err := v.call(context.Background(), c)
				if d := time.Since(start); d > 30*time.Second {
					t.Errorf("byte %d: %v, error %v", at, d, err)
				}
				s.Close()
				c.Close()
			}
		})
	}
}

// TestRefused sends an error in place of each reply; the connection goes on.
func TestRefused(t *testing.T) {
	for _, v := range services() {
		for _, code := range []pmerr.Code{pmerr.Again, pmerr.NoAgent, pmerr.Permission, -22} {
			t.Run(fmt.Sprint(v.name, " ", int32(code)), func(t *testing.T) {
				s, _ := sample(t)
				c := connect(t, s, long)
				refusal := pmcdtest.Put(&pdu.Error{Code: code})
				edit := refusal
				if code == pmerr.Permission && (v.name == "fetch" || v.name == "instance labels") {
					edit = pmcdtest.Put(&pdu.Error{Code: code}, &pdu.Error{Code: code}) // for the profile too
				}
				n := 0
				s.SetEdit(func(r *pmcdtest.Reply) {
					if r.Request == v.request && n == 0 {
						edit(r)
						n++
					}
				})
				got, err := v.call(context.Background(), c)
				if v.name == "lookup" || v.name == "describe" { // asks for each by itself then
					err = nil
				} else if !errors.Is(err, code) {
					t.Errorf("got %v, error %v, want %v", got, err, code)
				}
				var own *Error
				if errors.As(err, &own) {
					t.Errorf("error %v of the connection", err)
				}
				if got, err := v.call(context.Background(), c); err != nil || fmt.Sprint(got) != v.want {
					t.Errorf("the next time: got %v, error %v, want %s", got, err, v.want)
				}
			})
		}
	}
}

// TestExtra sends an unrequested message after each reply: it must not be taken for the next one.
func TestExtra(t *testing.T) {
	for _, v := range services() {
		t.Run(v.name, func(t *testing.T) {
			s, w := sample(t)
			c := connect(t, s, long)
			s.SetEdit(pmcdtest.On(v.request, 0, pmcdtest.After(&pdu.Error{Code: pmerr.Again})))
			if got, err := v.call(context.Background(), c); err != nil || fmt.Sprint(got) != v.want {
				t.Fatalf("got %v, error %v, want %s", got, err, v.want)
			}
			stores := w.Stores()
			checkDead(t, c)
			if w.Stores() != stores {
				t.Error("stored on a connection that is out of step")
			}
		})
	}
}

// TestContextEnds ends the context before and within each call.
func TestContextEnds(t *testing.T) {
	defer checkLeaks(t)()
	for _, v := range services() {
		t.Run(v.name, func(t *testing.T) {
			s, w := sample(t)
			c := connect(t, s, long)
			before, cancel := context.WithCancel(context.Background())
			cancel()
			_, err := v.call(before, c)
			var e *Error
			if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || !e.NotSent {
				t.Errorf("ended before: error %v", err)
			}
			if got, err := v.call(context.Background(), c); err != nil || fmt.Sprint(got) != v.want {
				t.Errorf("after that: got %v, error %v, want %s", got, err, v.want)
			}
			within, cancel := context.WithCancel(context.Background())
			s.SetEdit(func(r *pmcdtest.Reply) {
				if r.Request == v.request {
					cancel()
					r.Delay = time.Hour
				}
			})
			stores := w.Stores()
			_, err = v.call(within, c)
			if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.NotSent {
				t.Errorf("ended within: error %v", err)
			}
			checkDead(t, c)
			if n := w.Stores() - stores; n > 1 {
				t.Errorf("%d stores", n)
			}
			s.Close()
		})
	}
	t.Run("deadline", func(t *testing.T) {
		s, _ := sample(t)
		c := connect(t, s, long)
		s.SetEdit(pmcdtest.Drop())
		ctx, cancel := context.WithTimeout(context.Background(), short)
		defer cancel()
		if _, err := c.Traverse(ctx, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		checkDead(t, c)
	})
}

// TestContextEndsLate ends contexts right after their calls: the next call is not affected.
func TestContextEndsLate(t *testing.T) {
	s, _ := sample(t)
	c := connect(t, s, long)
	for range 2000 {
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		if _, err := c.Names(ctx, idBin); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if c.broken != nil {
				c = connect(t, s, long)
			}
		}
		if _, err := c.Names(context.Background(), idBin); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
}

// checkLeaks returns a function that checks that there are not more goroutines and descriptors than
// now.
func checkLeaks(t *testing.T) func() {
	routines, files := runtime.NumGoroutine(), descriptors()
	return func() {
		t.Helper()
		var r, f int
		for range 3000 {
			if r, f = runtime.NumGoroutine(), descriptors(); r <= routines && f <= files {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d goroutines and %d descriptors, were %d and %d", r, f, routines, files)
	}
}

// descriptors returns the number of open files, 0 if it is not known: Wine has files of its own.
func descriptors() int {
	if runtime.GOOS == "windows" {
		return 0
	}
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// TestFaultGreeting ends the connection at each byte of the greeting, stops there, and greets with
// something else.
func TestFaultGreeting(t *testing.T) {
	defer checkLeaks(t)()
	spec, err := ParseSpec("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	dial := func(e pmcdtest.Edit, timeout time.Duration, want pmerr.Code) {
		t.Helper()
		s, _ := sample(t)
		s.SetEdit(e)
		d := Dialer{DialContext: s.Dial, RequestTimeout: timeout}
		if c, err := d.Dial(context.Background(), spec); !errors.Is(err, want) || c != nil {
			t.Errorf("error %v, want %v", err, want)
		}
		s.Close()
	}
	for n := range 20 {
		dial(pmcdtest.Cut(n), long, pmerr.IPC)
		dial(func(r *pmcdtest.Reply) { r.Bytes = r.Bytes[:n] }, short, pmerr.Timeout)
	}
	dial(pmcdtest.Type(pdu.TypeText), long, pmerr.IPC)
	dial(pmcdtest.Put(&pdu.Error{}), long, pmerr.IPC)
	dial(pmcdtest.Garbage([]byte("SSH-2.0-OpenSSH_9.9\r\n")), long, pmerr.IPC)
	dial(pmcdtest.Word(0, 1<<31-1), long, pmerr.IPC)
}

// TestFaultDescriptors breaks connections to a socket: each is closed at once, and not when
// somebody calls Close.
func TestFaultDescriptors(t *testing.T) {
	s, _ := sample(t)
	path := filepath.Join(t.TempDir(), "s")
	if _, err := s.Listen("unix", path); err != nil {
		t.Skip(err)
	}
	spec, err := ParseSpec("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	check := checkLeaks(t)
	for _, v := range services() {
		c, err := new(Dialer).Dial(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		s.SetEdit(pmcdtest.On(v.request, 0, pmcdtest.Cut(7)))
		if _, err := v.call(context.Background(), c); !errors.Is(err, pmerr.IPC) {
			t.Errorf("%s: error %v", v.name, err)
		}
		s.SetEdit(nil)
	}
	check()
}
