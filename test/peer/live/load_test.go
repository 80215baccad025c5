package live

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// The size of TestLoad.
const (
	loadContexts = 200
	loadFetches  = 50
)

// loadNames are metrics with many and with few values, of each type.
var loadNames = []string{"sample.bin", "sample.long.one", "sample.string.hullo", "sample.double.million", "sample.aggregate.hullo", "kernel.all.load", "hinv.ncpu"}

// TestLoad has many contexts at once in one process, each with a connection of its own to the
// reference's daemon.
func TestLoad(t *testing.T) {
	root := os.Getenv("PMTOOLS_PEER")
	if root == "" {
		t.Skip("PMTOOLS_PEER is not set")
	}
	spec := "unix:" + filepath.Join(root, "run/pcp/peer.socket")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	first, err := pmapi.OpenHost(ctx, spec, nil)
	if err != nil {
		t.Skip(err)
	}
	first.Close()
	routines := runtime.NumGoroutine()
	start := time.Now()
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := range loadContexts {
		// The clients come one after the other: the daemon lets only a few wait to be accepted.
		h, err := pmapi.OpenHost(ctx, spec, nil)
		if err != nil {
			t.Fatalf("context %d: %v", i, err)
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer h.Close()
			loadContext(ctx, t, h, int32(i))
		}()
	}
	wg.Wait()
	t.Logf("%d contexts, %d fetches each: %v", loadContexts, loadFetches, time.Since(start))
	for range 3000 {
		if runtime.NumGoroutine() <= routines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, were %d", runtime.NumGoroutine(), routines)
}

// loadContext selects one instance, and fetches again and again.
func loadContext(ctx context.Context, t *testing.T, h *pmapi.Host, n int32) {
	found, err := h.Lookup(ctx, loadNames)
	if err != nil {
		t.Errorf("context %d: %v", n, err)
		return
	}
	req := &pmapi.Request{Profile: new(pcp.Profile)}
	for i, r := range found {
		if r.Err != nil {
			t.Errorf("context %d: %s: %v", n, loadNames[i], r.Err)
			return
		}
		req.IDs = append(req.IDs, r.Value)
	}
	bins, err := h.Describe(ctx, req.IDs[:1])
	if err != nil || bins[0].Err != nil {
		t.Errorf("context %d: %v %v", n, err, bins)
		return
	}
	inst := 100 * (1 + n%9)
	req.Profile.Add(bins[0].Value.InDom, inst)
	var res pcp.Result
	last := pcp.Timestamp{}
	for k := range loadFetches {
		if err := h.Fetch(ctx, req, &res); err != nil {
			t.Errorf("context %d, fetch %d: %v", n, k, err)
			return
		}
		bin := &res.Sets[0]
		if bin.Len() != 1 || bin.Insts[0] != inst {
			t.Errorf("context %d, fetch %d: %+v at %v", n, k, bin, res.Time)
			return
		} else if bin.Words[0] != uint64(inst) || res.Time.Compare(last) < 0 {
			t.Errorf("context %d, fetch %d: %+v at %v", n, k, bin, res.Time)
			return
		}
		for i := range res.Sets {
			if v := &res.Sets[i]; v.ID != req.IDs[i] || v.Err != nil && v.Err != pmerr.Again || v.Odd != nil {
				t.Errorf("context %d, fetch %d: %s: %+v", n, k, loadNames[i], v)
				return
			}
		}
		last = res.Time
	}
}
