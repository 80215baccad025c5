package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ulikunitz/xz"

	"pmtools/lib/pmerr"
)

// blocksOf writes an xz file with blocks of 10,000 bytes.
func blocksOf(t testing.TB, dir string, plain []byte) string {
	t.Helper()
	return blocksOfSize(t, dir, plain, 10_000)
}

// blocksOfSize writes an xz file with blocks of some size.
func blocksOfSize(t testing.TB, dir string, plain []byte, size int64) string {
	t.Helper()
	var out bytes.Buffer
	w, err := xz.WriterConfig{DictCap: 1 << 16, BlockSize: size}.NewWriter(&out)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	path := filepath.Join(dir, fmt.Sprintf("%d.xz", len(plain)))
	if err == nil {
		err = os.WriteFile(path, out.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// limits are MemLimits by which blocks are kept in memory, and in a temporary file.
var limits = map[string]int64{"memory": 0, "file": 100}

// TestSpan asks for pieces in any order, while other files take the descriptors.
func TestSpan(t *testing.T) {
	plain, dir := noise(205_000), t.TempDir()
	path := blocksOf(t, dir, plain)
	var others []*File
	for range maxOpen {
		c, err := Open(bg, blocksOf(t, dir, plain[:100]), Options{})
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, c)
	}
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			c, err := Open(bg, path, Options{MemLimit: limit, TempDir: temp})
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for i := range 200 {
				from := int64(random.IntN(len(plain)))
				to := from + int64(random.IntN(25_000))
				data, lo, hi, err := c.Span(bg, from, to)
				if err != nil {
					t.Fatalf("%d to %d: %d to %d, %v", from, to, lo, hi, err)
				} else if lo > from || hi < min(to, int64(len(plain))) || !bytes.Equal(data[lo:hi], plain[lo:hi]) {
					t.Fatalf("%d to %d: %d to %d, %v", from, to, lo, hi, err)
				}
				if i == 0 && (hi-lo > 100_000 || hi == lo) {
					t.Errorf("%d bytes are there at once", hi-lo)
				}
				if _, err := others[i%maxOpen].Size(bg); err != nil {
					t.Fatal(err)
				}
				others[i%maxOpen].Settle()
				c.Release(lo, hi)
			}
			if size, err := c.Size(bg); err != nil || size != int64(len(plain)) {
				t.Errorf("size %d, %v", size, err)
			}
			if data, err := c.View(bg, Everything); err != nil || !bytes.Equal(data, plain) {
				t.Errorf("%d bytes, %v", len(data), err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(temp); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if data, err := c.View(bg, 1); len(data) > 0 || err == nil {
				t.Errorf("after Close: %d bytes, %v", len(data), err)
			}
		})
	}
	for _, c := range others {
		c.Close()
	}
	if n := spreads.Load(); n != 0 {
		t.Errorf("%d temporary files are counted", n)
	}
	if unpacked.memory != 0 || unpacked.disk != 0 || unpacked.work != 0 {
		t.Errorf("%d bytes of memory, %d of the disk and %d of work are counted", unpacked.memory, unpacked.disk, unpacked.work)
	}
}

// TestSpanDamage has a damaged block: those around it can be read.
func TestSpanDamage(t *testing.T) {
	plain := noise(45_000)
	path := blocksOf(t, t.TempDir(), plain)
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packed[len(packed)/2] ^= 1 // in the third of the five blocks
	if err := os.WriteFile(path, packed, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			c, err := Open(bg, path, Options{MemLimit: limit, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 2 {
				for _, tt := range []struct{ from, to, lo, hi int64 }{
					{44_000, 44_004, 40_000, 45_000}, {35_000, 35_004, 30_000, 45_000}, {0, 1, 0, 10_000}, {15_000, 15_001, 0, 20_000},
				} {
					data, lo, hi, err := c.Span(bg, tt.from, tt.to)
					if err != nil {
						t.Errorf("%d to %d: %d to %d, %v", tt.from, tt.to, lo, hi, err)
					} else if lo > tt.from || hi < tt.to || !bytes.Equal(data[lo:hi], plain[lo:hi]) {
						t.Errorf("%d to %d: %d to %d, %v", tt.from, tt.to, lo, hi, err)
					}
				}
				if _, _, hi, err := c.Span(bg, 19_000, 21_000); !errors.Is(err, pmerr.LogRec) || hi != 20_000 {
					t.Errorf("into the damage: up to %d, %v", hi, err)
				}
				if _, lo, hi, err := c.Span(bg, 25_000, 25_001); !errors.Is(err, pmerr.LogRec) || lo != hi {
					t.Errorf("in the damage: %d to %d, %v", lo, hi, err)
				}
				if data, err := c.View(bg, Everything); !errors.Is(err, pmerr.LogRec) || !bytes.Equal(data, plain[:20_000]) {
					t.Errorf("all: %d bytes, %v", len(data), err)
				}
			}
		})
	}
}

// unpackedBytes returns how many bytes of each block were unpacked.
func (c *File) unpackedBytes() []int64 {
	n := make([]int64, len(c.blocks.parts))
	for i := range n {
		n[i] = c.blocks.parts[i].pos
	}
	return n
}

// TestSpanPart reads one record as a report does: the label, the last bytes, and the first record. It
// unpacks these bytes of the first block, the whole last block, and nothing of the other blocks.
func TestSpanPart(t *testing.T) {
	plain := noise(950_000)
	path := blocksOfSize(t, t.TempDir(), plain, 200_000)
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			c, err := Open(bg, path, Options{MemLimit: limit, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			span := func(from, to int64) {
				t.Helper()
				data, lo, hi, err := c.Span(bg, from, to)
				if err != nil {
					t.Errorf("%d to %d: %d to %d, %v", from, to, lo, hi, err)
				} else if lo > from || hi < to || !bytes.Equal(data[lo:hi], plain[lo:hi]) {
					t.Errorf("%d to %d: %d to %d, %v", from, to, lo, hi, err)
				}
			}
			check := func(most ...int64) {
				t.Helper()
				for i, n := range c.unpackedBytes() {
					if n > most[i] {
						t.Errorf("%d bytes of block %d are unpacked, at most %d are needed", n, i, most[i])
					}
				}
			}
			buf := make([]byte, 132)
			if n, err := c.Head(bg, buf); n != len(buf) || err != nil {
				t.Fatalf("head: %d bytes, %v", n, err)
			}
			check(8<<10, 0, 0, 0, 0)
			span(949_996, 950_000)
			span(132, 136)
			span(132, 30_000)
			check(50_000, 0, 0, 0, 150_000)
			span(500_000, 510_000) // a record in the middle of the third block
			check(50_000, 0, 120_000, 0, 150_000)
			span(510_000, 520_000)
			span(505_000, 506_000)
			check(50_000, 0, 150_000, 0, 150_000)
			for off := int64(0); off < 200_000; off += 1000 { // the rest of the first
				span(off, off+1000)
			}
			check(200_000, 0, 150_000, 0, 150_000)
		})
	}
}

// TestSpanAgain goes on in more blocks than keep their place, some of which have to begin again.
func TestSpanAgain(t *testing.T) {
	const size = 50_000
	plain := noise(10*size + 1)
	path := blocksOfSize(t, t.TempDir(), plain, size)
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			c, err := Open(bg, path, Options{MemLimit: limit, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for _, in := range []int64{10, 9_000, 25_000, 49_000, 100} {
				for i := range int64(10) {
					from := (i*7%10)*size + in
					data, lo, hi, err := c.Span(bg, from, from+500)
					if err != nil {
						t.Fatalf("at %d: %d to %d, %v", from, lo, hi, err)
					} else if lo > from || hi < from+500 || !bytes.Equal(data[lo:hi], plain[lo:hi]) {
						t.Fatalf("at %d: %d to %d, %v", from, lo, hi, err)
					}
					if n := len(c.blocks.idle); n > maxIdle {
						t.Fatalf("%d blocks keep their place", n)
					}
				}
			}
		})
	}
}

// TestSpanShared has readers of one file that want all pieces at the same time, some of which give up.
func TestSpanShared(t *testing.T) {
	plain := noise(400_000)
	path := blocksOfSize(t, t.TempDir(), plain, 60_000)
	for name, limit := range limits {
		t.Run(name, func(t *testing.T) {
			c, err := Open(bg, path, Options{MemLimit: limit, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var wg sync.WaitGroup
			for k := range uint64(4) {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(1, k))
					for range 50 {
						ctx, cancel := context.WithCancel(bg)
						if random.IntN(4) == 0 {
							cancel()
						}
						from := random.Int64N(390_000)
						to := from + random.Int64N(10_000)
						data, lo, hi, err := c.Span(ctx, from, to)
						switch {
						case errors.Is(err, context.Canceled) && ctx.Err() != nil:
						case err != nil || lo > from || hi < to || !bytes.Equal(data[lo:hi], plain[lo:hi]):
							t.Errorf("%d to %d: %d to %d, %v", from, to, lo, hi, err)
						}
						cancel()
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestSpanPartDamage reads blocks step by step, one of which is damaged in the middle. The bytes that are
// read before the damage is known are right, and the other blocks can be read.
func TestSpanPartDamage(t *testing.T) {
	const size, count = 60_000, 4
	plain := noise(size * count)
	path := blocksOfSize(t, t.TempDir(), plain, size)
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bad := range int64(count) {
		damaged := bytes.Clone(packed)
		damaged[int64(len(packed))*(2*bad+1)/(2*count)] ^= 1
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		for name, limit := range limits {
			t.Run(fmt.Sprint(bad, name), func(t *testing.T) {
				c, err := Open(bg, path, Options{MemLimit: limit, TempDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for range 2 {
					for off := int64(0); off < size*count; off += 1000 {
						data, lo, hi, err := c.Span(bg, off, off+1000)
						in := off / size
						if bad == 0 && off == 0 && err != nil {
							t.Errorf("the beginning: %v", err)
						}
						switch {
						case err == nil && lo <= off && hi >= off+1000 && bytes.Equal(data[off:off+1000], plain[off:off+1000]) &&
							(in != bad || off%size < size*3/4):
						case in == bad && errors.Is(err, pmerr.LogRec) && hi < off+1000 && hi >= bad*size:
						default:
							t.Fatalf("at %d: %d to %d, %v", off, lo, hi, err)
						}
					}
				}
				data, err := c.View(bg, Everything)
				if n := int64(len(data)); !errors.Is(err, pmerr.LogRec) {
					t.Errorf("all: %d bytes, %v", n, err)
				} else if n < bad*size || n >= (bad+1)*size || !bytes.Equal(data, plain[:n]) {
					t.Errorf("all: %d bytes, %v", n, err)
				}
			})
		}
	}
}

// TestSpanLimit may take no more of the disk than two blocks.
func TestSpanLimit(t *testing.T) {
	path := blocksOf(t, t.TempDir(), noise(45_000))
	warnings := 0
	c, err := Open(bg, path, Options{MemLimit: 1, TempDir: t.TempDir(), DiskLimit: 20_000, Warn: func(string) { warnings++ }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, off := range []int64{0, 44_000} {
		if _, _, _, err := c.Span(bg, off, off+1); err != nil {
			t.Errorf("offset %d: %v", off, err)
		}
	}
	for range 2 {
		if _, _, _, err := c.Span(bg, 30_000, 30_001); !errors.Is(err, enospc) || warnings != 1 {
			t.Errorf("got %v, %d warnings", err, warnings)
		}
	}
}
