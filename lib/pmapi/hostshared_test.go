package pmapi

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// openShared opens a Host that connects again by itself.
func openShared(t *testing.T, delay time.Duration) (*Host, *pmcdtest.Server) {
	t.Helper()
	s := pmcdtest.NewServer(pmcdtest.Sample())
	h, err := OpenHost(t.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial, Delays: []time.Duration{delay}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h, s
}

// TestHostShared makes all requests from many goroutines while the daemon goes and comes back: answers
// are those of the question, or the connection is lost.
func TestHostShared(t *testing.T) {
	h, s := openShared(t, time.Millisecond)
	var work sync.WaitGroup
	fetch := func(id pcp.ID, n int) error {
		var res pcp.Result
		err := h.Fetch(t.Context(), &Request{IDs: []pcp.ID{id}}, &res)
		if err == nil && (res.Sets[0].ID != id || res.Sets[0].Len() != n) {
			t.Errorf("values %+v of %v", res.Sets[0], id)
		}
		return err
	}
	for i := range 100 {
		work.Go(func() {
			id, n := binID, 3
			if i%2 == 0 {
				id, n = oneID, 1
			}
			for range 20 {
				if err := fetch(id, n); err != nil && !errors.Is(err, pmerr.IPC) {
					t.Errorf("Fetch: %v", err)
				}
			}
			for name, call := range hostCalls() {
				if err := call(t.Context(), h); err != nil && !errors.Is(err, pmerr.IPC) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	for range 5 {
		time.Sleep(5 * time.Millisecond)
		s.SetDown(true)
		time.Sleep(5 * time.Millisecond)
		s.SetDown(false)
	}
	work.Wait()
	time.Sleep(2 * time.Millisecond) // the delay after a failure
	_ = fetch(binID, 3)              // may find the connection lost
	if err := fetch(binID, 3); err != nil {
		t.Errorf("at the end: %v", err)
	}
}

// TestHostExpired lets a context end in the middle of an answer: the next request has its own.
func TestHostExpired(t *testing.T) {
	h, s := openShared(t, time.Hour)
	release := make(chan struct{})
	defer close(release)
	var held atomic.Bool
	s.SetEdit(func(r *pmcdtest.Reply) {
		if r.N > 0 && held.CompareAndSwap(false, true) {
			<-release
		}
	})
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Children(short, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	var res pcp.Result
	for i, want := range []bool{true, false} {
		if err := h.Fetch(t.Context(), &Request{IDs: []pcp.ID{binID}}, &res); err != nil {
			t.Fatal(err)
		}
		if changed := res.Changes&pcp.NamesChanged != 0; changed != want {
			t.Errorf("fetch %d: changes %b", i, res.Changes)
		}
	}
}

// TestHostWaiting: a request whose context ends while it waits for its turn harms nobody.
func TestHostWaiting(t *testing.T) {
	h, _ := openShared(t, time.Hour)
	h.turn <- struct{}{}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for name, call := range hostCalls() {
		if err := call(short, h); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := h.Reconnect(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Reconnect: %v", err)
	}
	h.end()
	if _, err := h.Children(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// TestHostDown says how often a connection was attempted, and when it will be again.
func TestHostDown(t *testing.T) {
	h, s := openShared(t, time.Hour)
	s.SetDown(true)
	var down *Down
	if _, err := h.Children(t.Context(), ""); !errors.Is(err, pmerr.IPC) || errors.As(err, &down) {
		t.Errorf("loss: error %v", err)
	}
	for range 2 {
		_, err := h.Children(t.Context(), "")
		if !errors.Is(err, pmerr.IPC) || !errors.As(err, &down) {
			t.Fatalf("error %v", err)
		}
		if down.Attempts != 1 || down.Err == nil {
			t.Errorf("%+v", down)
		}
		if left := time.Until(down.Next); left < time.Minute || left > time.Hour {
			t.Errorf("next attempt in %v", left)
		}
	}
	s.SetDown(false)
	h.retry.down.Next = time.Now()
	if _, err := h.Children(t.Context(), ""); err != nil {
		t.Error(err)
	}
}
