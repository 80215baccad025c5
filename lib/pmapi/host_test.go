package pmapi

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// Metrics of pmcdtest.Sample.
var (
	binID   = pcp.NewID(29, 0, 6)
	oneID   = pcp.NewID(29, 0, 10)
	writeID = pcp.NewID(29, 0, 36)
	againID = pcp.NewID(29, 0, 55) // not described at first
)

// openSample opens a Host of a scripted daemon.
func openSample(t testing.TB, delays ...time.Duration) (*Host, *pmcdtest.Server, *pmcdtest.World) {
	t.Helper()
	w := pmcdtest.Sample()
	s := pmcdtest.NewServer(w)
	h, err := OpenHost(context.Background(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial, Delays: delays, NoRedial: true, RequestTimeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h, s, w
}

func TestOpenHostErrors(t *testing.T) {
	down := func(context.Context, string, string) (net.Conn, error) { return nil, syscall.ECONNREFUSED }
	var badSpec *pmcd.SpecError
	if h, err := OpenHost(context.Background(), "host:abc", nil); !errors.As(err, &badSpec) || h != nil {
		t.Errorf("host %v, error %v", h, err)
	}
	if h, err := OpenHost(context.Background(), "127.0.0.1", &pmcd.Dialer{DialContext: down}); !errors.Is(err, syscall.ECONNREFUSED) || h != nil {
		t.Errorf("host %v, error %v", h, err)
	}
}

// TestHostClose closes twice; nothing works afterwards, not even Reconnect.
func TestHostClose(t *testing.T) {
	h, _, w := openSample(t)
	for range 2 {
		if err := h.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	ctx := context.Background()
	if err := h.Fetch(ctx, &Request{}, new(pcp.Result)); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("Fetch: error %v", err)
	}
	if err := h.Store(ctx, []pcp.Values{{ID: writeID, Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{1}}}); !errors.Is(err, pmerr.NoContext) || w.Stores() != 0 {
		t.Errorf("Store: error %v", err)
	}
	if err := h.Reconnect(ctx); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("Reconnect: error %v", err)
	}
	if _, err := h.Children(ctx, ""); !errors.Is(err, pmerr.NoContext) {
		t.Errorf("Children: error %v", err)
	}
}

// hostCalls returns each way to ask a Host something.
func hostCalls() map[string]func(ctx context.Context, h *Host) error {
	return map[string]func(ctx context.Context, h *Host) error{
		"Lookup":   func(ctx context.Context, h *Host) error { _, err := h.Lookup(ctx, []string{"sample.bin"}); return err },
		"Names":    func(ctx context.Context, h *Host) error { _, err := h.Names(ctx, binID); return err },
		"Children": func(ctx context.Context, h *Host) error { _, err := h.Children(ctx, ""); return err },
		"Walk": func(ctx context.Context, h *Host) error {
			return h.Walk(ctx, "", true, func(string, pcp.ID) bool { return true })
		},
		"Describe": func(ctx context.Context, h *Host) error {
			_, err := h.Describe(ctx, []pcp.ID{oneID, writeID})
			return err
		},
		"Instances": func(ctx context.Context, h *Host) error {
			_, err := InstancesOf(ctx, h, pmcdtest.BinInDom, Now())
			return err
		},
		"LookupInst": func(ctx context.Context, h *Host) error {
			_, err := h.LookupInst(ctx, pmcdtest.BinInDom, "bin-100")
			return err
		},
		"InstName": func(ctx context.Context, h *Host) error {
			_, err := h.InstName(ctx, pmcdtest.BinInDom, 100)
			return err
		},
		"Fetch": func(ctx context.Context, h *Host) error {
			return h.Fetch(ctx, &Request{IDs: []pcp.ID{binID}}, new(pcp.Result))
		},
		"Store": func(ctx context.Context, h *Host) error {
			return h.Store(ctx, []pcp.Values{{ID: writeID, Type: pcp.Int32, Insts: []int32{-1}, Words: []uint64{1}}})
		},
		"Labels": func(ctx context.Context, h *Host) error { _, err := LabelsOf(ctx, h, pcp.ContextLabels, 0); return err },
		"Text": func(ctx context.Context, h *Host) error {
			_, err := LookupText(ctx, h, pcp.Help, uint32(binID))
			return err
		},
		"InDomText": func(ctx context.Context, h *Host) error {
			_, err := LookupText(ctx, h, pcp.Help|pcp.InDomText, uint32(pmcdtest.BinInDom))
			return err
		},
	}
}

// TestHostReconnect loses the daemon in each call: nothing works until Reconnect, and everything
// afterwards (wire.md W18.33).
func TestHostReconnect(t *testing.T) {
	ctx := context.Background()
	for name, call := range hostCalls() {
		t.Run(name, func(t *testing.T) {
			h, s, w := openSample(t)
			greeted := true // the first reply that is not a greeting ends the connection
			s.SetEdit(func(r *pmcdtest.Reply) {
				if r.N > 0 && greeted {
					greeted, r.Bytes, r.Close = false, r.Bytes[:7], true
				}
			})
			if err := call(ctx, h); !errors.Is(err, pmerr.IPC) {
				t.Errorf("error %v", err)
			}
			stores := w.Stores()
			for other, call := range hostCalls() {
				if err := call(ctx, h); !errors.Is(err, pmerr.IPC) {
					t.Errorf("then %s: error %v", other, err)
				}
			}
			if stores > 1 || w.Stores() != stores {
				t.Errorf("%d stores, and then %d", stores, w.Stores())
			}
			if err := h.Reconnect(ctx); err != nil {
				t.Fatalf("Reconnect: %v", err)
			}
			for other, call := range hostCalls() {
				if err := call(ctx, h); err != nil {
					t.Errorf("%s after Reconnect: %v", other, err)
				}
			}
			if now, ever := s.Conns(); now > 1 && ever != 2 {
				t.Errorf("%d connections of %d", now, ever)
			}
		})
	}
}

// TestHostReconnectHealthy makes a new connection in place of a good one. The profile is sent again
// (wire.md W18.4).
func TestHostReconnectHealthy(t *testing.T) {
	h, s, _ := openSample(t)
	ctx := context.Background()
	for i := range 3 {
		for range 2 {
			if err := h.Fetch(ctx, &Request{IDs: []pcp.ID{binID}}, new(pcp.Result)); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.Count(pdu.TypeProfile); n != i+1 {
			t.Errorf("%d profiles on %d connections", n, i+1)
		}
		if err := h.Reconnect(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, ever := s.Conns(); ever != 4 {
		t.Errorf("%d connections", ever)
	}
}

// timedOut is the code of every failure to reconnect.
var timedOut = pmerr.Of(syscall.ETIMEDOUT)

// TestHostBackoff fails to reconnect: too early attempts do not touch the network, and each failure
// is ETIMEDOUT (wire.md W7.7, W18.25).
func TestHostBackoff(t *testing.T) {
	h, s, _ := openSample(t, time.Hour, 3*time.Hour)
	ctx := context.Background()
	dials := 0
	h.dialer.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials++
		return s.Dial(ctx, network, address)
	}
	s.SetDown(true)
	for i, wait := range []time.Duration{time.Hour, 3 * time.Hour, 3 * time.Hour} {
		if err := h.Reconnect(ctx); !errors.Is(err, timedOut) || dials != i+1 {
			t.Errorf("failure %d: error %v, %d attempts", i, err, dials)
		}
		if left := time.Until(h.retry.down.Next); left > wait || left < wait-time.Minute {
			t.Errorf("failure %d: %v left, want %v", i, left, wait)
		}
		if err := h.Reconnect(ctx); !errors.Is(err, timedOut) || dials != i+1 {
			t.Errorf("too early after failure %d: error %v, %d attempts", i, err, dials)
		}
		h.retry.down.Next = time.Now() // as if that time had passed
	}
	s.SetDown(false)
	if err := h.Reconnect(ctx); err != nil {
		t.Fatal(err)
	}
	if h.retry.Wait() != nil || h.retry.down != nil {
		t.Errorf("after success: %+v", h.retry)
	}
	if err := h.Fetch(ctx, &Request{IDs: []pcp.ID{binID}}, new(pcp.Result)); err != nil {
		t.Error(err)
	}
}

// TestHostReconnectRefused is refused in the greeting, which is ETIMEDOUT too and keeps its reason.
func TestHostReconnectRefused(t *testing.T) {
	h, s, _ := openSample(t)
	s.SetRefusal(-1043)
	err := h.Reconnect(context.Background())
	if !errors.Is(err, timedOut) || !errors.Is(err, pmerr.ConnLimit) {
		t.Errorf("error %v", err)
	}
	if _, err := h.Children(context.Background(), ""); !errors.Is(err, pmerr.IPC) {
		t.Errorf("then: error %v", err)
	}
}

// TestHostDescs counts the requests for descriptions.
func TestHostDescs(t *testing.T) {
	h, s, w := openSample(t)
	ctx := context.Background()
	fetch := func(ids ...pcp.ID) pcp.Result {
		t.Helper()
		var res pcp.Result
		if err := h.Fetch(ctx, &Request{IDs: ids}, &res); err != nil {
			t.Fatal(err)
		}
		return res
	}
	asked := func() int { return s.Count(pdu.TypeDescReq) + s.Count(pdu.TypeDescIDs) }
	fetch(binID, oneID)
	fetch(oneID, binID, pcp.NullID)
	if _, err := h.Describe(ctx, []pcp.ID{binID}); err != nil || asked() != 1 {
		t.Errorf("%d requests, error %v", asked(), err)
	}
	fetch(againID)
	fetch(againID)
	if asked() != 2 {
		t.Errorf("%d requests", asked())
	}
	// The agent becomes ready: after the daemon's notice it is asked again.
	for i := range w.Metrics {
		if m := &w.Metrics[i]; m.Desc.ID == againID {
			m.DescErr = 0
			m.Values = pcp.Values{Insts: []int32{-1}, Words: []uint64{42}}
		}
	}
	w.Notify(pcp.AgentAdded)
	fetch(againID)
	if res := fetch(againID, binID); asked() != 3 || res.Sets[0].Len() != 1 {
		t.Errorf("%d requests, values %+v", asked(), res.Sets[0])
	} else if res.Sets[0].Odd != nil || res.Sets[0].Words[0] != 42 {
		t.Errorf("%d requests, values %+v", asked(), res.Sets[0])
	}
}

// TestHostWalk stops in the middle of the name space.
func TestHostWalk(t *testing.T) {
	h, _, w := openSample(t)
	n := 0
	err := h.Walk(context.Background(), "", true, func(name string, id pcp.ID) bool {
		if m := w.Metrics[n]; m.Name != name || m.Desc.ID != id {
			t.Errorf("%s %v, want %s %v", name, id, m.Name, m.Desc.ID)
		}
		n++
		return n < 5
	})
	if err != nil || n != 5 {
		t.Errorf("%d names, error %v", n, err)
	}
}

// TestHostName has the fallbacks of wire.md W7.8.
func TestHostName(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for spec, want := range map[string]string{"127.0.0.1": "127.0.0.1", "localhost:1": own, "example.com": "example.com"} {
		s, err := pmcd.ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := (&Host{spec: s}).Host(); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// BenchmarkHostFetch fetches through a Host whose daemon is in this process.
func BenchmarkHostFetch(b *testing.B) {
	h, _, _ := openSample(b)
	var res pcp.Result
	req := &Request{IDs: []pcp.ID{binID, oneID}}
	for b.Loop() {
		if err := h.Fetch(context.Background(), req, &res); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "fetches/s")
}
