package remote_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmda/remote"
	"pmtools/lib/pmerr"
)

// A damaged connection changes what the agent sends.
type damaged struct {
	net.Conn
	rnd *rand.Rand
	ok  int // bytes that pass as they are
}

// Read implements io.Reader.
func (d *damaged) Read(b []byte) (int, error) {
	n, err := d.Conn.Read(b)
	if d.ok -= n; d.ok > 0 || err != nil {
		return n, err
	}
	d.ok = d.rnd.IntN(400)
	switch i := d.rnd.IntN(max(n, 1)); d.rnd.IntN(6) {
	case 0: // another bit
		b[i] ^= 1 << d.rnd.IntN(8)
	case 1: // another byte, as a length often one that is huge
		b[i] = byte(d.rnd.IntN(256))
	case 2: // something is missing
		return copy(b[i:], b[min(i+4, n):n]) + i, nil
	case 3: // something is there that nobody sent
		for k := range b {
			b[k] = byte(d.rnd.Uint32() & d.rnd.Uint32())
		}
		return len(b), nil
	case 4: // the end
		d.Close()
	case 5: // silence
		clear(b)
		return d.Conn.Read(b)
	}
	return n, nil
}

// TestDamage asks agents that send damage, too much or nothing. PMTOOLS_RUNS is how many, or 300;
// PMTOOLS_SEED is the first seed. Each question has an answer or an error within a time, and takes
// memory in proportion to what was sent.
func TestDamage(t *testing.T) {
	number := func(name string, value int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return value
	}
	opts := &remote.Options{Domain: 253, CredsTimeout: 20 * time.Millisecond, Timeout: 20 * time.Millisecond}
	id, inDom := pcp.NewID(253, 0, 0), pcp.NewInDom(253, 0)
	broken := 0
	first := number("PMTOOLS_SEED", 1)
	for seed := first; seed < first+number("PMTOOLS_RUNS", 300); seed++ {
		p, err := newSimple()
		if err != nil {
			t.Fatal(err)
		}
		near, far := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			pmda.Serve(ctx, p, far)
			far.Close()
		}()
		rnd := rand.New(rand.NewPCG(uint64(seed), 0))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := remote.New(ctx, &damaged{Conn: near, rnd: rnd, ok: rnd.IntN(400)}, opts)
		if err == nil {
			for range 20 {
				_, err = a.Desc(ctx, nil, id)
				_, e1 := a.Instances(ctx, nil, inDom)
				e2 := a.Fetch(ctx, &pmda.Request{IDs: []pcp.ID{id, pcp.NewID(253, 0, 1)}}, new(pcp.Result))
				_, e3 := a.Text(ctx, nil, id, pcp.Help)
				_, e4 := a.Labels(ctx, nil, pcp.InstanceLabels, uint32(inDom))
				_, e5 := a.Leaves(ctx, nil, "simple")
				if err = errors.Join(err, e1, e2, e3, e4, e5); errors.Is(err, pmerr.NoAgent) {
					break
				}
			}
			a.Close()
		}
		if err != nil {
			broken++
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 64<<20 {
			t.Errorf("seed %d: %d bytes of memory, error %v", seed, after.TotalAlloc-before.TotalAlloc, err)
		}
		if ctx.Err() != nil {
			t.Errorf("seed %d: the questions take 30 seconds", seed)
		}
		cancel()
		<-ended
	}
	if broken == 0 {
		t.Error("nothing was damaged")
	}
}
