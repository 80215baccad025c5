// Package simulation runs tests in which everything fails that can, as a seed decides: [Run] repeats them with many seeds, in time that
// goes by without waiting (testing/synctest), and [Faults] decide.
package simulation

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/lib/safefile/safefiletest"
)

// Run runs a simulation with 200 seeds, or PMTOOLS_RUNS (make soak); PMTOOLS_SEED repeats one. dir is empty for each. The first error,
// panic or goroutine that is left ends the test, with the line that repeats it; pkg is the directory of the package.
func Run(t *testing.T, pkg string, run func(t *testing.T, dir string, f *Faults) error) {
	runs, first := 200, safefiletest.Seed(t)
	if n, err := strconv.Atoi(os.Getenv("PMTOOLS_RUNS")); err == nil {
		runs = n
	}
	if os.Getenv("PMTOOLS_SEED") != "" {
		runs = 1
	}
	for i := range uint64(runs) {
		if err := once(t, first+i, run); err != nil {
			t.Fatalf("PMTOOLS_SEED=%d go test ./%s -run '^%s$': %v", first+i, pkg, t.Name(), err)
		}
	}
	t.Logf("%d seeds from %d", runs, first)
}

// once turns a panic, which is that of synctest if a goroutine is left, into an error.
func once(t *testing.T, seed uint64, run func(t *testing.T, dir string, f *Faults) error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%v", x)
		}
	}()
	dir, err := os.MkdirTemp("", "simulation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	synctest.Test(t, func(t *testing.T) {
		err = run(t, dir, &Faults{healed: new(atomic.Bool), seed: seed, rnd: rand.New(rand.NewPCG(seed, 31))})
	})
	return err
}

// Faults decide what fails. Goroutines may share them.
type Faults struct {
	healed *atomic.Bool
	seed   uint64
	mu     sync.Mutex
	rnd    *rand.Rand
}

// Part returns Faults of their own, which do not depend on how often others are asked; Heal is for all.
func (f *Faults) Part(name string) *Faults {
	h := fnv.New64a()
	io.WriteString(h, name)
	return &Faults{healed: f.healed, seed: f.seed ^ h.Sum64(), rnd: rand.New(rand.NewPCG(f.seed, h.Sum64()))}
}

// Heal ends all faults.
func (f *Faults) Heal() { f.healed.Store(true) }

// Healed reports whether the faults have ended.
func (f *Faults) Healed() bool { return f.healed.Load() }

// Chance is true in one of n cases, and never after the end of the faults.
func (f *Faults) Chance(n int) bool { return f.UpTo(n) == 1 }

// UpTo returns a number from 1 to n, or 0 after the end of the faults.
func (f *Faults) UpTo(n int) int {
	if f.Healed() {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return 1 + f.rnd.IntN(n)
}

// A Conn is the client's end of a connection that is slow, and is cut in the middle of a message or half open: nothing gets through any
// more, and nobody says so.
type Conn struct {
	net.Conn
	f    *Faults
	half atomic.Bool
}

// Conn returns a connection that fails.
func (f *Faults) Conn(nc net.Conn) *Conn { return &Conn{Conn: nc, f: f} }

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (int, error) {
	time.Sleep(time.Duration(c.f.UpTo(300)) * time.Millisecond)
	switch c.f.UpTo(60) {
	case 1:
		c.half.Store(true)
	case 2:
		n, _ := c.Conn.Write(b[:len(b)/2])
		c.Conn.Close()
		return n, io.ErrClosedPipe
	}
	if c.half.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.half.Load() {
			return n, err
		}
	}
}
